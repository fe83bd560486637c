//! The files that are kept beside a manifest under its name, and the lock of those who write them.

use crate::seal;
use pfh_source::os::names::with_ending;
use pfh_source::{Document, Stat, os};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The file of the list before: the manifest's name and `.1`.
pub fn before(manifest: &Path) -> PathBuf {
    with_ending(manifest, ".1")
}

/// All that is kept beside a manifest under its name, and the manifest: none of it is among the
/// files that it lists.
pub fn beside(manifest: &Path) -> Vec<PathBuf> {
    let before = before(manifest);
    let seals = [seal::beside(manifest), seal::waiting(manifest), seal::beside(&before)];
    let mut beside = vec![manifest.to_owned(), state_of(manifest), before];
    beside.extend(seals);
    beside
}

/// The file in which is kept when each file of a manifest was checked last: the manifest's name and
/// `.checked`.
pub fn state_of(manifest: &Path) -> PathBuf {
    with_ending(manifest, ".checked")
}

/// How often a manifest is opened again that other runs replace at the same time.
pub(crate) const TRIES: usize = 16;

/// Another run holds a manifest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Busy;

/// An open manifest that this run holds the lock of. The lock is given up at the end, and not only
/// closed: a child that another thread starts may have the descriptor for a moment longer.
pub(crate) struct LockedFile(File);

impl LockedFile {
    /// Locks it; `None` if another run holds it. Where the file system has no locks nobody does.
    pub fn of(file: File) -> Option<LockedFile> {
        (!matches!(file.try_lock(), Err(TryLockError::WouldBlock))).then_some(LockedFile(file))
    }

    /// Locks the file that has this name; `None` where it cannot be opened.
    ///
    /// # Errors
    /// When another run holds it, or replaces it again and again.
    pub fn at(path: &Path) -> Result<Option<LockedFile>, Busy> {
        for _ in 0..TRIES {
            let Ok(file) = Document::file(path) else { return Ok(None) };
            let held = LockedFile::of(file.into_file()).ok_or(Busy)?;
            // Another run may have replaced it between the two.
            let is_same = |seen: Stat| os::stat_path(path).is_ok_and(|(now, _)| now.identity() == seen.identity());
            if os::stat(held.file()).is_ok_and(is_same) {
                return Ok(Some(held));
            }
        }
        Err(Busy)
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Without locks there is none to give up.
        let _ = self.0.unlock();
    }
}
