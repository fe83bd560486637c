//! Where a file gets its name: by a path that the user typed, or in a directory that is held open.

use crate::os::handles::{AsFd, OwnedFd};
use crate::os::names::OsStrExt;
use crate::os::{self, Directory, Errno, OpenMode};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How many hidden names are tried, where others have them.
const TRIES: u32 = 64;

/// Where a file gets its name. Other names are in the same directory.
pub(crate) struct Place {
    /// The directory, if names in it are resolved by it and not by their paths.
    directory: Option<Directory>,
    /// The whole path, for messages and, without a directory, for the system.
    path: PathBuf,
}

/// The directory of a path.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The beginning of the names that an output of this process has until it is whole, where a file
/// must have a name.
pub(crate) fn hidden(name: &[u8]) -> Vec<u8> {
    let mut hidden = [b".", name].concat();
    hidden.truncate(200);
    hidden.extend_from_slice(format!(".pfh-{}-", std::process::id()).as_bytes());
    hidden
}

impl Place {
    /// A path that the user typed.
    pub(crate) fn of(path: &Path) -> Place {
        Place { directory: None, path: path.to_owned() }
    }

    /// The last component of `path`, in this directory.
    pub(crate) fn within(directory: Directory, path: PathBuf) -> Place {
        Place { directory: Some(directory), path }
    }

    /// The path, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The name, as the other functions take names.
    pub(crate) fn name(&self) -> &Path {
        match &self.directory {
            None => &self.path,
            Some(_) => self.path.file_name().map_or(Path::new("."), Path::new),
        }
    }

    /// The path of a name, for messages.
    pub(crate) fn path_of(&self, name: &Path) -> PathBuf {
        directory_of(&self.path).join(name.file_name().unwrap_or_default())
    }

    /// A hidden name in the same directory, taken by this call. Processes of several machines and
    /// containers that write to one directory may have the same number, and a file may be left of
    /// one that was killed: where something has the name, another one is taken.
    pub(crate) fn beside<T>(&self, take: impl Fn(&Path) -> Result<T, Errno>) -> (PathBuf, Result<T, Errno>) {
        let mut tries = 1;
        loop {
            let name = self.hidden();
            match take(&name) {
                Err(Errno::EXIST) if tries < TRIES => tries += 1,
                taken => return (name, taken),
            }
        }
    }

    fn hidden(&self) -> PathBuf {
        let mut name = hidden(self.path.file_name().map_or(b"out", |n| n.as_bytes()));
        name.extend_from_slice(format!("{:016x}", os::unique()).as_bytes());
        let name = Path::new(OsStr::from_bytes(&name));
        if self.directory.is_some() { name.to_owned() } else { directory_of(&self.path).join(name) }
    }

    pub(crate) fn open_unnamed(&self) -> Result<Option<OwnedFd>, Errno> {
        match &self.directory {
            None => os::open_unnamed(directory_of(&self.path)),
            Some(directory) => os::open_unnamed_in(directory),
        }
    }

    pub(crate) fn create(&self, name: &Path) -> Result<OwnedFd, Errno> {
        match &self.directory {
            None => os::open_to_write(name, OpenMode::CreateNew, false),
            Some(directory) => os::create_in(directory, name),
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        match &self.directory {
            None => os::is_missing(&self.path),
            Some(directory) => {
                let name = self.name().as_os_str().as_bytes();
                os::stat_at(directory, name, crate::descend::Links::Keep).err() == Some(Errno::NOENT)
            }
        }
    }

    pub(crate) fn give_name(&self, fd: impl AsFd, name: &Path) -> Result<(), Errno> {
        match &self.directory {
            None => os::give_name(fd, name),
            Some(directory) => os::give_name_in(fd, directory, name),
        }
    }

    /// Gives the file of another name this one, in the place of any file that has it.
    pub(crate) fn rename(&self, from: &Path) -> Result<(), Errno> {
        match &self.directory {
            None => os::rename(from, &self.path),
            Some(directory) => os::rename_in(directory, from, self.name()),
        }
    }

    /// The same where nothing had this name when the file was begun.
    pub(crate) fn rename_new(&self, from: &Path) -> Result<(), Errno> {
        match &self.directory {
            None => os::rename_new(from, &self.path),
            Some(_) if self.is_missing() => self.rename(from),
            Some(_) => Err(Errno::EXIST),
        }
    }

    pub(crate) fn discard(&self, temporary: Option<PathBuf>) {
        let Some(name) = temporary else { return };
        let _ = match &self.directory {
            None => os::remove(&name),
            Some(directory) => os::remove_in(directory, &name),
        };
    }

    /// Syncs the directory if it is held open.
    pub(crate) fn sync_directory(&self) -> Option<Result<(), Errno>> {
        let directory = self.directory.as_ref()?;
        Some(match os::sync(directory) {
            // Some file systems have no sync.
            Err(Errno::INVAL) => Ok(()),
            synced => synced,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_hidden_name_that_is_taken_is_not_the_last_one() {
        let room = tempfile::tempdir().unwrap();
        let place = Place::of(&room.path().join("list"));
        let seen = RefCell::new(Vec::new());
        // Somebody else is at each name first, three times.
        let (name, made) = place.beside(|name| {
            seen.borrow_mut().push(name.to_owned());
            if seen.borrow().len() < 4 {
                std::fs::write(name, "of another").unwrap();
            }
            place.create(name)
        });
        assert!(made.is_ok() && seen.borrow().last() == Some(&name), "{made:?}");
        let others = &seen.borrow()[..3];
        assert!(others.iter().all(|other| *other != name && std::fs::read(other).unwrap() == b"of another"));
        let (_, never) = place.beside(|_| Err::<(), Errno>(Errno::EXIST));
        assert_eq!(never, Err(Errno::EXIST));
        let (_, other) = place.beside(|_| Err::<(), Errno>(Errno::NOSPC));
        assert_eq!(other, Err(Errno::NOSPC));
    }
}
