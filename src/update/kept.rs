//! The manifest while it is brought up to date: held against other runs, copied, replaced.

use super::problem::Problem;
use crate::beside::{LockedFile, TRIES, before};
use crate::job::{Error, PathError};
use crate::seal;
use pfh_source::os;
use pfh_source::{Document, Output, Stage, Stat};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A manifest that no other run replaces while this value lives.
pub struct LockedManifest {
    path: PathBuf,
    /// Holds the lock, until the manifest is replaced.
    file: Option<LockedFile>,
    /// Holds the lock of the new one, until its seal is in place.
    new: Option<LockedFile>,
    seen: Stat,
    bytes: Vec<u8>,
}

impl LockedManifest {
    /// Opens, locks and reads it.
    ///
    /// # Errors
    /// When it cannot be read, or another run has it.
    pub fn open(path: &Path) -> Result<LockedManifest, Error> {
        let failed =
            |error: &io::Error| Error::input(PathError::new(path, pfh_source::Problem::io(Stage::Open, error)));
        for _ in 0..TRIES {
            let file = Document::file(path).map_err(|error| failed(&error))?.into_file();
            let held = LockedFile::of(file).ok_or_else(|| Error::input(PathError::new(path, Problem::Busy)))?;
            let mut file = held.file();
            let seen = os::stat(file).map_err(|errno| failed(&errno.into()))?;
            // Another run may have replaced it between the two.
            if !os::stat_path(path).is_ok_and(|(now, _)| is_same(&now, &seen)) {
                continue;
            }
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            return Ok(LockedManifest { path: path.to_owned(), file: Some(held), new: None, seen, bytes });
        }
        Err(Error::input(PathError::new(path, Problem::Busy)))
    }

    /// Its content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Puts these bytes in its place. The old ones are in the file beside it before that.
    ///
    /// # Errors
    /// When something cannot be written, or another program changed the manifest: it is as it was.
    pub fn replace(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let failed = |path: &Path, error: io::Error| Error::output(PathError::new(path, error));
        // All of it, before anything takes the place of anything else: a full disk is met here.
        let mut new = Output::file(&self.path).map_err(|error| failed(&self.path, error))?;
        new.write_all(bytes).and_then(|()| new.flush()).map_err(|error| failed(&self.path, error))?;
        let before = before(&self.path);
        copy(&before, &self.bytes, [&self.path, &self.path]).map_err(|error| failed(&before, error))?;
        let seals = (seal::beside(&self.path), seal::beside(&before));
        let copied = match std::fs::read(&seals.0) {
            Ok(seal) => copy(&seals.1, &seal, [&seals.0, &self.path]),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            // That of an older list holds for no list any more.
            Err(_) => remove(&seals.1),
        };
        copied.map_err(|error| failed(&seals.1, error))?;
        let is_there = |now: &Stat| is_same(now, &self.seen) && now.mtime == self.seen.mtime;
        if !os::stat_path(&self.path).is_ok_and(|(now, _)| is_there(&now)) {
            return Err(Error::output(PathError::new(&self.path, Problem::Replaced)));
        }
        if !os::REPLACES_OPEN {
            // Another run that begins now has it open, and this one is refused.
            self.file = None;
        }
        self.new = new.hold().and_then(LockedFile::of);
        new.commit().map_err(|error| failed(&self.path, error))?;
        Ok(())
    }
}

/// Whether it is the same file, last written at the same second and of the same size.
fn is_same(one: &Stat, other: &Stat) -> bool {
    let facts = |found: &Stat| (found.identity(), found.size, found.mtime.0);
    facts(one) == facts(other)
}

/// Keeps the bytes of a file under another name, as private as each of these files.
fn copy(path: &Path, bytes: &[u8], of: [&Path; 2]) -> io::Result<()> {
    let mut output = Output::file(path)?.no_wider_than(of[0]).no_wider_than(of[1]);
    output.write_all(bytes)?;
    output.commit()
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
