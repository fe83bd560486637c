//! Tree files: opened by pages or as a whole, and changed in place so that no interruption leaves
//! anything but the old tree or the new.
//!
//! A change is first written to `TREE.journal` and synced; then the tree is written and synced;
//! then the journal is removed. Opening a tree takes the values of a whole journal for those of the
//! tree, so that from the moment of the journal's sync the change has been made. Writers lock the
//! tree (`flock`); readers do not: the values that they use give the root of the header, and if
//! they do not, they look again.

use super::Failure;
use pfh_source::os::Errno;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::positioned::FileExt;
use pfh_source::{Output, Problem, Ranges, Stage, os};
use pfh_tree::WireError;
use pfh_tree::flat::{Name, VERSION, name_of};
use pfh_tree::outboard::{Change, Journal, Key, Outboard, PagedTree, Unusable};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// A tree file of more bytes is not read as a whole: 64 GiB, the tree of 16 TiB in leaves of 16
/// KiB.
pub const LONGEST: u64 = 64 << 30;
/// Bytes of a journal at most: paths of some thousand leaves.
const LONGEST_JOURNAL: u64 = 32 << 20;
/// Bytes at the front of a tree of two levels that name its algorithm.
const FRONT: u64 = 256;
/// How often a reader that met a writer looks again.
const TRIES: usize = 4;
const PAUSE: Duration = Duration::from_millis(10);

fn bytes_of(file: Ranges, most: u64) -> Result<Vec<u8>, Problem> {
    let bytes = file.read_all(most)?;
    file.close()?;
    Ok(bytes)
}

/// The journal of a tree, if there is one.
fn read_journal(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let journal = journal_of(path);
    if std::fs::symlink_metadata(&journal).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let read = Ranges::open(journal.as_os_str().as_bytes()).and_then(|file| bytes_of(file, LONGEST_JOURNAL));
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        // Removed by its writer meanwhile.
        Err(_) if journal.try_exists().is_ok_and(|there| !there) => Ok(None),
        Err(problem) => Err(Failure::read(&journal)(problem)),
    }
}

/// The suffix of the record of a change to a tree.
pub const JOURNAL: &str = ".journal";

/// Where the record of a change of a tree is kept while it is made.
pub fn journal_of(tree: &Path) -> PathBuf {
    let mut name: OsString = tree.into();
    name.push(JOURNAL);
    name.into()
}

/// Puts a tree in the place of the one that is there, if any, and releases its lock.
///
/// # Errors
/// The system's; the old tree is still there then, unless the last sync alone failed.
pub fn store(outboard: &Outboard, path: &Path, locked: Option<Exclusive>) -> Result<(), Failure> {
    replace(&outboard.encode(), path, locked)
}

/// Puts the bytes of a tree in the place of the one that is there.
pub(super) fn replace(bytes: &[u8], path: &Path, mut locked: Option<Exclusive>) -> Result<(), Failure> {
    let mut write = || {
        let mut output = Output::file(path)?;
        output.write_all(bytes)?;
        // The journal of an interrupted change belongs to the tree that is replaced; no later
        // reader may take it for one of this tree.
        let journal = journal_of(path);
        if std::fs::read(&journal).is_ok_and(|bytes| is_journal(&bytes)) {
            std::fs::remove_file(&journal)?;
        }
        if !os::REPLACES_OPEN {
            // Another change that begins now has the tree open, and this one is refused.
            locked = None;
        }
        output.commit()
    };
    write().map_err(|error| Failure::Write { file: path.to_owned(), error })
}

/// Whether this is a journal, or the rest of one behind a power cut: unsynced bytes may be missing,
/// or zeros. Anything else is somebody's file.
fn is_journal(bytes: &[u8]) -> bool {
    bytes.starts_with(b"pfh jrnl") || bytes.iter().take(8).all(|byte| *byte == 0)
}

/// The algorithm of a tree file, if it is a tree of two levels.
///
/// # Errors
/// When it cannot be read.
pub fn flat_name(tree: &Path) -> Result<Option<Name>, Failure> {
    let file = Ranges::open(tree.as_os_str().as_bytes()).map_err(Failure::read(tree))?;
    let mut front = Vec::new();
    file.read(0..file.size().min(FRONT), &mut front).map_err(Failure::read(tree))?;
    Ok(name_of(&front))
}

/// Why a file is not a tree of pairs.
fn no_tree(path: &Path, malformed: WireError) -> Failure {
    if let WireError::Locked(why) = malformed {
        return Failure::Locked { tree: path.to_owned(), why };
    }
    match flat_name(path) {
        Ok(Some(name)) if malformed == WireError::Version(VERSION) => {
            Failure::TwoLevels { tree: path.to_owned(), name }
        }
        _ => Failure::Tree { file: path.to_owned(), malformed },
    }
}

