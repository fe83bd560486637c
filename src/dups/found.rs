//! The files to compare: those below the input by their inodes, before any is read.

use super::event::Events;
use super::problem::Problem as Wrong;
use super::request::Request;
use super::summary::Summary;
use crate::job::Error;
use crate::own::own;
use pfh_engine::{Control, Phase, Progress};
use pfh_source::os::names::OsStrExt;
use pfh_source::os::stat_path;
use pfh_source::{Cause, Entry, Item, Origin, OwnFilter, Problem, Skip, Source, Stage, Stat, StoreAnswer, is_address};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;

/// A file: one inode, by all its names.
pub struct File {
    /// How it is opened.
    pub entry: Entry,
    /// Its state when it was walked.
    pub stat: Stat,
    /// The names of it that were met, in that order. More than one are hard links.
    pub names: Vec<Vec<u8>>,
}

/// Everything that was found.
#[derive(Default)]
pub struct DuplicateFiles {
    /// The files to be compared.
    pub files: Vec<File>,
    /// The names of empty files.
    pub empty: Vec<Vec<u8>>,
    /// Unread names: their folders cannot be compared.
    pub unknown: Vec<Vec<u8>>,
    /// The operands that are directories.
    pub roots: Vec<Vec<u8>>,
    /// Symbolic links that lead to a file, by its device and inode.
    pub links: HashMap<(u64, u128), Vec<u8>>,
}

/// The directories of names, each by what it is: a folder may have two names, by a link among the
/// operands, a mount or a spelling.
#[derive(Default)]
struct Folders {
    known: HashMap<Vec<u8>, Option<(u64, u128)>>,
    seen: HashSet<((u64, u128), Vec<u8>)>,
}

impl File {
    /// Whether it is an object of a store.
    pub fn is_object(&self) -> bool {
        matches!(self.entry.origin, Origin::Object { .. })
    }
}

impl Folders {
    /// Whether the file of this name was met already, in the same folder.
    fn has(&mut self, name: &[u8]) -> bool {
        let end = name.iter().rposition(|byte| *byte == b'/');
        let (parent, last) = match end {
            Some(at) => (&name[..at.max(1)], &name[at + 1..]),
            None => (&b"."[..], name),
        };
        let known = self.known.entry(parent.to_vec());
        let folder = known.or_insert_with(|| identity(parent));
        folder.is_some_and(|folder| !self.seen.insert((folder, last.to_vec())))
    }
}

/// Device and inode of a path, links followed.
fn identity(path: &[u8]) -> Option<(u64, u128)> {
    stat_path(Path::new(OsStr::from_bytes(path))).ok().map(|(stat, _)| stat.identity())
}

/// How many entries are walked between two reports.
const REPORTED: u64 = 1024;

