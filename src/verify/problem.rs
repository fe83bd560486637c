//! Why nothing was verified, as facts.

use pfh_source::device::Stop;
use pfh_source::image::OpenError;
use pfh_source::terminal::shown;
use std::path::PathBuf;

/// Why nothing was verified, in the [`job::Error`](crate::job::Error). The fault of an image
/// or its evidence is a [`Finding`](super::Finding) and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Neither an image nor a log is named.
    #[error("neither an image nor a log is named")]
    Nothing,
    /// The image is a list of digests, and nothing is named that it could be compared with.
    #[error("{}: is a list of digests, not an image", shown(.0))]
    List(PathBuf),
    /// The format of the image is not read.
    #[error(transparent)]
    Unread(OpenError),
    /// [`Request::raw`](super::Request::raw) is for an image in one file.
    #[error("only an image in one file can be taken as raw bytes")]
    Pieces,
    /// The file that the image is to be compared with is not there.
    #[error("there is no such file")]
    Absent,
    /// The control cancelled it while the image was read.
    #[error("stopped after {bytes} bytes: {cause}")]
    Stopped {
        /// Bytes that were read.
        bytes: u64,
        /// Why it stopped.
        cause: Stop,
    },
    /// The control cancelled it before or after the image was read.
    #[error("cancelled")]
    Cancelled,
}
