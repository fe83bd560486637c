//! The entries of a logical image: files and directories, by their names from the root on.

use crate::Bytes;
use crate::disk::Failure;
use pfh_digest::Digest;
use std::sync::Arc;

/// Times of an entry, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamps {
    /// Last change of the content.
    pub modified: Option<i128>,
    /// Last access.
    pub accessed: Option<i128>,
    /// Last change of the metadata.
    pub changed: Option<i128>,
    /// Creation.
    pub born: Option<i128>,
    /// Deletion.
    pub deleted: Option<i128>,
}

/// A file or directory of a logical image.
pub struct Entry {
    /// Names from the root on, each as the image has it; a name may hold a slash.
    pub path: Vec<Vec<u8>>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// The number by which the image knows it.
    pub id: Option<u64>,
    /// Its times.
    pub stamps: Stamps,
    /// The digests of its content that the image states.
    pub digests: Vec<Digest>,
    /// Its content; `None` for a directory. An error stands for a content that is missing.
    pub content: Option<Result<Arc<dyn Bytes>, Failure>>,
}

/// Bytes of the names on a path, at most: each entry holds those above it.
const LONGEST: usize = 64 << 10;

/// Whether the names on a path are longer than those of any system.
pub fn is_too_long(path: &[Vec<u8>]) -> bool {
    path.iter().map(|name| name.len() + 1).sum::<usize>() > LONGEST
}

/// An entry that cannot be listed, with the names above it.
pub type UnlistedEntry = (Vec<Vec<u8>>, Failure);

/// The entries of an image, in its order.
pub type Entries = Box<dyn Iterator<Item = Result<Entry, UnlistedEntry>> + Send>;

/// A failure in a segment, from 1.
pub fn within(segment: usize, failure: Failure) -> Failure {
    match failure {
        Failure::Malformed { offset, what } => {
            Failure::Malformed { offset, what: format!("in segment {segment}: {what}") }
        }
        other => other,
    }
}
