//! The directory that members are written below. It was empty, only files and directories are made
//! in it, and each directory on the way is looked at without following links: nothing is written
//! through a link, and nothing outside.

use super::problem::Problem;
use pfh_digest::Digest;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Inside, Stage};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, FileTimes, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Bytes that are copied at once.
const PIECE: usize = 256 << 10;

/// The name of a file until it is whole.
const PART: &str = ".pfh-extract.part";

/// How one member came out.
pub enum Outcome {
    /// It is in a file: the path, its bytes, and their SHA-256.
    Written(PathBuf, u64, Digest),
    /// It would go beyond the limit.
    Beyond,
    /// It was cancelled.
    Cancelled,
}

/// The directory, and the directories in it that were made or looked at.
pub struct Target {
    root: PathBuf,
    known: HashSet<PathBuf>,
}

impl Target {
    /// Makes the directory, if it is not there.
    ///
    /// # Errors
    /// The system's.
    pub fn create(root: &Path) -> io::Result<Target> {
        std::fs::create_dir_all(root)?;
        Ok(Target { root: root.to_owned(), known: HashSet::new() })
    }

    /// The place of a member below the directory.
    fn place(&mut self, path: &[u8]) -> Result<PathBuf, Problem> {
        let mut place = self.root.clone();
        let mut parts = path.split(|byte| *byte == b'/').peekable();
        while let Some(part) = parts.next() {
            match part {
                b"" => return Err(Problem::Name("a part of it is empty")),
                b"." | b".." => return Err(Problem::Name("a part of it is . or ..")),
                part if part.contains(&0) => return Err(Problem::Name("it holds a NUL byte")),
                part if cfg!(windows) && part.iter().any(|byte| b"\\:".contains(byte)) => {
                    return Err(Problem::Name("it holds \\ or :"));
                }
                part => place.push(OsStr::from_bytes(part)),
            }
            if parts.peek().is_some() && !self.known.contains(&place) {
                directory(&place)?;
                self.known.insert(place.clone());
            }
        }
        match std::fs::symlink_metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(place),
            Err(error) => Err(Problem::Unwritten(error)),
            Ok(_) => Err(Problem::Taken),
        }
    }

    /// Writes a member of at most `most` bytes, reads the file back, and gives it its name and its
    /// times. A member that cannot be read to its end leaves no file.
    ///
    /// # Errors
    /// Why it has no file.
    pub fn write(
        &mut self,
        path: &[u8],
        reader: &mut dyn Read,
        inside: &Inside,
        most: u64,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Outcome, Problem> {
        let place = self.place(path)?;
        let part = self.root.join(PART);
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(&part);
        let mut file = made.map_err(Problem::Unwritten)?;
        let copied = copied(&mut file, reader, most, is_cancelled);
        let kept = copied.and_then(|copied| match copied {
            Some((bytes, digest)) => {
                read_back(&mut file, bytes, &digest)?;
                // Times that the system cannot keep are left out: the bytes are what was asked for.
                let _ = file.set_times(times(inside));
                std::fs::rename(&part, &place).map_err(Problem::Unwritten)?;
                Ok(Outcome::Written(place, bytes, digest))
            }
            None if is_cancelled() => Ok(Outcome::Cancelled),
            None => Ok(Outcome::Beyond),
        });
        if !matches!(kept, Ok(Outcome::Written(..))) {
            let _ = std::fs::remove_file(&part);
        }
        kept
    }
}

/// Makes a directory, or finds the one that was made before; a link is none.
fn directory(place: &Path) -> Result<(), Problem> {
    match std::fs::create_dir(place) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match std::fs::symlink_metadata(place) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(Problem::Taken),
            Err(error) => Err(Problem::Unwritten(error)),
        },
        made => made.map_err(Problem::Unwritten),
    }
}

