//! Why images are not searched, or not to the end.

use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::outputs::Refused;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why images are not searched, or not to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There is no image.
    #[error("--sectors needs the name of an image")]
    NoImage,
    /// There is no set.
    #[error("nothing to compare with: give --known FILE, which `pfh known build --blocks SIZES` makes")]
    NoSet,
    /// Blocks have no such size.
    #[error("--sectors {0}: a size of blocks is a power of two from 512 to 1048576")]
    Size(u32),
    /// A set is one of files, or no set.
    #[error("{}: holds no blocks of files: make a set of them with `pfh known build --blocks 512,4096 SET --bad FILES`", shown(.0))]
    NoBlocks(PathBuf),
    /// No set has blocks of a size.
    #[error("--sectors {size}: no set has blocks of that size, but of {}", join(others))]
    NoSuchBlocks {
        /// The size in bytes.
        size: u32,
        /// The sizes that sets have.
        others: Vec<u32>,
    },
    /// A set cannot be opened.
    #[error(transparent)]
    Opening(pfh_known::Error),
    /// A set was damaged: no verdict after that would be worth anything.
    #[error(transparent)]
    Set(#[from] pfh_known::Error),
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, or the sink refused an event.
    #[error("the output failed: {0}")]
    Output(#[source] io::Error),
}

fn join(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Output(error) => Kind::Output(error),
            Error::Opening(_) => Kind::Open,
            Error::Set(_) | Error::Open(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}
