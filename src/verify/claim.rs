//! A digest that is stated of an image or of its files.

use pfh_digest::Digest;
use std::path::PathBuf;

/// The subject of a stated digest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Of {
    /// The imaged medium.
    Content,
    /// One of the image's files, as it is.
    File(PathBuf),
    /// The bytes that a program copied into the image, which may have more before and behind them.
    Copied {
        /// Where it starts in the image, in bytes; `None` if the program does not state it.
        offset: Option<u64>,
        /// Its length in bytes; `None` if the program does not state it.
        length: Option<u64>,
    },
}

impl Of {
    /// Whether this range of `size` bytes is all that the digest covers, so that another digest of
    /// it is a difference.
    pub(super) fn is_all_of(&self, (offset, length): (u64, u64), size: u64) -> bool {
        let is_whole = (offset, length) == (0, size);
        match self {
            Of::Content | Of::File(_) => is_whole,
            Of::Copied { offset: Some(start), length: stated } => (*start, *stated) == (offset, Some(length)),
            Of::Copied { offset: None, length: stated } => is_whole && *stated == Some(size),
        }
    }

    /// Why a digest that differs from that of all `size` bytes states nothing of them.
    pub(super) fn gap(&self, size: u64) -> String {
        match self {
            Of::Copied { length: None, .. } => "it does not state how many bytes it covers".to_owned(),
            Of::Copied { length: Some(length), .. } if *length > size => {
                format!("it covers {length} bytes, and the image has {size}")
            }
            Of::Copied { length: Some(length), .. } => {
                format!("it covers {length} of {size} bytes, and does not state which")
            }
            Of::Content | Of::File(_) => "it covers another range".to_owned(),
        }
    }
}

/// A digest that is stated somewhere.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The digest.
    pub digest: Digest,
    /// Its subject.
    pub of: Of,
    /// Who states it.
    pub by: String,
}
