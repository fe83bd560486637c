//! Trees beside files: built, kept up to date, compared with the present file.
//!
//! The tree of `FILE` is `FILE.pfhtree` unless said otherwise (`docs/tree.md` has its bytes). A
//! change of some leaves is made in place, under a journal; a whole tree is written without a name,
//! synced, renamed over the old one, and the directory synced. After any interruption the old
//! tree or the new one is there. A tree file with any wrong bit that is used is refused.

#![forbid(unsafe_code)]

#[cfg(feature = "catalogue")]
mod catalogue;
mod change;
mod check;
mod failure;
mod flat;
mod pass;
mod stored;
mod target;

#[cfg(feature = "catalogue")]
pub use catalogue::{APPLICATION, Catalogue, CatalogueEntry, CatalogueError, MARK, companions, is_catalogue, stamp};
pub use change::{UpdateResult, append, update, update_since};
pub use check::{FileState, check};
pub use failure::{Failure, reason};
pub use flat::{
    FlatState, FlatUpdateResult, append_flat, build_flat, build_flat_stream, check_flat, load_flat, store_flat,
    update_flat, update_flat_since,
};
pub use pass::{build, build_stream, read_file, read_range, read_stream};
pub use stored::{Exclusive, JOURNAL, LONGEST, flat_name, journal_of, load, open, pages, store, unlock, with};

pub use target::OutboardTarget;

use pfh_source::os::names::with_ending;
use pfh_tree::outboard::Key;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The suffix of a file's tree.
pub const SUFFIX: &str = ".pfhtree";

/// How a long pass is followed, and how many threads it takes.
pub struct Pass<'a> {
    /// Threads that hash.
    pub threads: usize,
    /// Set from outside to end the pass.
    pub cancel: &'a AtomicBool,
    /// Called with the bytes read so far and the bytes to be read.
    pub progress: &'a mut dyn FnMut(u64, u64),
    /// The root that a tree must have before it is changed: it was kept where nobody who can write
    /// to the tree can write. Without it the tree is believed.
    pub trusted: Option<[u8; 32]>,
    /// The key of a tree that has one.
    pub key: Option<Key>,
}

/// Where the tree of a file is kept.
pub fn beside(file: &Path) -> PathBuf {
    with_ending(file, SUFFIX)
}
