//! The events while an image is verified: something is found, or compared.

use crate::verdict::Comparison;
use pfh_source::FindingId;
use pfh_source::image::OpenError;
use pfh_source::terminal::shown;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// An event while an image is verified.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something was found. It is in the [`Summary`](super::Summary) as well.
    Found(&'a Finding),
    /// Two things were compared. It is in the [`Summary`](super::Summary) as well.
    Compared(&'a Comparison),
}

/// Takes events as they happen; an error ends the job.
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// Something that was found, as a sentence.
#[derive(Debug)]
#[non_exhaustive]
pub enum Finding {
    /// A fact, for neither verdict.
    Note(String),
    /// Something that contradicts the image, or itself.
    Differs(String),
    /// Something that could not be read, understood or compared.
    Open(String),
    /// A note: the log is signed, and no key was given to check by whom.
    Signed {
        /// The chained log.
        log: PathBuf,
    },
    /// Not compared: the name of the image promises a format, and its content is something else.
    Unlike(OpenError),
}

impl Finding {
    /// Whether it contradicts the image, or itself.
    pub fn is_difference(&self) -> bool {
        matches!(self, Finding::Differs(_))
    }

    /// The finding that it is, but for a fact.
    pub fn finding(&self) -> Option<FindingId> {
        Some(match self {
            Finding::Note(_) => return None,
            Finding::Differs(_) => FindingId::VerifyDiffers,
            Finding::Open(_) => FindingId::VerifyOpen,
            Finding::Signed { .. } => FindingId::VerifySigner,
            Finding::Unlike(_) => FindingId::VerifyFormat,
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Note(text) | Finding::Differs(text) | Finding::Open(text) => f.write_str(text),
            Finding::Signed { log } => write!(f, "{}: signed; by whom was not checked: no key was given", shown(log)),
            Finding::Unlike(error) => write!(f, "{error}: it is damaged, or called so by mistake"),
        }
    }
}
