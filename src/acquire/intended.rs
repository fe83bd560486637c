//! The plan of an acquisition: its inputs and outputs, and the reasons against it. Nothing is
//! written, and of the source no more is read than the start of a run reads.

use super::guarding::directory_of;
use super::log::{Logs, Opening, chained_name};
use super::session::Session;
use super::{ImageFormat, Request, Settings, account, again, case};
use crate::job::{self, Error};
use pfh_digest::Algorithm;
use pfh_source::os;
use pfh_source::terminal::shown;
use std::fs::File;
use std::path::PathBuf;

/// The work that would be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The medium is read from its start.
    Acquire,
    /// An acquisition that was cut off is resumed.
    Resume,
    /// One that has ended is compared with its log; nothing is written.
    Compare,
    /// Areas that could not be read are tried again.
    Retry,
}

/// A file or device that would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedFile {
    /// Its kind: `target (E01)`, `map`, `log`.
    pub what: String,
    /// Its name.
    pub path: PathBuf,
    /// Bytes that it would have at most, where that is known.
    pub bytes: Option<u64>,
    /// Bytes that are free where it would lie, if it would be a file and the system says it.
    pub free: Option<u64>,
    /// Whether there is one that would be resumed or replaced.
    pub exists: bool,
}

impl PlannedFile {
    /// Whether there is less room than it may take.
    pub fn lacks_room(&self) -> bool {
        self.free.zip(self.bytes).is_some_and(|(free, bytes)| free < bytes)
    }
}

/// The plan of a request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Intention {
    /// The work that would be done.
    pub step: Step,
    /// The source, for people.
    pub source: String,
    /// Bytes of the image, where that is known.
    pub bytes: Option<u64>,
    /// Bytes that are there from an earlier run.
    pub done: u64,
    /// Bytes of a sector.
    pub sector: u32,
    /// The digests that would be computed.
    pub algorithms: Vec<Algorithm>,
    /// The files that would be written.
    pub files: Vec<PlannedFile>,
    /// Remarks for the examiner: mounts, damage of the image that is the source, the notes of a
    /// resumption.
    pub notes: Vec<String>,
}

/// The plan of the request. It is refused as [`run`](super::run()) refuses it.
///
/// # Errors
/// Those with which the run would not begin.
pub fn intend(request: &Request) -> Result<Intention, Error> {
    request.checked()?;
    let session = Session::open(request)?;
    let ended = again::foresee(&session)?;
    let (asked, beginning) = (session.asked(), session.beginning());
    let step = match ended {
        Some(false) => Step::Compare,
        Some(true) => Step::Retry,
        None if beginning.done > 0 => Step::Resume,
        None => Step::Acquire,
    };
    if step != Step::Compare {
        look(&session, step)?;
    }
    let mounted = |(place, writable): &(String, bool)| {
        format!("the source is mounted at {place}{}", if *writable { ", for writing" } else { "" })
    };
    let mut notes: Vec<String> = beginning.mounts.iter().map(mounted).collect();
    notes.extend(beginning.notes.iter().chain(&beginning.departures).cloned());
    let files = if step == Step::Compare { Vec::new() } else { files(asked, beginning.bytes, beginning.done) };
    Ok(Intention {
        step,
        source: asked.request.source.path().map_or_else(|| "a pattern".to_owned(), shown),
        bytes: beginning.bytes,
        done: beginning.done,
        sector: session.medium().sector(),
        algorithms: asked.imaging.algorithms.clone(),
        files,
        notes,
    })
}

/// Looks as the run does before it opens its logs, and when it opens them.
fn look(session: &Session<'_>, step: Step) -> Result<(), Error> {
    let asked = session.asked();
    if let Some(path) = &asked.request.case {
        let looked = case::look(path, asked.request.source.path(), session.may_replace_case());
        looked.map_err(|error| Error::request(job::PathError::new(path, error)))?;
    }
    let opening = match (step, asked.request.replace) {
        (Step::Retry, _) => Opening::Continue,
        (_, true) => Opening::Replace,
        (_, false) => Opening::Resume,
    };
    if let Some(log) = &asked.request.log {
        Logs::look(log, opening, &account::targets(asked))?;
    }
    Ok(())
}

/// Everything that would be written.
fn files(asked: &Settings<'_>, bytes: Option<u64>, done: u64) -> Vec<PlannedFile> {
    let mut files = Vec::new();
    for to in &asked.targets {
        let (what, most) = match &to.form {
            ImageFormat::Raw { seek, sparse, .. } => {
                let what = if *sparse { "target (raw, with holes)" } else { "target (raw)" };
                (what.to_owned(), bytes.map(|bytes| bytes + seek).filter(|_| !*sparse))
            }
            ImageFormat::Split(pieces) => {
                let count = bytes.map_or(0, |bytes| bytes.div_ceil(pieces.length.max(1)).max(1));
                (format!("target (raw, {count} pieces of {} bytes)", pieces.length), bytes)
            }
            ImageFormat::E01 { .. } => ("target (E01)".to_owned(), None),
        };
        let is_file = os::stat_path(&to.path).map_or(true, |(found, _)| found.is_file());
        let free =
            File::open(directory_of(&to.path)).ok().and_then(|directory| os::free_bytes(directory).ok().flatten());
        let free = asked.request.then.iter().fold(free, |free, directory| {
            let more = File::open(directory).ok().and_then(|directory| os::free_bytes(directory).ok().flatten());
            free.zip(more).map(|(free, more)| free.saturating_add(more))
        });
        // Existing bytes need no more room.
        let free = free.filter(|_| is_file).map(|free| free.saturating_add(done));
        files.push(PlannedFile {
            what,
            path: to.path.clone(),
            bytes: most,
            free,
            exists: os::stat_path(&to.path).is_ok(),
        });
    }
    let logs = asked.request.log.iter().flat_map(|log| [("log", log.clone()), ("chained log", chained_name(log))]);
    let map = asked.map.iter().map(|path| ("map", path.clone()));
    let tree = asked.outboard.iter().map(|path| ("tree", path.clone()));
    let case = asked.request.case.iter().map(|path| ("CASE document", path.clone()));
    for (what, path) in map.chain(logs).chain(tree).chain(case) {
        let exists = path.exists();
        files.push(PlannedFile { what: what.to_owned(), path, bytes: None, free: None, exists });
    }
    files
}

impl Intention {
    /// Whether everything that would be written has room, as far as that is known.
    pub fn fits(&self) -> bool {
        !self.files.iter().any(PlannedFile::lacks_room)
    }

    /// Bytes that would be read of the source, where that is known.
    pub fn reads(&self) -> Option<u64> {
        match self.step {
            Step::Compare | Step::Retry => None,
            Step::Acquire | Step::Resume => self.bytes.map(|bytes| bytes.saturating_sub(self.done)),
        }
    }
}
