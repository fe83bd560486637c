//! Why a verb over trees has no result.

use crate::job::Error;
use pfh_digest::hex;
use pfh_source::terminal::shown;
use pfh_tree::Unfit;
use pfh_tree::range::NoRange;
use std::path::PathBuf;

/// Why a verb over trees has no result. That a file differs from its tree is a finding in the
/// summary, and no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The tree of a stream has no place of its own.
    #[error("standard input has no name, and no place for its tree is given")]
    NoName,
    /// A directory that has no name beside which its catalogue could lie, or that has no such verb.
    #[error("{}: is a directory, and no place for its catalogue is given", shown(.0))]
    Directory(PathBuf),
    /// No line that an auditor keeps is of the file.
    #[error("{}: has no line for {}: state which", shown(path), pfh_source::terminal::render(identity))]
    NoLine {
        /// The file of lines.
        path: PathBuf,
        /// The name of the file.
        identity: Vec<u8>,
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
    /// The line that an auditor keeps is of a tree of pairs, and the tree has two levels.
    #[error("{}: is a tree of {name}, which auditors do not keep: its root must be stated", shown(tree))]
    NotKept {
        /// The tree.
        tree: PathBuf,
        /// Its algorithm.
        name: String,
    },
    /// A proof is of a tree of pairs, and the tree has two levels.
    #[error(
        "{}: is a tree of {name}, which has no paths that prove a change: ask for no proof, or build a tree by blake3",
        shown(tree)
    )]
    NoProof {
        /// The tree.
        tree: PathBuf,
        /// Its algorithm.
        name: String,
    },
    /// No file below the directory has this name.
    #[error("{}: is not a file below the directory: state its name there", shown(.0))]
    NoEntry(PathBuf),
    /// There is a key, and the algorithm of the tree takes none.
    #[error("{}: {name} takes no key", shown(path))]
    Keyless {
        /// The file of the key.
        path: PathBuf,
        /// The algorithm.
        name: String,
    },
    /// The digests of a catalogue are of an algorithm that needs its key.
    #[error("{}: {name} computes nothing without its key", shown(tree))]
    KeyOf {
        /// The catalogue.
        tree: PathBuf,
        /// The algorithm.
        name: String,
    },
    /// The key of a tree is missing, another, or none.
    #[error("{}: {why}", shown(path))]
    Locked {
        /// The proof, or the file of what an auditor keeps.
        path: PathBuf,
        /// Why.
        why: pfh_tree::outboard::TreeKeyError,
    },
    /// An algorithm without its key.
    #[error("{0}")]
    NoKey(pfh_tree::outboard::TreeKeyError),
    /// A leaf of another length than leaves have.
    #[error("a leaf has a power of two bytes, from 1 KiB to 16 MiB")]
    Leaf,
    /// The length of a leaf is stated for an algorithm whose name states it.
    #[error("{0} has no other leaves than its name states, as sakura-fng-128,block=4096")]
    OwnLeaf(String),
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
    /// A directory cannot be watched.
    #[error("{}: cannot be watched: {why}", shown(path))]
    Unwatched {
        /// The directory.
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
        why: pfh_tree::outboard::PieceError,
    },
    /// Some of a file has not come: there is no tree of it. Nothing was written.
    #[error("incomplete: {}: nothing was written", ranges(.0))]
    Missing(Vec<std::ops::Range<u64>>),
    /// A sender has no known end, and the file no known length.
    #[error("{}: has no known end, and the length of the file is not stated", shown(.0))]
    Unending(PathBuf),
    /// A file is longer than any that has a tree.
    #[error("a file of that length has no tree that can be held")]
    Endless,
    /// Two senders are one stream.
    #[error("{} and {} are one stream, which can be read only once", shown(one), shown(other))]
    SameStream {
        /// One of its names.
        one: PathBuf,
        /// The other, or the same.
        other: PathBuf,
    },
    /// Not each sender can have a leaf in memory.
    #[error("{deliveries} senders need {needed} bytes of memory")]
    Memory {
        /// Senders.
        deliveries: usize,
        /// Bytes that they need.
        needed: usize,
    },
    /// A sender brings other bytes than came before.
    #[error("{}: byte {offset} of the file differs from the one that came before", shown(from))]
    Conflict {
        /// The sender.
        from: PathBuf,
        /// Where in the whole file.
        offset: u64,
    },
    /// Bytes that came are not there any more.
    #[error("{}: altered since it was received, from byte {offset} on: there is no root", shown(path))]
    Altered {
        /// The file that is received.
        path: PathBuf,
        /// Where: the start of the leaf, or of the part of a leaf.
        offset: u64,
    },
    /// The receipt of a file is damaged, or of another one.
    #[error("{}: is not a receipt of this file: {why}", shown(path))]
    Receipt {
        /// The receipt.
        path: PathBuf,
        /// Why.
        why: pfh_tree::Unfit,
    },
    /// The caller asked to end.
    #[error("{}: interrupted: the bytes that came are kept, and the same request goes on", shown(.0))]
    Interrupted(PathBuf),
    /// Another run receives the file.
    #[error("{}: another run is receiving it", shown(.0))]
    Busy(PathBuf),
    /// Some of a file did not come. The rest is kept.
    #[error("{}: incomplete: {}: there is no root", shown(file), ranges(.missing))]
    Awaited {
        /// The file.
        file: PathBuf,
        /// The ranges that did not come, in bytes.
        missing: Vec<std::ops::Range<u64>>,
    },
    /// All of a file came, but not all senders ended well. The next run compares the bytes.
    #[error("{}: all bytes came, but {failed} senders failed: there is no root", shown(file))]
    Doubtful {
        /// The file.
        file: PathBuf,
        /// Senders that could not be read to their end, or changed meanwhile.
        failed: u64,
    },
    /// S3's parts have no length.
    #[error("a part has at least one byte")]
    Part,
    /// Linux has no such block or salt.
    #[error("a block has a power of two bytes from 1KiB to 64KiB, a salt at most 64 hexadecimal digits")]
    Block,
}

/// Ranges for people: how many bytes, and the first ten of them as OFFSET:LENGTH.
fn ranges(ranges: &[std::ops::Range<u64>]) -> String {
    let bytes: u64 = ranges.iter().map(|range| range.end - range.start).sum();
    let first: Vec<String> =
        ranges.iter().take(10).map(|range| format!("{}:{}", range.start, range.end - range.start)).collect();
    let more = if ranges.len() > 10 { format!(" and {} more", ranges.len() - 10) } else { String::new() };
    format!("{bytes} bytes in {} ranges are missing: {}{more}", ranges.len(), first.join(","))
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        match problem {
            Problem::OtherRoot { .. } | Problem::Conflict { .. } | Problem::Unproved { why: NoRange::Differs, .. } => {
                Error::negative(problem)
            }
            Problem::Interrupted(_) => Error::cancelled(problem),
            Problem::Receipt { why: Unfit::Length(_) | Unfit::Tree(..), .. } => Error::request(problem),
            Problem::Unproved { why: NoRange::Range, .. } => Error::request(problem),
            Problem::Missing(_)
            | Problem::Awaited { .. }
            | Problem::Altered { .. }
            | Problem::Doubtful { .. }
            | Problem::Receipt { .. }
            | Problem::Busy(_)
            | Problem::Incomparable
            | Problem::Unproved { .. }
            | Problem::Read { .. }
            | Problem::Unwatched { .. } => Error::input(problem),
            _ => Error::request(problem),
        }
    }
}
