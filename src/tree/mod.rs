//! The job *tree*: a hash tree is kept beside a file; it finds the changed parts, and only those
//! are hashed again.
//!
//! One module a verb: [`build`] hashes a file and writes its tree, [`update`] and [`append`] follow
//! changes of the file, [`watch`] those of a directory as they happen, [`check`] finds the ranges
//! that are not what they were, [`diff`] compares two trees; [`receive`] takes a file from several
//! senders and has its tree with the last byte; [`prove`] and [`verify`] show a part
//! of a file to somebody who has the root alone;
//! [`root`], [`export`] and [`import`] are about the roots and trees of other programs. Each has a
//! `Request` whose constructor resolves the defaults, and a `run`. The tree of `FILE` is
//! `FILE.pfhtree` unless the request says otherwise; `docs/tree.md` has its bytes.
//!
//! ```
//! use pfh::{Control, tree};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-tree-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let disk = room.join("disk");
//! std::fs::write(&disk, vec![7; 100_000])?;
//! tree::build::run(&tree::build::Request::file(&disk), &mut |_event| Ok(()), &Control::new())?;
//! std::fs::write(&disk, [&[7; 40_000][..], b"!", &[7; 59_999]].concat())?;
//! let summary = tree::check::run(&tree::check::Request::new(&disk), &mut |_event| Ok(()), &Control::new())?;
//! let Some(judged) = summary.judged() else { panic!("the file has a tree") };
//! assert!(summary.differs() && judged.corrupt == [32_768..49_152]);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod append;
pub mod build;
pub mod catalogue;
mod catalogued;
pub mod check;
pub mod diff;
mod event;
pub mod export;
pub mod import;
mod json;
mod parts;
mod pieces;
mod problem;
pub mod prove;
pub mod receive;
pub mod root;
mod rows;
mod summary;
pub mod update;
pub mod verify;
pub mod watch;

pub use event::{Event, Events};
pub use json::{DirectoryRow, DisprovedRow, EntryRow, FileRow, PairRow, ProvedRow, RootRow, Row};
pub use pfh_outboard::{Failure, FileState, FlatState, JOURNAL, SUFFIX, UpdateResult, beside};
pub use pfh_tree::flat::{Flat, Shape};
pub use pfh_tree::outboard::{Function, Header, Key, Outboard, Parameters, TreeKeyError};
pub use pfh_tree::{Arrivals, TreeKind};
pub use problem::Problem;
pub use summary::{ExpectedRoot, RootSource, Summary, TreeComparison, TreeWork};

use crate::algorithms::{Algorithm, Secret};
use crate::job::Error;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_engine::{Control, MediumProgress, Phase, Progress};
use pfh_outboard::{Exclusive, Pass};
use pfh_source::Output;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// A tree that is built again or brought up to date is recognized by its first bytes; one that is
/// missing is reported when it is read.
const OWN: Existing = Existing::Own(0, b"pfh tree");

/// Adds the tree that a verb writes, and the file that it reads.
fn guard<'a>(outputs: &'a mut Outputs, file: &Path, tree: &Path) -> &'a mut Outputs {
    outputs.writes_after("outboard", tree, file, Kind::File, OWN).reads(file)
}

/// The key of a tree, if there is one.
pub(crate) fn key(secret: Option<&Secret>) -> Option<Key> {
    secret.and_then(Secret::key)
}

/// The parameters of bao's form, under a key if there is one.
fn obao_parameters(secret: Option<&Secret>) -> Result<Parameters, Error> {
    pfh_tree::foreign::obao::parameters(key(secret)).map_err(|why| {
        let problem = match secret.and_then(Secret::path) {
            Some(path) => Problem::Locked { path: path.to_owned(), why },
            None => Problem::NoKey(why),
        };
        problem.into()
    })
}

/// That there is no key for a tree of two levels, which takes none.
fn keyless(secret: Option<&Secret>, tree: &Path) -> Result<(), Error> {
    let Some(path) = secret.and_then(Secret::path) else { return Ok(()) };
    let name = pfh_outboard::load_flat(tree)?.shape().algorithm().to_string();
    Err(Problem::Keyless { path: path.to_owned(), name }.into())
}

/// Carries out a pass over a file with the control's progress, and ends it when the control is
/// cancelled.
pub(crate) fn pass<T>(threads: usize, control: &Control<'_>, work: impl FnOnce(&mut Pass<'_>) -> T) -> T {
    pass_under(None, None, threads, control, work)
}

/// The same over a tree under a key that must have this root, if there are any.
fn pass_under<T>(
    key: Option<Key>,
    trusted: Option<[u8; 32]>,
    threads: usize,
    control: &Control<'_>,
    work: impl FnOnce(&mut Pass<'_>) -> T,
) -> T {
    let start = Instant::now();
    let mut progress = |bytes, all: u64| {
        let total = (all > 0).then_some(all);
        let medium = MediumProgress { phase: Phase::Hashing, bytes, total, bad: 0, elapsed: start.elapsed() };
        control.report(&Progress::Medium(medium));
    };
    work(&mut Pass { threads, cancel: control.cancel().flag(), progress: &mut progress, trusted, key })
}

/// The lock of the tree that is there, if it is a file of ours that can be locked.
fn lock(tree: &Path, pass: &Pass<'_>) -> Result<Option<Exclusive>, Failure> {
    match Exclusive::lock(tree, pass.cancel) {
        Err(Failure::Read { .. }) => Ok(None),
        locked => locked,
    }
}

/// Writes a file that appears whole or not at all.
fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let mut output = Output::file(path)?;
        output.write_all(bytes)?;
        output.commit()
    };
    write().map_err(|error| Failure::Write { file: path.to_owned(), error })
}
