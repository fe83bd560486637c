//! The request for a test.

use std::ffi::OsString;
use std::path::PathBuf;

/// The directory to test, and how much is done there.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// A directory in which files may be made.
    pub directory: PathBuf,
    /// The words of a command that prints the line of [`digests`](super::digests), run with each
    /// level of `PFH_ISA` in its environment. Without it this process's level alone is tested.
    pub again: Vec<OsString>,
    /// Bytes that are written and read to measure speeds.
    pub bytes: u64,
}

impl Request {
    /// This directory.
    pub fn new(directory: impl Into<PathBuf>) -> Request {
        Request { directory: directory.into(), again: Vec::new(), bytes: 64 << 20 }
    }

    /// Runs this command for each instruction set.
    #[must_use]
    pub fn again(mut self, words: impl IntoIterator<Item = impl Into<OsString>>) -> Request {
        self.again = words.into_iter().map(Into::into).collect();
        self
    }

    /// Measures speeds with this many bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Request {
        self.bytes = bytes;
        self
    }
}