/// Copies a member, and computes the digest of the bytes as they come. `None` if there are more
/// than allowed, or it was cancelled.
fn copied(
    file: &mut File,
    reader: &mut dyn Read,
    most: u64,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Option<(u64, Digest)>, Problem> {
    let mut hasher = crate::hash::hasher_of_sha256();
    let (mut bytes, mut piece) = (0_u64, vec![0; PIECE]);
    loop {
        if is_cancelled() {
            return Ok(None);
        }
        match reader.read(&mut piece) {
            Ok(0) => return Ok(Some((bytes, hasher.finalize()))),
            Ok(got) => {
                bytes += got as u64;
                if bytes > most {
                    return Ok(None);
                }
                hasher.update(&piece[..got]);
                file.write_all(&piece[..got]).map_err(Problem::Unwritten)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<pfh_source::Problem>());
                return Err(Problem::Unread(
                    inner.cloned().unwrap_or_else(|| pfh_source::Problem::io(Stage::Read, &error)),
                ));
            }
        }
    }
}

/// Compares the file, by the descriptor that wrote it, with the digest of the bytes that came out.
fn read_back(file: &mut File, bytes: u64, digest: &Digest) -> Result<(), Problem> {
    file.flush().and_then(|()| file.rewind()).map_err(Problem::Unwritten)?;
    let mut hasher = crate::hash::hasher_of_sha256();
    let (mut seen, mut piece) = (0_u64, vec![0; PIECE]);
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(got) => {
                seen += got as u64;
                hasher.update(&piece[..got]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Problem::Unwritten(error)),
        }
    }
    if seen == bytes && hasher.finalize() == *digest { Ok(()) } else { Err(Problem::Differs) }
}

/// The times that the container states.
fn times(inside: &Inside) -> FileTimes {
    let system = |time: &pfh_source::Time| {
        let seconds = Duration::from_secs(time.seconds.unsigned_abs());
        let whole = if time.seconds < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(seconds)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(seconds)
        };
        whole?.checked_add(Duration::from_nanos(time.nanoseconds.into()))
    };
    let mut times = FileTimes::new();
    if let Some(modified) = inside.modified.as_ref().and_then(system) {
        times = times.set_modified(modified);
    }
    if let Some(accessed) = inside.accessed.as_ref().and_then(system) {
        times = times.set_accessed(accessed);
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_outside_or_through_a_link() {
        let room = tempfile::tempdir().unwrap();
        let mut target = Target::create(&room.path().join("to")).unwrap();
        let mut write = |path: &str| {
            target.write(path.as_bytes(), &mut &b"abc"[..], &Inside::default(), 10, &|| false).map(|outcome| {
                match outcome {
                    Outcome::Written(path, bytes, _) => (path, bytes),
                    _ => panic!("not written"),
                }
            })
        };
        for name in ["../x", "a/../../x", "/etc/x", "a//x", ".", "a/"] {
            assert!(matches!(write(name), Err(Problem::Name(_))), "{name}");
        }
        assert_eq!(write("a/b").unwrap(), (room.path().join("to/a/b"), 3));
        assert!(matches!(write("a/b"), Err(Problem::Taken)));
        assert!(matches!(write("a/b/c"), Err(Problem::Taken)), "a file stays a file");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(room.path(), room.path().join("to/link")).unwrap();
            assert!(matches!(write("link/c"), Err(Problem::Taken)));
            assert!(matches!(write("link"), Err(Problem::Taken)));
            assert!(!room.path().join("c").exists());
        }
        assert!(!room.path().join("to").join(PART).exists());
    }

    #[test]
    fn a_member_that_is_too_long_leaves_no_file() {
        let room = tempfile::tempdir().unwrap();
        let mut target = Target::create(room.path()).unwrap();
        let outcome = target.write(b"a", &mut &b"abcdef"[..], &Inside::default(), 5, &|| false);
        assert!(matches!(outcome, Ok(Outcome::Beyond)));
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 0);
    }
}
