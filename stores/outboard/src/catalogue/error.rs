//! Why a catalogue cannot be used.

use std::io;
use std::path::PathBuf;

/// A catalogue that cannot be used or written.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// SQLite's own.
    #[error("{}: {error}", path.display())]
    Database {
        /// The catalogue.
        path: PathBuf,
        /// SQLite's error.
        error: rusqlite::Error,
    },
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The catalogue.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The finished catalogue cannot be put in its place; the one that was there still is.
    #[error("{}: {error}", path.display())]
    Unwritten {
        /// The catalogue.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// A file or database of something else.
    #[error("{}: is not a catalogue of a directory", .0.display())]
    Foreign(PathBuf),
    /// The entries or the values are not those that give the root.
    #[error("{}: damaged: its content does not give its root; build it again", .0.display())]
    Damaged(PathBuf),
    /// Its root is under a key, which is not known.
    #[error("{}: its root is under a key, which is needed", .0.display())]
    NoKey(PathBuf),
    /// Its root is under another key.
    #[error("{}: made under another key", .0.display())]
    OtherKey(PathBuf),
    /// Its root is under no key.
    #[error("{}: made without a key", .0.display())]
    Keyless(PathBuf),
    /// The caller asked to end while another change was waited for.
    #[error("{}: interrupted while another command changes it", .0.display())]
    Cancelled(PathBuf),
}
