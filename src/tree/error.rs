//! Why a verb over trees has no result.

use super::Failure;
use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::outputs::Refused;
use crate::shown;
use pfh_digest::hex;
use pfh_outboard::CatalogueError;
use pfh_tree::range::NoRange;
use std::io;
use std::path::PathBuf;

/// Why a verb over trees has no result. That a file differs from its tree is a finding in the
/// summary, and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A file or a tree cannot be read, used or written; the change does not fit; or the control
    /// cancelled the verb.
    #[error(transparent)]
    Tree(#[from] Failure),
    /// The tree of a stream has no place of its own.
    #[error("standard input has no name: state where its tree goes with --outboard TREE")]
    NoName,
    /// A directory that has no name beside which its catalogue could lie, or that has no such verb.
    #[error("{}: is a directory: its catalogue goes where --outboard says; `pfh tree build -r` builds the trees of the files below it", shown(.0))]
    Directory(PathBuf),
    /// What an auditor keeps cannot be used.
    #[error("{}: {why}", shown(path))]
    Kept {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file gives another root than the one that is stated. Nothing was written.
    #[error(
        "{}: gives the blake3 root {}, not {}: nothing was written",
        shown(file),
        hex::encode(found),
        hex::encode(stated)
    )]
    OtherRoot {
        /// The file.
        file: PathBuf,
        /// The root that it gives.
        found: [u8; 32],
        /// The root that it must give.
        stated: [u8; 32],
    },
    /// A root of another length than the tree's.
    #[error("the root that is stated has {stated} bytes, that of the tree has {length}")]
    RootLength {
        /// Bytes of the one.
        stated: usize,
        /// Bytes of the other.
        length: usize,
    },
    /// What is kept or asked for is of trees of pairs.
    #[error("{}: is a tree of {name}, which {why}", shown(tree))]
    Flat {
        /// The tree.
        tree: PathBuf,
        /// Its algorithm.
        name: String,
        /// What cannot be done with it, and what can.
        why: &'static str,
    },
    /// The catalogue of a directory cannot be used or written.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// No file below the directory has this name.
    #[error("{}: is not a file below the directory: state its name there", shown(.0))]
    NoEntry(PathBuf),
    /// The files cannot be read at all.
    #[error(transparent)]
    Run(pfh_engine::Error),
    /// The algorithm has no tree.
    #[error("{0}")]
    NoTree(String),
    /// The trees have different functions or leaf lengths.
    #[error("nothing to compare with: the trees have different functions or leaf lengths")]
    Incomparable,
    /// A proof holds its range in memory.
    #[error("a range has at most 4 GiB: prove several")]
    TooLong,
    /// The range cannot be proved.
    #[error("{}: {why}", shown(file))]
    Unproved {
        /// The file.
        file: PathBuf,
        /// Why.
        why: NoRange,
    },
    /// A file cannot be read.
    #[error("{}: {why}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A list of pieces, or one of its lines, is none.
    #[error("{}:{line}: {why}", shown(list))]
    Pieces {
        /// The list.
        list: PathBuf,
        /// The line, from 1; 0 for the list itself.
        line: u64,
        /// Why.
        why: String,
    },
    /// A piece does not fit.
    #[error("{}, at {offset}: {why}", shown(file))]
    Piece {
        /// The file that holds it.
        file: PathBuf,
        /// Where it begins in the whole.
        offset: u64,
        /// Why.
        why: pfh_tree::outboard::Misplaced,
    },
    /// Some of a file has not come: there is no tree of it. Nothing was written.
    #[error("incomplete: {}: nothing was written", ranges(.0))]
    Missing(Vec<std::ops::Range<u64>>),
    /// S3's parts have no length.
    #[error("--part: a part has at least one byte")]
    Part,
    /// Linux has no such block or salt.
    #[error("a block has a power of two bytes from 1KiB to 64KiB, a salt at most 64 hexadecimal digits")]
    Block,
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
}

crate::pass::ends_a_pass!(Error);

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Tree(
                Failure::Length { .. } | Failure::Range { .. } | Failure::Change(_) | Failure::TwoLevels { .. },
            ) => Kind::Request,
            Error::Tree(Failure::Read { .. } | Failure::Tree { .. }) => Kind::Open,
            Error::Tree(Failure::Write { .. }) => Kind::Aborted,
            Error::Tree(Failure::Cancelled) => Kind::Cancelled,
            Error::Tree(Failure::OtherTree { .. } | Failure::OtherFile { .. }) => Kind::Negative,
            Error::Missing(_) | Error::Run(_) => Kind::Open,
            Error::Catalogue(CatalogueError::Database { .. } | CatalogueError::Unwritten { .. }) => Kind::Aborted,
            Error::Catalogue(CatalogueError::Cancelled(_)) => Kind::Cancelled,
            Error::Catalogue(_) => Kind::Open,
            Error::OtherRoot { .. } | Error::Unproved { why: NoRange::Differs, .. } => Kind::Negative,
            Error::Unproved { why: NoRange::Range, .. } => Kind::Request,
            Error::Incomparable | Error::Unproved { .. } | Error::Read { .. } => Kind::Open,
            Error::Sink(error) => Kind::Output(error),
            _ => Kind::Request,
        }
    }
}

/// Ranges for people: how many bytes, and the first ten of them as OFFSET:LENGTH.
fn ranges(ranges: &[std::ops::Range<u64>]) -> String {
    let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    let first: Vec<String> =
        ranges.iter().take(10).map(|range| format!("{}:{}", range.start, range.end - range.start)).collect();
    let more = if ranges.len() > 10 { format!(" and {} more", ranges.len() - 10) } else { String::new() };
    format!("{bytes} bytes in {} ranges are missing: {}{more}", ranges.len(), first.join(","))
}
