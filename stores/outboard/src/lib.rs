//! Trees beside files: built, kept up to date, compared with what the file holds now.
//!
//! The tree of `FILE` is `FILE.pfhtree` unless said otherwise (`docs/tree.md` has its bytes). A
//! change of some leaves is made in place, under a journal; a whole tree is written without a name,
//! synced, renamed over the old one, and the directory synced. Whatever interrupts that, the old
//! tree or the new one is there. A tree file of which any bit that is used is wrong is refused.

#![forbid(unsafe_code)]

mod change;
mod check;
mod pass;
mod stored;

pub use change::{Updated, append, update, update_since};
pub use check::{Verdict, check};
pub use pass::{build, build_stream, read_file, read_stream};
pub use stored::{Exclusive, LONGEST, load, open, pages, with};

use pfh_digest::hex;
use pfh_source::{Cause, Output, Problem};
use pfh_tree::Malformed;
use pfh_tree::outboard::{Outboard, WrongChange};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What is appended to a file's name for its tree.
pub const SUFFIX: &str = ".pfhtree";

/// What is appended to a tree's name for the record of a change that is being made.
pub const JOURNAL: &str = ".journal";

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A file could not be read, or changed meanwhile.
    #[error("{}: {}", shown(.file), reason(.problem))]
    Read {
        /// The file.
        file: PathBuf,
        /// What happened.
        problem: Problem,
    },
    /// The tree file is none, or damaged.
    #[error("{}: no tree that can be used: {malformed}", shown(.file))]
    Tree {
        /// The tree file.
        file: PathBuf,
        /// What is wrong with it.
        malformed: Malformed,
    },
    /// The tree could not be written; the old one is still there.
    #[error("{}: {error}", shown(.file))]
    Write {
        /// The tree file.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The file has another length than its tree says.
    #[error("{}: has {found} bytes, its tree is of {stated}: `pfh tree append` takes in what was added, `pfh tree build` makes the tree anew", shown(.file))]
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
    /// The tree is not the one whose root was kept: it was changed by others, or made anew.
    #[error("{}: has the root {}, not {}, which was kept: it is not brought up to date", shown(.tree), hex::encode(.found), hex::encode(.kept))]
    OtherTree {
        /// The tree file.
        tree: PathBuf,
        /// The root that was kept.
        kept: [u8; 32],
        /// The root of the tree that is there.
        found: [u8; 32],
    },
    /// The change does not fit the tree.
    #[error("{0}")]
    Change(#[from] WrongChange),
    /// The caller asked to end.
    #[error("interrupted; the tree is as it was")]
    Cancelled,
}

fn shown(path: &Path) -> String {
    pfh_source::terminal::render(path.as_os_str().as_bytes())
}

/// What stands in the way of a file that is read by ranges, with a way out that the commands over
/// trees have.
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
    fn read(path: &Path) -> impl FnOnce(Problem) -> Failure + use<'_> {
        |problem| Failure::Read { file: path.to_owned(), problem }
    }
}

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
}

impl Pass<'_> {
    /// Compares a tree's root with the one that was kept.
    fn believe(&self, tree: &Path, root: &[u8; 32]) -> Result<(), Failure> {
        match self.trusted {
            Some(kept) if kept != *root => Err(Failure::OtherTree { tree: tree.to_owned(), kept, found: *root }),
            _ => Ok(()),
        }
    }
}

/// Where the tree of a file is kept.
pub fn beside(file: &Path) -> PathBuf {
    let mut name: OsString = file.into();
    name.push(SUFFIX);
    name.into()
}

/// Where the record of a change of a tree is kept while it is made.
pub fn journal_of(tree: &Path) -> PathBuf {
    let mut name: OsString = tree.into();
    name.push(JOURNAL);
    name.into()
}

/// Puts a tree in the place of the one that is there, if any.
///
/// # Errors
/// Whatever the system says; the old tree is still there then, unless the last sync alone failed.
pub fn store(outboard: &Outboard, path: &Path) -> Result<(), Failure> {
    let write = || {
        let mut output = Output::file(path)?;
        output.write_all(&outboard.encode())?;
        // The journal of an interrupted change belongs to the tree that is replaced; no later
        // reader may take it for one of this tree.
        let journal = journal_of(path);
        if std::fs::read(&journal).is_ok_and(|bytes| stored::is_journal(&bytes)) {
            std::fs::remove_file(&journal)?;
        }
        output.commit()
    };
    write().map_err(|error| Failure::Write { file: path.to_owned(), error })
}