/// The fault of a tree file.
pub(super) fn unusable(path: &Path) -> impl Fn(Unusable) -> Failure + use<'_> {
    |why| match why {
        Unusable::Read(error) => Failure::read(path)(Problem::io(Stage::Read, &error)),
        Unusable::Malformed(malformed) => no_tree(path, malformed),
        Unusable::Change(change) => Failure::Change(change),
    }
}

/// Does it again as long as the tree seems damaged: a writer may be at work, whose journal the next
/// look will find.
pub(super) fn patiently<T>(mut look: impl FnMut() -> Result<T, Failure>) -> Result<T, Failure> {
    for _ in 1..TRIES {
        match look() {
            Err(Failure::Tree { .. }) => thread::sleep(PAUSE),
            seen => return seen,
        }
    }
    look()
}

/// A tree whose pages are read when they are needed. `file` and `journal` are its bytes and those
/// of its journal.
pub fn pages(file: Ranges, journal: Option<&[u8]>) -> Result<PagedTree<'static>, Unusable> {
    let bytes = file.size();
    let read = move |offset: u64, buffer: &mut [u8]| {
        let mut page = Vec::with_capacity(buffer.len());
        file.read(offset..offset + buffer.len() as u64, &mut page).map_err(|p| io::Error::other(p.to_string()))?;
        buffer.copy_from_slice(&page);
        Ok(())
    };
    PagedTree::open(bytes, journal, Box::new(read))
}

/// Opens a tree, and reads nothing but its header for now. It is still locked, if it has a key.
///
/// # Errors
/// When it cannot be read, or is none.
pub fn open(path: &Path) -> Result<PagedTree<'static>, Failure> {
    patiently(|| look(path))
}

fn look(path: &Path) -> Result<PagedTree<'static>, Failure> {
    let journal = read_journal(path)?;
    let file = Ranges::open(path.as_os_str().as_bytes()).map_err(Failure::read(path))?;
    pages(file, journal.as_deref()).map_err(unusable(path))
}

/// Opens a tree under its key, if it has one.
///
/// # Errors
/// As for [`open`]; when the key is missing or another.
pub fn unlock(path: &Path, key: Option<Key>) -> Result<PagedTree<'static>, Failure> {
    open(path)?.unlock(key).map_err(unusable(path))
}