/// Walks the input.
///
/// # Errors
/// When nothing is named, the caller ended the walk, or an event was refused.
pub fn walk(
    request: &Request,
    summary: &mut Summary,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<DuplicateFiles, Error> {
    // Of objects nothing is fetched before it is known which are read.
    let entries = if request.has_objects() { request.input.listed()? } else { request.input.source()? };
    let mut source = OwnFilter::new(entries, own(request.script.as_deref()));
    let directories = request.input.paths.iter().filter(|path| std::path::Path::new(path).is_dir());
    let roots = directories.map(|path| path.as_encoded_bytes().to_vec()).collect();
    let mut found = DuplicateFiles { roots, ..DuplicateFiles::default() };
    let mut places: HashMap<(u64, u128), usize> = HashMap::new();
    let (mut folders, mut objects) = (Folders::default(), HashSet::new());
    while let Some(item) = source.pull() {
        if control.is_cancelled() {
            return Err(Error::cancelled(Wrong::Interrupted));
        }
        let number = item.number();
        if number % REPORTED == 0 {
            control.report(&Progress::Steps { phase: Phase::Reading, done: number, total: None });
        }
        match item {
            Item::Entry(Entry { origin: Origin::Stream(_), .. }) => return Err(Error::request(Wrong::Standard)),
            Item::Entry(Entry { origin: Origin::Object { ref name, ref object }, .. })
                if request.has_objects() && is_address(name) =>
            {
                // Operands that overlap give an object twice, also under both names of its scheme.
                let (name, size) = (name.to_vec(), object.size_hint());
                let scheme = if name.starts_with(b"s3a:") { 3 } else { 0 };
                if !objects.insert(name[scheme..].to_vec()) {
                    continue;
                }
                let Some(size) = size else {
                    let cause = Cause::Store { answer: StoreAnswer::Other, what: "the store states no size".into() };
                    unread(request, summary, events, &mut found, name, Problem::new(Stage::Walk, cause))?;
                    continue;
                };
                if let Item::Entry(entry) = item {
                    let stat = object_of(size, objects.len());
                    take(request, summary, &mut found, &mut places, (entry, stat, name));
                }
            }
            Item::Entry(Entry { origin: Origin::Object { .. }, .. }) => return Err(Error::request(Wrong::Inside)),
            Item::Entry(entry) => {
                let name = entry.name();
                // Operands that overlap give a file twice.
                if folders.has(&name) {
                    continue;
                }
                match entry.stat.or_else(|| entry.look()) {
                    Some(stat) if stat.is_file() => {
                        take(request, summary, &mut found, &mut places, (entry, stat, name))
                    }
                    Some(_) => {
                        summary.skipped += 1;
                        found.unknown.push(name);
                    }
                    None => {
                        let problem = entry.open().err();
                        let gone = || Problem::new(Stage::Walk, Cause::Changed("file"));
                        unread(request, summary, events, &mut found, name, problem.unwrap_or_else(gone))?;
                    }
                }
            }
            Item::Skipped { name, skip, .. } if crate::objects::is_folder(&name, skip) => {}
            Item::Skipped { name, skip, .. } => {
                if skip == Skip::Symlink
                    && let Some(file) = identity(&name)
                {
                    found.links.entry(file).or_insert_with(|| name.clone());
                }
                if ![Skip::Own, Skip::Unfinished].contains(&skip) {
                    summary.skip(&name, skip, &request.plan.levels, events)?;
                }
                found.unknown.push(name);
            }
            Item::Problem { name, problem, .. } => unread(request, summary, events, &mut found, name, problem)?,
            Item::Settled { name, .. } => found.unknown.push(name),
        }
    }
    Ok(found)
}

/// An object in the place of a file: its size, and an identity of its own, on no device.
fn object_of(size: u64, number: usize) -> Stat {
    let never = (0, 0);
    let (device, inode, mode) = (u64::MAX, number as u128, 0o100_000);
    Stat { device, inode, size, mode, mtime: never, ctime: never, atime: never }
}

fn unread(
    request: &Request,
    summary: &mut Summary,
    events: &mut Events<'_>,
    found: &mut DuplicateFiles,
    name: Vec<u8>,
    problem: Problem,
) -> Result<(), Error> {
    summary.unread(&name, problem, &request.plan.levels, events)?;
    found.unknown.push(name);
    Ok(())
}

/// Takes a file: a new inode, or one more name of one.
fn take(
    request: &Request,
    summary: &mut Summary,
    found: &mut DuplicateFiles,
    places: &mut HashMap<(u64, u128), usize>,
    (entry, stat, name): (Entry, Stat, Vec<u8>),
) {
    summary.files += 1;
    if let Some(at) = places.get(&stat.identity()) {
        found.files[*at].names.push(name);
        return;
    }
    summary.bytes += stat.size;
    if stat.size < request.least {
        summary.small += 1;
        if stat.size == 0 {
            found.empty.push(name)
        } else {
            found.unknown.push(name)
        }
        return;
    }
    places.insert(stat.identity(), found.files.len());
    found.files.push(File { entry, stat, names: vec![name] });
}
