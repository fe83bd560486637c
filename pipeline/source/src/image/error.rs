//! Why an image is not opened.

use pfh_container::disk::{self, Kind};
use pfh_container::ewf;
use pfh_container::foreign::Unread;
use std::io;
use std::path::PathBuf;

/// Why an image cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file of it cannot be opened or read.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// It is not a sound E01 image.
    #[error("{}: not a sound E01 image: {failure}", path.display())]
    Ewf {
        /// The first segment's name.
        path: PathBuf,
        /// The fault.
        failure: ewf::Failure,
    },
    /// It is a disk image that is not sound, or of a kind that is not read.
    #[error("{}: {} image: {failure}", path.display(), kind.name())]
    Disk {
        /// The first file's name.
        path: PathBuf,
        /// Its format.
        kind: Kind,
        /// The fault.
        failure: disk::Failure,
    },
    /// Its content states a format that is not read.
    #[error("{}: the format {} ({}) is not read", path.display(), format.name, format.hint)]
    Unread {
        /// The first file's name.
        path: PathBuf,
        /// Which format.
        format: Unread,
    },
    /// Its name promises a format, and its content is something else: damaged, or wrongly named.
    #[error("{}: its name says {format}, and its first bytes do not", path.display())]
    Mismatch {
        /// The first file's name.
        path: PathBuf,
        /// The format that the name promises.
        format: &'static str,
    },
    /// It is a later segment or piece of an image.
    #[error("{}: a later part of an image: name the first segment{}", path.display(), first.as_ref().map(|first| format!(", {}", first.display())).unwrap_or_default())]
    Later {
        /// The file's name.
        path: PathBuf,
        /// The first one's, where it is known.
        first: Option<PathBuf>,
    },
    /// Its name is that of a first piece, and the next one by name is there, but its size is not
    /// that of a next piece.
    #[error("{}: {} lies beside it and may be its next piece, or another image: rename the pieces to NAME.000, NAME.001 and so on, or take the file alone", path.display(), next.display())]
    Unclear {
        /// The file's name.
        path: PathBuf,
        /// The file that may be the next piece.
        next: PathBuf,
    },
    /// A piece is missing, empty, cut or too long.
    #[error("{}: its pieces are not whole: {} {why}", path.display(), piece.file_name().unwrap_or_default().to_string_lossy())]
    Broken {
        /// The first file's name.
        path: PathBuf,
        /// The piece.
        piece: PathBuf,
        /// The fault of it.
        why: String,
    },
}

impl OpenError {
    /// The fault, without the name.
    pub fn what(&self) -> String {
        match self {
            OpenError::Io { error, .. } => error.to_string(),
            OpenError::Ewf { failure, .. } => format!("not a sound E01 image: {failure}"),
            OpenError::Disk { kind, failure, .. } => format!("{} image: {failure}", kind.name()),
            OpenError::Unread { format, .. } => format!("the format {} ({}) is not read", format.name, format.hint),
            OpenError::Mismatch { format, .. } => format!("its name says {format}, and its first bytes do not"),
            OpenError::Later { path, .. } | OpenError::Unclear { path, .. } | OpenError::Broken { path, .. } => {
                let text = self.to_string();
                text.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&text).to_owned()
            }
        }
    }
}
