//! Why nothing can be said of a bag, or nothing was made of it.

use crate::failure::{JobError, Kind};
use crate::outputs::Refused;
use crate::pass::ends_a_pass;
use crate::shown;
use std::io;
use std::path::PathBuf;

/// Why nothing can be said of a bag, or nothing was made of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such folder.
    #[error("{}: {error}", shown(path))]
    Open {
        /// The bag.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A new bag has nothing in it to pack.
    #[error("{}: there is no folder data in it: put what is to be packed there first (mkdir -p BAG/data && mv FILES BAG/data)", shown(.0))]
    NoData(PathBuf),
    /// There is a bag already.
    #[error("{}: is a bag already: `pfh bag update` makes its manifests those of its files", shown(.0))]
    IsBag(PathBuf),
    /// What is to be updated is no bag that can be read.
    #[error("{}: cannot be updated: {why}", shown(path))]
    NoBag {
        /// The bag.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// An output is in the way.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Digests of this algorithm are no checksums.
    #[error(
        "{0} has no manifests in a bag: equal files need not have equal digests, or unequal ones different digests"
    )]
    Algorithm(String),
    /// A label or a value has a form that bag-info.txt cannot hold.
    #[error("{0:?} is not a line of bag-info.txt: write LABEL=VALUE, the label without a colon or a space at its ends")]
    Info(String),
    /// Files that cannot be in a manifest: nothing was written.
    #[error("{0} of the files could not be read or listed, see above: nothing was written")]
    Files(u64),
    /// Contents that are not those of the manifests: nothing was written.
    #[error(
        "the content of {0} listed above is not what the manifests say: nothing was written; --force takes them as they are"
    )]
    Changed(u64),
    /// A file could not be written.
    #[error("{}: {error}", shown(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The caller ended the job: nothing was written.
    #[error("interrupted: nothing was written, and nothing is said")]
    Interrupted,
    /// The sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The files could not be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
}

ends_a_pass!(Error);

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Interrupted => Kind::Cancelled,
            Error::Changed(_) => Kind::Negative,
            Error::Files(_) | Error::Open { .. } => Kind::Open,
            Error::Write { .. } | Error::Run(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}
