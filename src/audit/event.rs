//! The events of all steps.

use super::AuditVerdict;
#[cfg(feature = "serve")]
use super::ServedRequest;
use super::renewed::FileRenewal;
use crate::job::Error;
use std::io;
#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::path::Path;

/// An event of a step. Events come on the thread that called its `run`.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An answer was judged, or could not be had.
    Judged(&'a AuditVerdict),
    /// Files of a set that proved their part, where others did not.
    Partly {
        /// The set.
        name: &'a [u8],
        /// Files that proved their part.
        proved: usize,
        /// Files of the set.
        of: usize,
    },
    /// The last token of this file was used.
    LastToken(&'a Path),
    /// A round of several could not be asked.
    Missed(&'a Error),
    /// A question was asked and answered on the stage.
    Staged(&'a super::scene::Scene),
    /// A commitment follows a change of the file.
    Renewed(&'a FileRenewal),
    /// The server listens here.
    #[cfg(feature = "serve")]
    Listening {
        /// Its address.
        address: SocketAddr,
        /// Files that it answers for.
        files: usize,
        /// The directory.
        directory: &'a Path,
    },
    /// The server answered or refused a request.
    #[cfg(feature = "serve")]
    Answered(&'a ServedRequest),
}

/// Receives the events. An error ends the step with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;
