//! The score that a pair must reach: one for all algorithms, or one for each.

use crate::algorithms::REGISTRY;
use pfh_digest::{Algorithm, UnknownAlgorithm};
use pfh_pairs::Search;
use pfh_similarity::{MethodName, Score};

/// The least score of two documents: below it two sheets share the form of their rows. Of packages
/// another's file counts. Chosen in one half of the families of `bench/run related`.
const DOCUMENTS: Score = Score::Similarity(30);
const PACKAGES: Score = Score::Similarity(5);

/// A text that is not a threshold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdError {
    /// It names no algorithm.
    #[error(transparent)]
    Algorithm(#[from] UnknownAlgorithm),
    /// It is not a number.
    #[error("a threshold is a number, not {0:?}")]
    Number(String),
    /// It is a similarity above 100.
    #[error("a similarity is at most 100")]
    TooHigh,
}

/// Thresholds by algorithm. Other algorithms have their own.
#[derive(Debug, Clone, Default)]
pub struct Thresholds {
    named: Vec<(Option<String>, u32)>,
    parity: bool,
}

impl Thresholds {
    /// Reads `N` and `NAME=N`; with `parity` the others are those of the reference tools.
    ///
    /// # Errors
    /// When a text names no algorithm or no number.
    pub fn parse(texts: &[String], parity: bool) -> Result<Thresholds, ThresholdError> {
        let mut named = Vec::new();
        for text in texts {
            let (name, number) = match text.split_once('=') {
                Some((name, number)) => (Some(REGISTRY.find(name)?.name().to_owned()), number),
                None => (None, text.as_str()),
            };
            let number: u32 = number.parse().map_err(|_| ThresholdError::Number(number.to_owned()))?;
            named.push((name, number));
        }
        Ok(Thresholds { named, parity })
    }

    /// Refuses a similarity above 100 that is given for one method. `counted` numbers are those of
    /// shared chunks or features, which have no bound.
    ///
    /// # Errors
    /// [`ThresholdError::TooHigh`].
    pub fn check(&self, counted: bool) -> Result<(), ThresholdError> {
        let has_distances =
            |name: &str| MethodName::ALL.iter().any(|method| method.name() == name && method.profile().has_distances());
        let is_high = |(name, number): &(Option<String>, u32)| {
            *number > 100 && name.as_deref().is_some_and(|name| !has_distances(name))
        };
        if !counted && self.named.iter().any(is_high) { Err(ThresholdError::TooHigh) } else { Ok(()) }
    }

    /// The same one for all, or the defaults.
    pub fn one(number: Option<u32>) -> Thresholds {
        Thresholds { named: number.map(|number| (None, number)).into_iter().collect(), parity: false }
    }

    /// The number that was asked for.
    fn given(&self, algorithm: Algorithm) -> Option<u32> {
        let fits = |(name, _): &&(Option<String>, u32)| name.as_deref().is_none_or(|name| name == algorithm.name());
        self.named.iter().rev().find(fits).map(|(_, number)| *number)
    }

    /// Chunks or features that two inputs must share where those decide: the same number, which
    /// then stands for no score.
    pub fn shared(&self, algorithm: Algorithm) -> u64 {
        self.given(algorithm).map_or_else(|| Search::default_shared(algorithm), u64::from)
    }

    /// Whether the threshold of an algorithm was asked for.
    pub fn is_given(&self, algorithm: Algorithm) -> bool {
        self.given(algorithm).is_some()
    }

    /// The threshold of two documents by the windows of their members, or of two packages.
    pub fn of_documents(&self, algorithm: Algorithm, packages: bool) -> Score {
        let default = if packages { PACKAGES } else { DOCUMENTS };
        self.given(algorithm).map_or(default, |number| Score::Similarity(number.min(101) as u8))
    }

    /// The threshold of an algorithm.
    pub fn of(&self, algorithm: Algorithm) -> Score {
        match (self.given(algorithm), Search::default_threshold(algorithm, self.parity)) {
            (None, default) => default,
            (Some(number), Score::Distance(_)) => Score::Distance(number),
            // Above 100 nothing is found, with any number.
            (Some(number), Score::Similarity(_)) => Score::Similarity(number.min(101) as u8),
        }
    }
}
