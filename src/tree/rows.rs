//! The results of verbs that compare or judge.

use super::Parameters;
use pfh_manifest::row::Words;
use pfh_source::FindingId;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// One of two files, by its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Side {
    /// The name in the request.
    pub path: PathBuf,
    /// Its root.
    pub root: Vec<u8>,
    /// Its bytes.
    pub length: u64,
}

/// How two files compare.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileComparison {
    /// One file.
    pub one: Side,
    /// The other.
    pub other: Side,
    /// The function or the algorithm of both trees.
    pub algorithm: String,
    /// Leaves of one tree.
    pub leaves: u64,
    /// Byte ranges that differ: whole leaves, joined where they touch, in ascending order.
    pub differ: Vec<Range<u64>>,
}

impl FileComparison {
    /// Whether the files are the same.
    pub fn is_same(&self) -> bool {
        self.differ.is_empty() && self.one.root == self.other.root
    }
}

/// The part of a file that a proof shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProofPart {
    /// Which part of the file, in bytes.
    pub range: Range<u64>,
    /// Bytes of the whole file.
    pub length: u64,
    /// Function and leaf length of its tree.
    pub parameters: Parameters,
}

/// The verdict over a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// The proof.
    pub proof: PathBuf,
    /// The root of the whole file.
    pub root: [u8; 32],
    /// The part that it shows, or why it shows nothing.
    pub shown: Result<ProofPart, String>,
}

/// Whose root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// Linux's fs-verity: the output of `fsverity digest`.
    FsVerity,
    /// Amazon S3's ETag of a multipart upload (of files shorter than a part: of a single one).
    S3Etag,
    /// Amazon S3's composite SHA-256 checksum of a multipart upload.
    S3Sha256,
    /// Amazon S3's composite SHA-1 checksum of a multipart upload.
    S3Sha1,
    /// Amazon S3 Glacier's SHA-256 tree hash.
    Glacier,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::FsVerity => "fs-verity",
            Scheme::S3Etag => "s3-etag",
            Scheme::S3Sha256 => "s3-sha256",
            Scheme::S3Sha1 => "s3-sha1",
            Scheme::Glacier => "glacier",
        })
    }
}

/// The root of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// The file.
    pub file: PathBuf,
    /// Whose root.
    pub form: Scheme,
    /// The root, as the other program writes it.
    pub value: String,
    /// The value that was expected, if one was.
    pub expected: Option<String>,
}

impl Root {
    /// Whether the file has the value that was expected; `None` if none was.
    pub fn is_expected(&self) -> Option<bool> {
        self.expected.as_ref().map(|expected| expected.trim_matches('"') == self.value)
    }
}

/// How an entry differs from that of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// It was not there.
    Added,
    /// Its size or digest was another.
    Changed,
    /// It is gone.
    Removed,
}

impl Words for Difference {
    const ALL: &'static [Difference] = &[Difference::Added, Difference::Changed, Difference::Removed];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Difference {
    /// The finding that it is, where a directory is checked.
    pub fn finding(self) -> FindingId {
        match self {
            Difference::Added => FindingId::TreeAdded,
            Difference::Changed => FindingId::TreeDiffers,
            Difference::Removed => FindingId::TreeRemoved,
        }
    }

    /// `added`, `changed` or `removed`.
    pub fn name(self) -> &'static str {
        match self {
            Difference::Added => "added",
            Difference::Changed => "changed",
            Difference::Removed => "removed",
        }
    }
}
