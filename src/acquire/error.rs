//! Why an acquisition did not end well.

use crate::failure::{JobError, Kind};
use crate::outputs::Refused;
use crate::shown;
use pfh_custody::chain::Broken;
use pfh_custody::key::KeyError;
use pfh_engine::imaging::ImagingError;
use pfh_source::device::Stop;
use pfh_source::image::OpenError;
use std::io;
use std::path::PathBuf;

/// Why nothing was acquired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source cannot be opened.
    #[error("{}: {problem}", shown(path))]
    Source {
        /// Which.
        path: PathBuf,
        /// Why.
        problem: pfh_source::Problem,
    },
    /// The source is an image that is not sound.
    #[error("{0}")]
    Image(#[from] OpenError),
    /// A file to be written is one that is read, or somebody else's. Nothing was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A target cannot be opened or written.
    #[error("{}: {error}", shown(path))]
    Target {
        /// Which.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The map cannot be read or written.
    #[error("{}: {error}", shown(path))]
    Map {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A target is not what was written: its first `from` bytes are, those up to `upto` are not.
    #[error(
        "{}: it was changed since it was written, between offsets {from} and {upto} of the image: nothing was written; start over with --force",
        shown(path)
    )]
    Changed {
        /// Which.
        path: PathBuf,
        /// Up to here it is as it was, in bytes of the image.
        from: u64,
        /// Here its digest is another one than the map states.
        upto: u64,
    },
    /// The imaging itself.
    #[error(transparent)]
    Imaging(ImagingError),
    /// The request makes no sense.
    #[error("{0}")]
    Usage(String),
    /// There is no key to sign with.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The log belongs to something else, or cannot be opened. Nothing was written.
    #[error(transparent)]
    LogRefused(#[from] LogError),
    /// A log that was begun cannot be written.
    #[error("the log cannot be written: {0}")]
    Log(io::Error),
    /// The CASE document must not or cannot be written. Nothing was acquired.
    #[error("{}: {error}", shown(path))]
    CaseRefused {
        /// Its name.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The acquisition is complete, and its CASE document cannot be written.
    #[error("{}: {CASE_UNWRITTEN}: {error}", shown(path))]
    Case {
        /// Its name.
        path: PathBuf,
        /// What the system reported.
        error: io::Error,
    },
    /// The image of a finished acquisition is not what its log states.
    #[error("acquired before, and changed since: the image is not what {} states, by {algorithms}", shown(log))]
    ChangedSince {
        /// The chained log.
        log: PathBuf,
        /// The algorithms that were compared.
        algorithms: String,
    },
    /// The map of a finished acquisition is not what its log states.
    #[error("{0}: nothing was written")]
    Contradiction(String),
    /// The comparison of an image that is complete was stopped.
    #[error("stopped: {0}")]
    NotCompared(Stop),
    /// The acquisition ended before its end. What is written stays.
    #[error("stopped after {bytes} bytes: {cause}{}", if *resumable { "; the same command resumes here" } else { "" })]
    Stopped {
        /// Bytes of the image that were read.
        bytes: u64,
        /// Why.
        cause: Stop,
        /// Whether the same request resumes: without a map it cannot.
        resumable: bool,
    },
}

/// Why a log is not opened. Nothing was written to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// It is that of a finished acquisition.
    #[error("{}: the log of a finished acquisition: name another one with --log", shown(path))]
    Finished {
        /// The chained log.
        path: PathBuf,
    },
    /// It is that of an acquisition into other targets.
    #[error("{}: the log of an acquisition into other targets: name another one with --log", shown(path))]
    OtherTargets {
        /// The chained log.
        path: PathBuf,
    },
    /// Another run writes it.
    #[error("{}: another run is writing the log of this acquisition: wait for its end", shown(path))]
    Busy {
        /// The chained log.
        path: PathBuf,
    },
    /// Its chain is broken.
    #[error("{}: {error}", shown(path))]
    Broken {
        /// The chained log.
        path: PathBuf,
        /// Where.
        error: Broken,
    },
    /// It cannot be opened.
    #[error("{}: {error}", shown(path))]
    Io {
        /// The log.
        path: PathBuf,
        /// What the system reported.
        error: io::Error,
    },
}

/// How messages about a CASE document begin.
pub(super) const CASE_UNWRITTEN: &str = "the CASE document cannot be written";

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Source { .. } => Kind::Open,
            Error::Image(OpenError::Io { .. }) => Kind::Open,
            Error::Key(error) => error.kind(),
            Error::Stopped { cause: Stop::Cancelled, .. } | Error::NotCompared(Stop::Cancelled) => Kind::Cancelled,
            Error::Usage(_)
            | Error::Refused(_)
            | Error::LogRefused(_)
            | Error::CaseRefused { .. }
            | Error::Image(
                OpenError::Unread { .. }
                | OpenError::Mismatch { .. }
                | OpenError::Disk { .. }
                | OpenError::Later { .. }
                | OpenError::Unclear { .. },
            ) => Kind::Request,
            Error::Changed { .. } | Error::ChangedSince { .. } | Error::Contradiction(_) => Kind::Negative,
            _ => Kind::Aborted,
        }
    }
}
