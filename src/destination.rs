//! Where the output of a job goes.

use pfh_source::terminal;
use pfh_source::{Around, Output};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Where the output of a job goes.
#[derive(Clone)]
#[non_exhaustive]
pub enum Destination {
    /// Standard output. Each write happens inside the function, if there is one: progress on the
    /// same terminal steps aside.
    Standard(Option<Around>),
    /// A file that appears whole or not at all.
    File(PathBuf),
}

/// An output that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", terminal::shown(path))]
#[non_exhaustive]
pub struct OpenError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub error: io::Error,
}

impl Default for Destination {
    fn default() -> Self {
        Destination::Standard(None)
    }
}

impl<P: Into<PathBuf>> From<P> for Destination {
    fn from(path: P) -> Self {
        Destination::File(path.into())
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Destination::Standard(_) => f.write_str("Standard"),
            Destination::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

impl Destination {
    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Destination::Standard(_) => None,
            Destination::File(path) => Some(path),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn open(&self) -> Result<Output, OpenError> {
        match self {
            Destination::Standard(around) => Ok(Output::standard().around(around.clone())),
            Destination::File(path) => match Output::file(path) {
                Ok(output) => Ok(output.named(path)),
                Err(error) => Err(OpenError { path: path.clone(), error }),
            },
        }
    }
}
