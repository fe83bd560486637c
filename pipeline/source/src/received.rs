//! Outputs inside a directory that others made: a bag, a plan. Links in it came with the data:
//! nothing is written through them.

use crate::descend::Links;
use crate::os::names::OsStrExt;
use crate::os::{self, Directory, Errno, FileType};
use crate::output::Output;
use crate::place::Place;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A directory that others made, held open. The user names the path to it; below it no component
/// may be a link, and only plain files and directories may be there.
pub struct ReceivedFolder {
    directory: Directory,
    path: PathBuf,
}

impl ReceivedFolder {
    /// Opens the directory.
    ///
    /// # Errors
    /// When it is not a directory, or cannot be opened.
    pub fn open(path: &Path) -> io::Result<ReceivedFolder> {
        let directory = os::open_operand_directory(path.as_os_str().as_bytes())?;
        Ok(ReceivedFolder { directory, path: path.to_owned() })
    }

    /// Whether a file of this name may be written, which is relative and plain.
    ///
    /// # Errors
    /// When the way to it leads through a link, or it is something else than a file.
    pub fn check(&self, name: &Path) -> io::Result<()> {
        self.place(name).map(drop)
    }

    /// A file that takes the place of this name when it is committed ([`Output::commit`]).
    ///
    /// # Errors
    /// As for [`check`](ReceivedFolder::check); when the directory cannot be written to.
    pub fn output(&self, name: &Path) -> io::Result<Output> {
        Output::at(self.place(name)?)
    }

    /// Makes a directory that is not there: of several that try, one succeeds.
    ///
    /// # Errors
    /// When something has this name; when the directory cannot be written to.
    pub fn create_directory(&self, name: &Path) -> io::Result<()> {
        let (directory, _) = self.parent(name)?;
        Ok(os::create_directory_in(&directory, name.file_name().map_or(Path::new("."), Path::new))?)
    }

    /// The open directory in which a name lies, and the name.
    fn parent(&self, name: &Path) -> io::Result<(Directory, Vec<u8>)> {
        let plain = name.components().all(|part| matches!(part, Component::Normal(_)));
        let last = name.file_name().filter(|_| plain).ok_or(io::ErrorKind::InvalidInput)?;
        let way = name.parent().map(|parent| parent.as_os_str().as_bytes()).unwrap_or_default();
        if way.is_empty() {
            return Ok((self.directory.try_clone()?, last.as_bytes().to_vec()));
        }
        let opened = os::open_directory(&self.directory, way, Links::Keep);
        let directory = opened.map_err(|errno| match errno {
            Errno::LOOP | Errno::XDEV => through_link(),
            // With O_DIRECTORY and O_NOFOLLOW together, a link is ENOTDIR.
            Errno::NOTDIR if self.path.join(name.parent().unwrap_or(name)).is_symlink() => through_link(),
            errno => errno.into(),
        })?;
        Ok((directory, last.as_bytes().to_vec()))
    }

    fn place(&self, name: &Path) -> io::Result<Place> {
        let (directory, last) = self.parent(name)?;
        match os::stat_at(&directory, &last, Links::Keep) {
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno.into()),
            Ok(stat) => match os::file_type(stat.mode) {
                FileType::RegularFile => {}
                FileType::Symlink => return Err(through_link()),
                _ => return Err(io::Error::other("is there and is not a file; nothing was written")),
            },
        }
        Ok(Place::within(directory, self.path.join(name)))
    }
}

fn through_link() -> io::Error {
    io::Error::other(
        "is a symbolic link, or lies behind one: nothing is written through a link that came with the data",
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_written_through_a_link() {
        let room = tempfile::tempdir().unwrap();
        let (root, outside) = (room.path().join("root"), room.path().join("outside"));
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("precious"), "precious").unwrap();
        symlink("../outside", root.join("directory")).unwrap();
        symlink("../outside/precious", root.join("file")).unwrap();
        symlink("../../../outside", root.join("real/deep/up")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink(&root, room.path().join("named")).unwrap();
        std::fs::create_dir(root.join("folder")).unwrap();
        let refused = [
            "directory/new",
            "directory/precious",
            "file",
            "real/deep/up/new",
            "dangling",
            "folder",
            "../out",
            "/tmp/x",
        ];
        for root in [&root, &room.path().join("named")] {
            let received = ReceivedFolder::open(root).unwrap();
            for name in refused {
                assert!(received.output(Path::new(name)).is_err(), "{name}");
                assert!(received.check(Path::new(name)).is_err(), "{name}");
            }
            for name in ["new", "real/deep/new", "new"] {
                let mut output = received.output(Path::new(name)).unwrap();
                output.write_all(name.as_bytes()).unwrap();
                output.commit().unwrap();
                assert_eq!(std::fs::read(root.join(name)).unwrap(), name.as_bytes());
            }
            assert!(received.create_directory(Path::new("directory/made")).is_err());
            assert!(received.create_directory(Path::new("real")).is_err());
        }
        // A link that comes between the look and the end is replaced, not followed.
        let received = ReceivedFolder::open(&root).unwrap();
        let mut output = received.output(Path::new("late")).unwrap();
        output.write_all(b"late").unwrap();
        symlink("../outside/precious", root.join("late")).unwrap();
        let _ = output.commit();
        assert_eq!(std::fs::read(outside.join("precious")).unwrap(), b"precious");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        assert!(received.create_directory(Path::new("real/made")).is_ok());
    }
}
