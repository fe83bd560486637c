//! The statements of a CASE document.

use crate::acquire::{CaseData, Origin, Request, TargetComparison, To};
use pfh_engine::imaging::ImagingResult;
use pfh_source::Time;
use pfh_source::device::{Facts, Kind, Medium};
use pfh_source::terminal::shown;

/// The source, as far as the system knows it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The kind of medium.
    pub kind: Kind,
    /// Its size in bytes, where it is known.
    pub size: Option<u64>,
    /// The kernel's words.
    pub facts: &'a Facts,
}

impl<'a> From<&'a Medium> for Source<'a> {
    fn from(medium: &'a Medium) -> Self {
        Source { kind: medium.kind(), size: medium.size(), facts: medium.facts() }
    }
}

/// The statements of a document.
#[derive(Debug, Clone, Copy)]
pub struct Account<'a> {
    /// The request.
    pub asked: &'a Request,
    /// The targets that hold the image.
    pub targets: &'a [To],
    /// Case number, evidence number, examiner, description and notes.
    pub about: &'a CaseData,
    /// The source that the image was read from.
    pub source: Source<'a>,
    /// The result: complete, that is, not [`stopped`](ImagingResult::stopped).
    pub imaged: &'a ImagingResult,
    /// How the targets compared, in their order; empty where nothing was compared.
    pub compared: &'a [TargetComparison],
    /// Bytes that were there from an earlier run, with which this one was resumed.
    pub resumed_at: u64,
    /// When it began.
    pub started: Time,
    /// When the last target was complete, and compared where that was asked for.
    pub ended: Time,
    /// How the program was called.
    pub command_line: &'a str,
}

impl Account<'_> {
    /// The source as the user called it.
    pub(super) fn source_name(&self) -> String {
        match self.asked.source.path() {
            None => "a pattern".into(),
            Some(_) if self.source.kind == Kind::Stream => "standard input".into(),
            Some(path) => shown(path),
        }
    }

    /// Whether the source is the content of an image.
    pub(super) fn is_image(&self) -> bool {
        matches!(self.asked.source, Origin::Image(_))
    }
}
