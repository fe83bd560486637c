//! How much of a file must be shown.

use super::Wrong;
use pfh_tree::audit::{Sample, leaves_for};

/// The rule for the number of leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum By {
    /// The probability with which the loss must be found, between 0 and 1.
    Confidence(f64),
    /// This number, at most 4,194,304.
    Leaves(u32),
    /// All leaves: the only sample that is sure to find a single damaged one.
    All,
}

/// How much of a file must be shown, and for which loss the probability of being found is stated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// A fraction of the leaves, lost or damaged, between 0 and 1.
    pub loss: f64,
    /// The rule for the number of leaves.
    pub by: By,
}

impl Default for Extent {
    /// A loss of 1 % is found with a probability of 99 %: 459 leaves.
    fn default() -> Self {
        Extent { loss: 0.01, by: By::Confidence(0.99) }
    }
}

impl Extent {
    /// The sample.
    ///
    /// # Errors
    /// When it would have too many leaves.
    pub fn sample(&self) -> Result<Sample, Wrong> {
        Ok(match self.by {
            By::All => Sample::All,
            By::Leaves(leaves) => Sample::leaves(leaves)?,
            By::Confidence(confidence) => leaves_for(confidence, self.loss).and_then(Sample::leaves)?,
        })
    }
}
