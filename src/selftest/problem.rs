//! Why nothing was tested.

use std::fmt;

/// A cause.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It is a file.
    NoDirectory,
    /// Nothing can be made in the directory: the system's words.
    Closed(String),
    /// The control cancelled the job.
    Cancelled,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoDirectory => f.write_str("is not a directory"),
            Problem::Closed(why) => write!(f, "nothing can be made in this directory: {why}"),
            Problem::Cancelled => f.write_str("the test was not finished, and its files are removed"),
        }
    }
}

impl std::error::Error for Problem {}
