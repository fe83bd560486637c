//! Errors of a comparison as a whole, where no other job has the cause.

use crate::check;

/// Errors of a comparison as a whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A cache keeps no digests of pieces, which the list has.
    #[error("a cache keeps no digests of pieces, which the list has")]
    Pieces,
    /// Objects have no times of their files, and no digests of them are kept.
    #[error("{}: {} is of files: the digests of objects are compared, and nothing else", pfh_source::terminal::render(.0), .1)]
    Objects(Vec<u8>, &'static str),
    /// The caller ended the comparison, which says nothing before its end.
    #[error("interrupted: the comparison is not complete, and says nothing")]
    Interrupted,
    /// The counts do not add up: a defect of the program.
    #[error("the counts do not add up: {0:?}")]
    Counts(Box<check::Counts>),
}
