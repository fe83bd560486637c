//! Errors of a request, beyond those that every job has.

use pfh_manifest::{Format, Unrepresentable};
use pfh_source::terminal;
use std::path::PathBuf;

/// Errors of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The format has no place for digests of windows.
    #[error("{} has no form for digests of windows: hashdeep, dfxml, jsonl and csv have one", .0.name())]
    Pieces(Format),
    /// Windows have at least one byte.
    #[error("a window has at least one byte")]
    Window,
    /// The format cannot hold these algorithms, or this layout.
    #[error("{}: {why}", format.name())]
    Format {
        /// The format.
        format: Format,
        /// Why.
        why: Unrepresentable,
    },
    /// Digests under a key are not kept: a cache does not know the key.
    #[error("{0} is under a key, which a cache does not know: such digests are not kept")]
    KeyedCache(pfh_digest::Algorithm),
    /// Objects have no change time by which a cache could know that they are as they were.
    #[error("{}: a cache keeps digests of files, not of objects", terminal::render(.0))]
    ObjectCache(Vec<u8>),
    /// A cache keeps digests of files, and none of their windows.
    #[error("a cache keeps digests of files, and none of windows")]
    PiecesCache,
    /// The share of files that are read although their digests are kept is none.
    #[error("{0} is not a share of the files: it is from 0 to 1")]
    Sample(f64),
    /// A key or a context is given, and no algorithm takes one.
    #[error("none of the algorithms takes a key or a context")]
    UnusedSecret,
    /// A seal lies beside a file.
    #[error("a seal lies beside the file of a manifest, which goes to standard output here")]
    SealBesideStream,
    /// Another run replaces the sealed manifest, or brings it up to date.
    #[error("another run of pfh has it open to write: try again when that has ended")]
    Busy,
    /// The key of a seal, in a build that makes no signatures.
    #[error("{}: this build makes no signatures", terminal::shown(.0))]
    NoSignatures(PathBuf),
}
