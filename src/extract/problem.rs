//! Why a member is not extracted, beyond the errors that every job has.

use pfh_source::FindingId;
use pfh_source::terminal::{render, shown};
use std::io;
use std::path::PathBuf;

/// Why a member, or the whole, is not extracted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Files are written below a new or empty directory only: nothing there is replaced, and no
    /// link there is followed.
    #[error("{}: the directory is not empty: files are extracted below a new one", shown(.0))]
    NotEmpty(PathBuf),
    /// The target is a file.
    #[error("{}: a file, and no directory", shown(.0))]
    NoDirectory(PathBuf),
    /// The name would leave the directory, or cannot be one of a file.
    #[error("its name leads out of the directory, or is none of a file ({0})")]
    Name(&'static str),
    /// Something of that name was written before: two members have one name here.
    #[error("another member was written under this name")]
    Taken,
    /// The member could not be read to its end: nothing of it is kept.
    #[error("{0}")]
    Unread(pfh_source::Problem),
    /// The file could not be written.
    #[error("not written: {0}")]
    Unwritten(#[source] io::Error),
    /// The file was read back, and holds other bytes than were written.
    #[error("the file reads back other bytes than were written")]
    Differs,
    /// No member has this name, or lies below it; these names are the nearest.
    #[error("no member has this name, or lies below it{}", nearest(.0))]
    Missing(Vec<Vec<u8>>),
    /// More would be written than is allowed: extraction ended there.
    #[error("more than {0} bytes: extraction ends here")]
    Bytes(u64),
    /// More files would be written than are allowed: extraction ended there.
    #[error("more than {0} files: extraction ends here")]
    Files(u64),
}

impl Problem {
    /// The finding that it is.
    pub fn finding(&self) -> FindingId {
        match self {
            Problem::NotEmpty(_) | Problem::NoDirectory(_) => FindingId::ExtractTarget,
            Problem::Name(_) => FindingId::ExtractName,
            Problem::Taken => FindingId::ExtractTaken,
            Problem::Unread(problem) => problem.finding(),
            Problem::Unwritten(_) => FindingId::ExtractUnwritten,
            Problem::Differs => FindingId::ExtractDiffers,
            Problem::Missing(_) => FindingId::ExtractMissing,
            Problem::Bytes(_) | Problem::Files(_) => FindingId::ExtractLimit,
        }
    }

    /// The cause as a word: of a member that could not be read the one that every job has.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::NotEmpty(_) => "not-empty",
            Problem::NoDirectory(_) => "no-directory",
            Problem::Name(_) => "name",
            Problem::Taken => "taken",
            Problem::Unread(problem) => problem.code(),
            Problem::Unwritten(_) => "unwritten",
            Problem::Differs => "differs",
            Problem::Missing(_) => "missing",
            Problem::Bytes(_) => "most-bytes",
            Problem::Files(_) => "most-files",
        }
    }
}

fn nearest(near: &[Vec<u8>]) -> String {
    let near: Vec<String> = near.iter().map(|name| render(name)).collect();
    if near.is_empty() { String::new() } else { format!("; the nearest: {}", near.join(", ")) }
}
