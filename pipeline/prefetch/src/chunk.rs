//! Bytes that readers hand to workers.

use crate::budget::Slab;
use pfh_source::{Entry, Loan, Problem, ReadResult};
use std::ops::Range;
use std::sync::Arc;

/// Bytes inside a slab, or the permit for as many that are where their reader holds them; the
/// slab's permit returns when the last of these is dropped.
#[derive(Clone)]
pub struct Bytes {
    slab: Option<Arc<Slab>>,
    range: Range<usize>,
    loan: Option<Loan>,
}

impl Bytes {
    /// A part of a slab.
    pub fn new(slab: Arc<Slab>, range: Range<usize>) -> Self {
        Bytes { slab: Some(slab), range, loan: None }
    }

    /// The same, of bytes that are lent where there is a loan.
    pub fn lent(self, loan: Option<Loan>) -> Self {
        Bytes { loan, ..self }
    }

    /// Only the first `length` bytes of these.
    pub fn first(mut self, length: usize) -> Self {
        self.range.end = self.range.start + length.min(self.range.len());
        self
    }

    /// No bytes; holds no memory.
    pub fn empty() -> Self {
        Bytes { slab: None, range: 0..0, loan: None }
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.loan {
            Some(loan) => &loan[..self.range.len()],
            None => self.slab.as_ref().map_or(&[], |slab| &slab.bytes()[self.range.clone()]),
        }
    }
}

/// How a read ended: complete and consistent, or not.
pub type End = Result<ReadResult, Problem>;

/// A piece of one entry's stream. Chunks of one entry come in offset order; the last one carries
/// the end.
#[derive(Clone)]
pub struct Chunk {
    /// Whose bytes these are.
    pub entry: Arc<Entry>,
    /// Where in the stream they start, in bytes.
    pub offset: u64,
    /// The bytes.
    pub bytes: Bytes,
    /// Present on the last chunk.
    pub end: Option<End>,
}
