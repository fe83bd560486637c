//! A message that is open in a lane.

use pfh_source::{Entry, Loan, Reading};
use std::ops::Range;
use std::sync::Arc;

/// Where in an arena a piece is, or would be if it were not lent.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) slab: usize,
    pub(crate) range: Range<usize>,
    pub(crate) loan: Option<Loan>,
}

/// A message that is open in a lane.
pub struct Open<S> {
    /// Which.
    pub entry: Arc<Entry>,
    /// Where its reading stands.
    pub reading: Reading,
    /// One for each unit; none before its first piece.
    pub states: Vec<S>,
    pub(crate) place: Option<Place>,
}

impl<S> Open<S> {
    /// Bytes that it is still to have as far as that is known.
    pub fn left(&self) -> u64 {
        self.reading.size_hint().saturating_sub(self.reading.offset())
    }
}
