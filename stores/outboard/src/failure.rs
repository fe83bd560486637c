//! Why a tree is not built, changed or compared.

use pfh_digest::hex;
use pfh_source::terminal::shown;
use pfh_source::{Cause, Problem};
use pfh_tree::WireError;
use pfh_tree::flat::Name;
use pfh_tree::outboard::{TreeKeyError, WrongChange};
use std::io;
use std::path::{Path, PathBuf};

/// Why it failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file could not be read, or changed meanwhile.
    #[error("{}: {}", shown(.file), reason(.problem))]
    Read {
        /// The file.
        file: PathBuf,
        /// The fault.
        #[source]
        problem: Problem,
    },
    /// The tree file is none, or damaged.
    #[error("{}: no tree that can be used: {malformed}", shown(.file))]
    Tree {
        /// The tree file.
        file: PathBuf,
        /// The fault.
        malformed: WireError,
    },
    /// The tree needs its key, which is missing, is another, or is none.
    #[error("{}: {why}", shown(.tree))]
    Locked {
        /// The tree file.
        tree: PathBuf,
        /// Why.
        why: TreeKeyError,
    },
    /// The tree could not be written; the old one is still there.
    #[error("{}: {error}", shown(.file))]
    Write {
        /// The tree file.
        file: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The file has another length than its tree says.
    #[error("{}: has {found} bytes, its tree is of {stated}: it was appended to, or needs another tree", shown(.file))]
    Length {
        /// The file.
        file: PathBuf,
        /// Bytes of the file when its tree was made.
        stated: u64,
        /// Bytes that it has now.
        found: u64,
    },
    /// A range that lies outside of the file.
    #[error("{}: has no range from byte {start} to byte {end}", shown(.file))]
    Range {
        /// The file.
        file: PathBuf,
        /// First byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
    /// The tree is not the one whose root was kept: it was changed by others, or made again.
    #[error("{}: has the root {}, not {}, which was kept: it is not brought up to date", shown(.tree), hex::encode(.found), hex::encode(.kept))]
    OtherTree {
        /// The tree file.
        tree: PathBuf,
        /// The root that was kept.
        kept: Vec<u8>,
        /// The root of the tree that is there.
        found: Vec<u8>,
    },
    /// The file does not give the root that was kept of its beginning.
    #[error("{}: its first {length} bytes do not give the root that was kept: its tree is not brought up to date", shown(.file))]
    OtherFile {
        /// The file.
        file: PathBuf,
        /// Bytes that it had.
        length: u64,
    },
    /// The tree has two levels, and no paths.
    #[error("{}: is a tree of two levels ({name}): this needs one of pairs, by blake3, sha256 or sha3-256", shown(.tree))]
    TwoLevels {
        /// The tree file.
        tree: PathBuf,
        /// The algorithm.
        name: Name,
    },
    /// The change does not fit the tree.
    #[error("{0}")]
    Change(#[from] WrongChange),
    /// The caller asked to end.
    #[error("interrupted: no tree beyond those named was changed")]
    Cancelled,
}

/// Why a file cannot be read by ranges, with a way out that the commands over trees have.
pub fn reason(problem: &Problem) -> String {
    match problem.cause {
        Cause::IsDirectory => "is a directory: name the files in it (`pfh tree build -r` takes all below it)".into(),
        Cause::Special(kind) => {
            format!("is a {kind}: trees are of files and block devices (`pfh tree build -` reads a stream)")
        }
        _ => problem.to_string(),
    }
}

impl Failure {
    pub(crate) fn read(path: &Path) -> impl FnOnce(Problem) -> Failure + use<'_> {
        |problem| Failure::Read { file: path.to_owned(), problem }
    }
}
