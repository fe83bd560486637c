//! Why a run has no manifest, or an incomplete one.

use super::CacheError;
use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::input::InputError;
use crate::outputs::Refused;
use crate::pass::ends_a_pass;
use crate::seal;
use pfh_manifest::{Format, Unrepresentable};
use pfh_source::terminal;
use std::io;
use std::path::PathBuf;

/// Why a run has no manifest, or an incomplete one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The format has no place for digests of windows.
    #[error("-f {} has no form for --piecewise: use hashdeep, dfxml, jsonl or csv", .0.name())]
    Pieces(Format),
    /// The format cannot hold these algorithms, or this layout.
    #[error("-f {}: {why}", format.name())]
    Format {
        /// The format.
        format: Format,
        /// Why.
        why: Unrepresentable,
    },
    /// The cache cannot be used.
    #[error("{}: {error}", terminal::render(path.as_os_str().as_encoded_bytes()))]
    Cache {
        /// The cache.
        path: PathBuf,
        /// Why.
        error: CacheError,
    },
    /// Digests under a key are not kept: a cache does not know the key.
    #[error("{0} is under a key, which a cache does not know: leave out --cache")]
    KeyedCache(pfh_digest::Algorithm),
    /// Objects have no change time by which a cache could know that they are as they were.
    #[error("{}: --cache keeps digests of files, not of objects: leave it out for them", terminal::render(.0))]
    ObjectCache(Vec<u8>),
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The run could not begin.
    #[error(transparent)]
    Run(pfh_engine::Error),
    /// The manifest is whole, and its seal was not written.
    #[error(transparent)]
    Seal(#[from] seal::FileError),
}

ends_a_pass!(Error);

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Input(error) => error.kind(),
            Error::Refused(_) | Error::Pieces(_) | Error::Format { .. } => Kind::Request,
            Error::Cache { .. } | Error::ObjectCache(_) => Kind::Request,
            _ => Kind::Aborted,
        }
    }
}
