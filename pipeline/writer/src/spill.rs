//! Directories that take the further segments of an image when the disk of the first is full.
//!
//! The first directory keeps a symbolic link to each segment that lies elsewhere, so that every
//! reader finds the whole image there for as long as both disks are attached.

use pfh_source::os::link_to_file;
use pfh_source::os::{self, Errno};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Free space kept beside a segment, in bytes: for links, maps and logs.
const MARGIN: u64 = 1 << 20;

/// Further directories, and which of them is written to.
#[derive(Debug, Clone, Default)]
pub struct Spill {
    directories: Vec<PathBuf>,
    /// 0: where the first segment lies; else one of `directories`, counted from 1.
    current: usize,
    /// Whether files of an earlier run are replaced.
    replace: bool,
}

/// Whether nothing would be lost by writing there: an empty file, or none (`/dev/null`, a FIFO).
pub(super) fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() || found.len() == 0)
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Bytes that are free in a directory; `None` where the system does not say.
fn free(directory: &Path) -> io::Result<Option<u64>> {
    Ok(os::free_bytes(os::open_to_sync(directory)?)?)
}

impl Spill {
    /// Further segments go to these directories, in this order.
    pub fn new(directories: Vec<PathBuf>, replace: bool) -> Self {
        Spill { directories, current: 0, replace }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.directories.is_empty()
    }

    /// Looks whether links can be made beside the first segment: some file systems have none, and
    /// that had better be known before hours of reading.
    ///
    /// # Errors
    /// When they cannot.
    pub fn check(&self, first: &Path) -> io::Result<()> {
        let Some(other) = self.directories.first() else { return Ok(()) };
        let probe = directory_of(first).join(format!(".pfh-link-{}", std::process::id()));
        link_to_file(other, &probe).map_err(|error| no_link(directory_of(first), &error))?;
        fs::remove_file(probe)
    }

    /// Whether all directories together have this many bytes free.
    ///
    /// # Errors
    /// When one cannot be asked.
    pub fn has_room(&self, first: &Path, needed: u64) -> io::Result<bool> {
        let mut sum = 0_u64;
        for directory in std::iter::once(directory_of(first)).chain(self.directories.iter().map(PathBuf::as_path)) {
            match free(directory)? {
                Some(bytes) => sum = sum.saturating_add(bytes.saturating_sub(MARGIN)),
                None => return Ok(true),
            }
        }
        Ok(sum >= needed)
    }

    /// Finds a place for a segment of at most `needed` bytes that is made next under this name, and
    /// makes an empty file and the link to it where the place is another directory.
    ///
    /// # Errors
    /// ENOSPC where no directory has room; the system's error for file and link.
    pub fn place(&mut self, path: &Path, needed: u64) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let needed = needed.saturating_add(MARGIN);
        while self.current <= self.directories.len() {
            let directory = match self.current {
                0 => directory_of(path),
                further => &self.directories[further - 1],
            };
            if free(directory)?.is_none_or(|bytes| bytes >= needed) {
                return self.make(path);
            }
            self.current += 1;
        }
        Err(Errno::NOSPC.into())
    }

    fn make(&self, path: &Path) -> io::Result<()> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            self.remove(path)?;
        }
        let (Some(directory), Some(name)) = (self.current.checked_sub(1), path.file_name()) else { return Ok(()) };
        let file = self.directories[directory].canonicalize()?.join(name);
        let replace = self.replace || is_empty(&file);
        let made = OpenOptions::new().write(true).create(true).create_new(!replace).truncate(replace).open(&file);
        made.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
        // An empty file, as mktemp makes it.
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) && (self.replace || is_empty(path)) {
            fs::remove_file(path)?;
        }
        link_to_file(&file, path).map_err(|error| no_link(directory_of(path), &error))
    }

    /// Removes a segment: the link, and the file in one of these directories that it leads to.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        if let Ok(file) = fs::read_link(path) {
            let is_ours =
                |directory: &PathBuf| directory.canonicalize().is_ok_and(|known| file.parent() == Some(&*known));
            if self.directories.iter().any(is_ours) && file.is_file() {
                fs::remove_file(file)?;
            }
        }
        fs::remove_file(path)
    }

    /// Syncs the names in the directories that were written to.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&self) -> io::Result<()> {
        for directory in self.directories.iter().take(self.current) {
            match os::open_to_sync(directory).and_then(os::sync) {
                Err(errno) if errno != Errno::INVAL => return Err(errno.into()),
                _ => {}
            }
        }
        Ok(())
    }
}

fn no_link(directory: &Path, error: &io::Error) -> io::Error {
    let what = format!("{}: no link to a segment in another directory can be made: {error}", directory.display());
    io::Error::new(error.kind(), what)
}
