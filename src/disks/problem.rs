//! Why there is no list.

use pfh_source::terminal::shown;
use std::fmt;
use std::path::PathBuf;

/// A cause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The kernel's list of block devices is not there.
    NoList(PathBuf),
    /// The control cancelled the job.
    Cancelled,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoList(path) => write!(f, "{}: there is no list of block devices", shown(path)),
            Problem::Cancelled => f.write_str("the disks were not listed"),
        }
    }
}

impl std::error::Error for Problem {}
