//! The directory of a world: the tree that is read, the medium, and the lists and images that are
//! written.

use crate::deed::Deed;
use crate::other::Special;
use crate::past::Past;
use crate::random::bytes;
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The directory of a world. It is removed in the end.
#[derive(Debug)]
pub struct Room(tempfile::TempDir);

/// Files by their paths in the room.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The tree that jobs read.
pub const TREE: &str = "tree";
/// The medium that is acquired.
pub const MEDIUM: &str = "medium/disk";
/// The directories that jobs write to.
pub const WRITTEN: [&str; 2] = ["lists", "images"];

impl Room {
    /// An empty one, in memory where the system has a place for that.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Room> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let room = tempfile::Builder::new().prefix("world-").tempdir_in(place)?;
        for directory in ["tree/d/e", "tree/k", "medium", "lists", "images"] {
            fs::create_dir_all(room.path().join(directory))?;
        }
        Ok(Room(room))
    }

    /// The path of a name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The name of a path; `None` outside of the room.
    pub fn name(&self, path: &[u8]) -> Option<String> {
        let path = str::from_utf8(path).ok()?;
        let rest = path.strip_prefix(self.0.path().to_str()?)?;
        Some(rest.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/"))
    }

    /// Does a deed, and notes it. One that cannot be done, since a file is missing, is none.
    ///
    /// # Errors
    /// The system's.
    pub fn act(&self, deed: &Deed, past: &mut Past) -> io::Result<bool> {
        let is_file = |name: &str| past.content(name).is_some();
        let is_there = |name: &str| is_file(name) || past.others().now().contains_key(name);
        let is_directory = |name: &str| fs::symlink_metadata(self.path(name)).is_ok_and(|found| found.is_dir());
        let is_possible = match deed {
            Deed::Make(name, ..) | Deed::Symlink(name, _) | Deed::Fifo(name) | Deed::Socket(name) => {
                !is_directory(name)
            }
            Deed::Swap(one, other) => [one, other].iter().all(|name| is_there(name) || is_directory(name)),
            Deed::Rename(from, to) => is_there(from) && !is_directory(to),
            Deed::Remove(name) => is_there(name),
            Deed::Link(from, to) => is_file(from) && !is_directory(to),
            Deed::Write(name, ..) | Deed::Resize(name, _) | Deed::Rot(name, _) | Deed::Date(name, _) => is_file(name),
        };
        // A name behind a link is that of another file.
        if !is_possible || deed.names().iter().any(|name| self.is_behind_link(name)) {
            return Ok(false);
        }
        match self.done(deed, past) {
            // Its directory has another name, or is none now.
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                let fresh = self.path("fresh");
                if fs::symlink_metadata(&fresh).is_ok() { fs::remove_file(fresh).map(|()| false) } else { Ok(false) }
            }
            done => done,
        }
    }

    fn done(&self, deed: &Deed, past: &mut Past) -> io::Result<bool> {
        match deed {
            Deed::Make(name, length, salt) => {
                let content = bytes(*length, *salt);
                let fresh = self.path("fresh");
                fs::write(&fresh, &content)?;
                fs::rename(fresh, self.path(name))?;
                past.make(name, content);
            }
            Deed::Write(name, at, length, salt) => {
                let new = bytes(*length, *salt);
                self.open(name)?.write_all_at(&new, *at as u64)?;
                past.change(name, written(past, name, *at, &new));
            }
            Deed::Resize(name, length) => {
                self.open(name)?.set_len(*length as u64)?;
                let mut content = past.content(name).map(|content| content.bytes.clone()).unwrap_or_default();
                content.resize(*length, 0);
                past.change(name, content);
            }
            Deed::Remove(name) => {
                fs::remove_file(self.path(name))?;
                past.remove(name);
            }
            // Of two names of one file neither goes.
            Deed::Rename(from, to) if from != to && !past.is_one(from, to) => {
                fs::rename(self.path(from), self.path(to))?;
                past.rename(from, to);
            }
            Deed::Swap(one, other) if one != other => {
                self.swap(one, other)?;
                past.swap(one, other);
            }
            Deed::Link(from, to) if from != to => {
                let fresh = self.path("fresh");
                fs::hard_link(self.path(from), &fresh)?;
                fs::rename(&fresh, self.path(to))?;
                // Renaming a name over another one of its file does nothing, and leaves both.
                if fresh.exists() {
                    fs::remove_file(fresh)?;
                }
                past.link(from, to);
            }
            Deed::Rename(..) | Deed::Swap(..) | Deed::Link(..) => return Ok(false),
            Deed::Symlink(name, target) => {
                std::os::unix::fs::symlink(target, self.path("fresh"))?;
                fs::rename(self.path("fresh"), self.path(name))?;
                past.place(name, Special::Link(target.clone()));
            }
            Deed::Fifo(name) => {
                if !self.fifo(&self.path("fresh"))? {
                    return Ok(false);
                }
                fs::rename(self.path("fresh"), self.path(name))?;
                past.place(name, Special::Fifo);
            }
            Deed::Socket(name) => {
                drop(std::os::unix::net::UnixListener::bind(self.path("fresh"))?);
                fs::rename(self.path("fresh"), self.path(name))?;
                past.place(name, Special::Socket);
            }
            Deed::Rot(name, at) => {
                let content = past.content(name).map(|content| content.bytes.clone()).unwrap_or_default();
                let Some(byte) = content.get(*at) else { return Ok(false) };
                let new = [byte ^ 0x40];
                let file = self.open(name)?;
                let time = file.metadata()?.modified()?;
                file.write_all_at(&new, *at as u64)?;
                file.set_times(FileTimes::new().set_modified(time))?;
                past.change(name, written(past, name, *at, &new));
            }
            Deed::Date(name, seconds) => {
                let time = match u64::try_from(*seconds) {
                    Ok(seconds) => UNIX_EPOCH + Duration::from_secs(seconds),
                    Err(_) => UNIX_EPOCH - Duration::from_secs(seconds.unsigned_abs()),
                };
                self.open(name)?.set_times(FileTimes::new().set_modified(time))?;
                past.mark(name);
            }
        }
        Ok(true)
    }

    fn open(&self, name: &str) -> io::Result<File> {
        File::options().write(true).open(self.path(name))
    }

    /// Whether a directory above a name is a link now.
    fn is_behind_link(&self, name: &str) -> bool {
        let ends = name.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
        ends.into_iter().any(|end| self.path(&name[..end]).is_symlink())
    }

    #[cfg(target_os = "linux")]
    fn fifo(&self, path: &Path) -> io::Result<bool> {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        Ok(true)
    }

    #[cfg(not(target_os = "linux"))]
    fn fifo(&self, _: &Path) -> io::Result<bool> {
        Ok(false)
    }

    #[cfg(target_os = "linux")]
    fn swap(&self, one: &str, other: &str) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, self.path(one), CWD, self.path(other), RenameFlags::EXCHANGE)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn swap(&self, one: &str, other: &str) -> io::Result<()> {
        fs::rename(self.path(one), self.path("fresh"))?;
        fs::rename(self.path(other), self.path(one))?;
        fs::rename(self.path("fresh"), self.path(other))
    }

    /// The files that jobs wrote.
    ///
    /// # Errors
    /// The system's.
    pub fn written(&self) -> io::Result<Files> {
        let mut files = Files::new();
        for directory in WRITTEN {
            for entry in fs::read_dir(self.path(directory))? {
                let entry = entry?;
                let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
                match fs::read(entry.path()) {
                    Ok(bytes) => files.insert(name, bytes),
                    // It was renamed or removed meanwhile.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                    Err(error) => return Err(error),
                };
            }
        }
        Ok(files)
    }

    /// The same when nothing changes any more: two looks agree.
    ///
    /// # Errors
    /// The system's.
    pub fn settled(&self) -> io::Result<Files> {
        let mut before = self.written()?;
        loop {
            let now = self.written()?;
            if now == before {
                return Ok(now);
            }
            before = now;
        }
    }

    /// Puts these files in the place of all that jobs wrote. Those that are the same stay.
    ///
    /// # Errors
    /// The system's.
    pub fn restore(&self, files: &Files) -> io::Result<()> {
        let now = self.written()?;
        for name in now.keys().filter(|name| !files.contains_key(*name)) {
            fs::remove_file(self.path(name))?;
        }
        for (name, bytes) in files.iter().filter(|(name, bytes)| now.get(*name) != Some(bytes)) {
            let _ = fs::remove_file(self.path(name));
            fs::write(self.path(name), bytes)?;
        }
        Ok(())
    }

    /// The names below the tree and the medium whose bytes are not those that were noted.
    ///
    /// # Errors
    /// The system's.
    pub fn altered(&self, past: &Past) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        let (mut seen, mut others) = (Files::new(), BTreeMap::new());
        for directory in [TREE, "medium"] {
            self.gather(directory, &mut seen, &mut others)?;
        }
        let noted = past.others().now();
        let is_other = |(name, other): &(&String, &Special)| noted.get(*name) != Some(*other);
        found.extend(others.iter().filter(is_other).map(|(name, _)| name.clone()));
        found.extend(noted.keys().filter(|name| !others.contains_key(*name)).cloned());
        for (name, bytes) in &seen {
            if past.content(name).is_none_or(|content| content.bytes != *bytes) {
                found.push(name.clone());
            }
        }
        found.extend(past.names().filter(|name| !seen.contains_key(*name)).map(str::to_owned));
        Ok(found)
    }

    fn gather(&self, directory: &str, into: &mut Files, others: &mut BTreeMap<String, Special>) -> io::Result<()> {
        for entry in fs::read_dir(self.path(directory))? {
            let entry = entry?;
            let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.gather(&name, into, others)?;
            } else if kind.is_symlink() {
                others.insert(name, Special::Link(fs::read_link(entry.path())?.to_string_lossy().into_owned()));
            } else if kind.is_fifo() {
                others.insert(name, Special::Fifo);
            } else if kind.is_socket() {
                others.insert(name, Special::Socket);
            } else {
                into.insert(name, fs::read(entry.path())?);
            }
        }
        Ok(())
    }

    /// Waits until the clock of the file system has gone on, so that the next change has another
    /// time than the last one. Kernels before 6.13 stamp files by a clock of some milliseconds.
    ///
    /// # Errors
    /// The system's.
    pub fn tick(&self) -> io::Result<()> {
        let path = self.path("clock");
        let time = |salt: u8| -> io::Result<SystemTime> {
            fs::write(&path, [salt])?;
            fs::metadata(&path)?.modified()
        };
        let first = time(0)?;
        while time(1)? == first {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// A content with these bytes at an offset.
fn written(past: &Past, name: &str, at: usize, new: &[u8]) -> Vec<u8> {
    let mut content = past.content(name).map(|content| content.bytes.clone()).unwrap_or_default();
    let end = content.len().max(at + new.len());
    content.resize(end, 0);
    content[at..at + new.len()].copy_from_slice(new);
    content
}
