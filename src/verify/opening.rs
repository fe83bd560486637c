//! Opening the image, and the statements of its log where it cannot be opened.

use super::Problem;
use super::event::Finding;
use super::findings::Findings;
use super::log::Log;
use crate::acquire::logged::{LoggedTarget, Part};
use crate::job::Error;
use crate::verdict::Subject;
use pfh_container::{disk, ewf};
use pfh_source::image::{Image, OpenError};
use pfh_source::terminal::shown;
use std::io;
use std::path::Path;

/// An image, or that there is none: the reason is among the findings.
pub(super) enum OpenImage {
    /// The image.
    Image(Box<Image>),
    /// Its name promises a format (this one), and its first bytes are something else.
    Other(&'static str),
    /// It cannot be read.
    Nothing,
}

/// Opens the image.
///
/// # Errors
/// When there is no such file, or its format is not read.
pub(super) fn open(path: &Path, raw: bool, findings: &mut Findings) -> Result<OpenImage, Error> {
    let opened = if raw { Image::open_raw(path) } else { Image::open(path) };
    match opened {
        Ok(image) => return Ok(OpenImage::Image(Box::new(image))),
        Err(OpenError::Io { error, path })
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) =>
        {
            return Err(Error::input(OpenError::Io { error, path }));
        }
        Err(error @ (OpenError::Unread { .. } | OpenError::Later { .. })) => {
            return Err(Error::request(Problem::Unread(error)));
        }
        Err(error @ OpenError::Disk { failure: disk::Failure::Refused(_), .. }) => {
            return Err(Error::request(Problem::Unread(error)));
        }
        Err(error @ (OpenError::Io { .. } | OpenError::Unclear { .. })) => findings.open(error.to_string()),
        Err(OpenError::Mismatch { format, path }) => {
            findings.enter(Finding::Unlike(OpenError::Mismatch { format, path }));
            return Ok(OpenImage::Other(format));
        }
        Err(error @ OpenError::Broken { .. }) => {
            let by = format!("the pieces of {}", shown(path));
            findings.contradicts(Subject::Image, "the numbers and sizes of the pieces", &by, error.to_string());
        }
        // The system's errors say nothing of the image.
        Err(
            OpenError::Ewf { failure: ewf::Failure::Io { error, .. }, path }
            | OpenError::Disk { failure: disk::Failure::Io(error), path, .. },
        ) if error.raw_os_error().is_some() => findings.open(format!("{}: it cannot be read: {error}", shown(&path))),
        Err(error @ (OpenError::Ewf { .. } | OpenError::Disk { .. })) => {
            let by = format!("{} itself", shown(path));
            findings.contradicts(Subject::Image, "the structure of the image", &by, error.to_string());
        }
    }
    Ok(OpenImage::Nothing)
}

/// Compares the statements of the logs on an image that cannot be opened: the sizes and digests of
/// its files, and the format that it was written in.
pub(super) fn unopened(path: &Path, promised: Option<&str>, logs: &[Log], findings: &mut Findings) {
    for log in logs {
        log.beside(Some(path), findings);
        let is_e01 = |target: &LoggedTarget| target.format.as_deref() == Some("E01");
        let stated = log.part.as_ref().and_then(|part: &Part| part.target(path)).is_some_and(is_e01);
        if let (Some("E01"), true) = (promised, stated) {
            let (by, name) = (shown(&log.path), shown(path));
            let text =
                format!("{name}: {by} states that it was written as E01, and its first bytes are not those of one");
            findings.contradicts(Subject::Image, "the format of the image", &by, text);
        }
    }
}
