//! Errors of a request, beyond those that every job has.

use pfh_source::terminal;
use std::path::PathBuf;

/// Errors of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// An index cannot be made of an index.
    #[error("{}: an index is made of a list, and this is an index", terminal::shown(.0))]
    IsIndex(PathBuf),
    /// The list holds no digests.
    #[error("{}: no list of digests", terminal::shown(.0))]
    NoList(PathBuf),
}