/// Opens a tree under its key, if it has one, hands it to `work`, and does so again if it seems
/// damaged while a writer is at work.
///
/// # Errors
/// When it cannot be read, a part of it that is used is wrong, or the key is missing or another.
pub fn with<T>(
    path: &Path,
    key: Option<Key>,
    mut work: impl FnMut(&PagedTree<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    patiently(|| work(&look(path)?.unlock(key).map_err(unusable(path))?))
}

/// Reads a whole tree under its key, if it has one, and proves it consistent.
///
/// # Errors
/// When it cannot be read, any bit of it is wrong, or the key is missing or another.
pub fn load(path: &Path, key: Option<Key>) -> Result<Outboard, Failure> {
    patiently(|| {
        let journal = read_journal(path)?;
        let file = Ranges::open(path.as_os_str().as_bytes()).map_err(Failure::read(path))?;
        if file.size() > LONGEST {
            return Err(Failure::read(path)(Problem::io(Stage::Read, &io::ErrorKind::FileTooLarge.into())));
        }
        let mut bytes = Vec::new();
        file.read(0..file.size(), &mut bytes).map_err(Failure::read(path))?;
        if let Some(journal) = journal {
            redo(&mut bytes, &journal).map_err(unusable(path))?;
        }
        Outboard::decode_under(&bytes, key).map_err(|malformed| no_tree(path, malformed))
    })
}

/// The tree that bytes and journal stand for together.
fn redo(bytes: &mut [u8], journal: &[u8]) -> Result<(), Unusable> {
    let whole: &[u8] = bytes;
    let copy = |offset: u64, buffer: &mut [u8]| {
        let start = offset as usize;
        buffer.copy_from_slice(whole.get(start..start + buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    };
    let found = PagedTree::open(whole.len() as u64, Some(journal), Box::new(copy))?.journal().cloned();
    for (offset, new) in found.iter().flat_map(Journal::writes) {
        let start = offset as usize;
        if let Some(place) = bytes.get_mut(start..start + new.len()) {
            place.copy_from_slice(&new);
        }
    }
    Ok(())
}

/// One thing that is done to the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// The journal is created with these bytes.
    Record(Vec<u8>),
    SyncRecord,
    /// The journal's name is synced.
    SyncDirectory,
    /// Bytes of the tree are written in place.
    Write(u64, Vec<u8>),
    SyncTree,
    /// The journal is removed.
    Forget,
}

/// The steps of a change on the disk, in this order.
fn steps(journal: &Journal) -> Vec<Step> {
    let mut steps = vec![Step::Record(journal.encode()), Step::SyncRecord, Step::SyncDirectory];
    steps.extend(redoing(journal));
    steps
}

/// The rest of it once the journal is on the disk.
fn redoing(journal: &Journal) -> Vec<Step> {
    let writes = journal.writes().into_iter().map(|(offset, bytes)| Step::Write(offset, bytes));
    writes.chain([Step::SyncTree, Step::Forget]).collect()
}

/// A tree that nobody else changes meanwhile.
pub struct Exclusive {
    file: File,
    path: PathBuf,
    writable: bool,
}

impl Exclusive {
    /// Locks the tree of this path and ends an interrupted change, if there is one; `None` if there
    /// is not a tree yet. Waits for the holder of the lock.
    ///
    /// # Errors
    /// When it cannot be opened, or the caller asked to end.
    pub fn lock(path: &Path, cancel: &AtomicBool) -> Result<Option<Exclusive>, Failure> {
        let failed = |error: io::Error| Failure::read(path)(Problem::io(Stage::Open, &error));
        loop {
            let open = |write| OpenOptions::new().read(true).write(write).open(path);
            let (file, writable) = match open(true) {
                Ok(file) => (file, true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(_) => (open(false).map_err(failed)?, false),
            };
            let stat = os::stat(&file).map_err(|errno| failed(errno.into()))?;
            if !stat.is_file() {
                return Ok(None);
            }
            // File systems without locks: the header is compared again before anything is written.
            if !os::try_lock(&file) {
                if cancel.load(Ordering::Relaxed) {
                    return Err(Failure::Cancelled);
                }
                thread::sleep(PAUSE);
                continue;
            }
            // Who held the lock may have put another file in the place of this one.
            if os::stat_path(path).is_ok_and(|(now, _)| now.identity() == stat.identity()) {
                let locked = Exclusive { file, path: path.to_owned(), writable };
                locked.recover()?;
                return Ok(Some(locked));
            }
        }
    }

    fn failed(&self) -> impl Fn(io::Error) -> Failure + use<'_> {
        |error| Failure::Write { file: self.path.clone(), error }
    }

    /// Ends a change that was interrupted. A journal that is not whole is of one that was never
    /// begun.
    fn recover(&self) -> Result<(), Failure> {
        let Some(bytes) = read_journal(&self.path)? else { return Ok(()) };
        if !is_journal(&bytes) {
            let error = io::Error::other("is there and is not a journal of a tree: move it away");
            return Err(Failure::Write { file: journal_of(&self.path), error });
        }
        let file = Ranges::open(self.path.as_os_str().as_bytes()).map_err(Failure::read(&self.path))?;
        let journal = pages(file, Some(&bytes)).ok().and_then(|paged| paged.journal().cloned());
        let steps = journal.map_or_else(|| vec![Step::Forget], |journal| redoing(&journal));
        steps.iter().try_for_each(|step| self.take(step)).map_err(self.failed())
    }

    /// Whether the tree can be changed in place: it can be written to, and has no other name that
    /// would change with it.
    pub fn in_place(&self) -> bool {
        self.writable && os::count_names(&self.file).is_ok_and(|names| names == 1)
    }

    /// Makes a change: when this returns, it is on the disk.
    ///
    /// # Errors
    /// The system's; the tree is the old one then, or, if its journal had been synced,
    /// the new one.
    pub fn apply(&self, change: &Change) -> Result<(), Failure> {
        let mut front = [0; pfh_tree::outboard::Header::BYTES];
        self.file.read_exact_at(&mut front, 0).map_err(self.failed())?;
        if front != change.old().encode() {
            return Err(self.failed()(io::Error::other("somebody else has changed the tree meanwhile")));
        }
        let mut recorded = false;
        for step in steps(&change.journal()) {
            if let Err(error) = self.take(&step) {
                if !recorded {
                    let _ = std::fs::remove_file(journal_of(&self.path));
                }
                return Err(self.failed()(error));
            }
            recorded |= step == Step::SyncDirectory;
        }
        Ok(())
    }

    fn take(&self, step: &Step) -> io::Result<()> {
        let journal = journal_of(&self.path);
        match step {
            Step::Record(bytes) => OpenOptions::new().write(true).create_new(true).open(journal)?.write_all(bytes),
            Step::SyncRecord => Ok(os::open_to_sync(&journal).and_then(os::sync)?),
            Step::SyncDirectory => {
                let directory = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
                match os::open_to_sync(directory.unwrap_or(Path::new("."))).and_then(os::sync) {
                    Err(Errno::INVAL) => Ok(()),
                    synced => Ok(synced?),
                }
            }
            Step::Write(offset, bytes) => self.file.write_all_at(bytes, *offset),
            Step::SyncTree => self.file.sync_all(),
            Step::Forget => std::fs::remove_file(journal),
        }
    }
}

#[cfg(test)]
mod tests;
