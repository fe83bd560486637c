//! Errors of a check as a whole, where no other job has the cause.

use pfh_ledger::{Counts, ReadError};
use pfh_source::terminal::{render, shown};
use std::path::PathBuf;

/// Errors of a check as a whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A seal to follow is named, and several manifests.
    #[error("a seal is followed by that of one manifest: name one")]
    AfterSeveral,
    /// No manifest is named.
    #[error("no manifest is named")]
    NoManifest,
    /// A manifest is a directory.
    #[error("{} is a directory, and not a manifest", shown(.0))]
    Directory(PathBuf),
    /// The last operand, a list or the directory of the files, is not there.
    #[error("{}: No such file or directory (ENOENT): neither a manifest nor the directory of the files; nothing was read", shown(.0))]
    Absent(PathBuf),
    /// Objects are compared with a manifest by an audit alone.
    #[error("{}: the objects below an address are audited by a manifest: listed files are looked for in a directory", render(.0))]
    Objects(Vec<u8>),
    /// A share is more than nothing and at most the whole.
    #[error("a share of the files is more than nothing and at most the whole")]
    NoShare,
    /// A share is of listed files, in a manifest that is a file.
    #[error("a share is of the files that a manifest lists, which is a file itself: not of an audit or a stream")]
    ShareOfAudit,
    /// Single records are picked from all that a manifest lists.
    #[error("records are picked from all files that a manifest lists: not from a share or an audit")]
    RecordsOfShare,
    /// Another run updates the manifest or checks a share of it.
    #[error("another run of pfh has it open to write: try again when that has ended")]
    Busy,
    /// The state is that of files in another directory.
    #[error("it keeps when files in {} were checked, not those in {}", render(state), render(root))]
    OtherRoot {
        /// Where the files of the state are.
        state: Vec<u8>,
        /// Where those of the check are.
        root: Vec<u8>,
    },
    /// The pieces of the manifest are of different lengths.
    #[error("{}: {}", shown(.0), ReadError::Pieces)]
    Pieces(PathBuf),
    /// The PGP signature of a manifest does not hold.
    #[error("{}: its PGP signature does not hold: the list is not the one that was signed", shown(.0))]
    BadSignature(PathBuf),
    /// The PGP signature of a manifest cannot be verified, and why.
    #[error("{}: not verified: {}", shown(.0), .1)]
    Unverified(PathBuf, String),
    /// An audit without a root whose names have nothing in common: the whole system would be
    /// walked.
    #[error(
        "{}: its names lie in different directories of /, or in one that no list chooses by itself: name the directory, ROOT, that is audited",
        shown(.0)
    )]
    NoRoot(PathBuf),
    /// The caller ended the check; how many files were compared.
    #[error("interrupted: {0} files have a verdict, the rest has none")]
    Interrupted(u64),
    /// The caller ended the check while other algorithms were tried; how many files have no
    /// verdict.
    #[error("interrupted: {0} files have no verdict")]
    InterruptedTrying(usize),
    /// The caller ended an audit, which says nothing before its end.
    #[error("interrupted: the audit is not complete, and says nothing")]
    InterruptedAudit,
    /// The counts of an audit do not add up: a defect of the program.
    #[error("the counts do not add up: {0:?}")]
    Counts(Box<Counts>),
}
