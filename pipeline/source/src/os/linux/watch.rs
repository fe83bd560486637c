//! Changes of directories, by inotify.

use super::super::Notice;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::Duration;

/// Watches directories, each without the directories below it.
pub struct Watcher {
    queue: File,
}

impl Watcher {
    /// Watches nothing yet.
    ///
    /// # Errors
    /// The system's, also where it cannot watch.
    pub fn new() -> io::Result<Watcher> {
        Ok(Watcher { queue: File::from(init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?) })
    }

    /// Watches a directory, and gives its number. One that is watched already keeps its number.
    ///
    /// # Errors
    /// It is not a directory, is a link, or cannot be read; there are as many watches as the
    /// system permits.
    pub fn add(&self, directory: &Path) -> io::Result<i32> {
        let changes = WatchFlags::CLOSE_WRITE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        Ok(add_watch(&self.queue, directory, changes | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW)?)
    }

    /// The changes, in order; none if nothing changes for so long.
    ///
    /// # Errors
    /// The system's.
    pub fn wait(&self, patience: Duration) -> io::Result<Vec<Notice>> {
        let limit = Timespec::try_from(patience).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&self.queue, PollFlags::IN)], Some(&limit)) {
            // A signal: the caller looks at its flag.
            Ok(0) | Err(Errno::INTR) => return Ok(Vec::new()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut notices = Vec::new();
        let mut buffer = [const { MaybeUninit::uninit() }; 16 << 10];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(notices),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let (watch, flags) = (event.wd(), event.events());
            let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT | ReadFlags::IGNORED;
            let is_directory = flags.contains(ReadFlags::ISDIR);
            match event.file_name() {
                _ if flags.contains(ReadFlags::QUEUE_OVERFLOW) => notices.push(Notice::Overflow),
                _ if flags.intersects(gone) => notices.push(Notice::Gone(watch)),
                Some(name) => notices.push(Notice::Changed { watch, name: name.to_bytes().to_vec(), is_directory }),
                // The directory's own permissions or times.
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_change() {
        let room = tempfile::tempdir().unwrap();
        let watcher = Watcher::new().unwrap();
        let watch = watcher.add(room.path()).unwrap();
        assert_eq!(watcher.wait(Duration::ZERO).unwrap(), []);
        std::fs::write(room.path().join("a"), "1").unwrap();
        std::fs::create_dir(room.path().join("d")).unwrap();
        let notices = watcher.wait(Duration::from_secs(5)).unwrap();
        let changed = |name: &str, is_directory| Notice::Changed { watch, name: name.into(), is_directory };
        assert!(notices.contains(&changed("a", false)) && notices.contains(&changed("d", true)), "{notices:?}");
        std::fs::remove_file(room.path().join("a")).unwrap();
        assert_eq!(watcher.wait(Duration::from_secs(5)).unwrap(), [changed("a", false)]);
        assert!(watcher.add(&room.path().join("none")).is_err());
        std::os::unix::fs::symlink("d", room.path().join("link")).unwrap();
        assert!(watcher.add(&room.path().join("link")).is_err());
        drop(room);
        assert!(watcher.wait(Duration::from_secs(5)).unwrap().contains(&Notice::Gone(watch)));
    }
}
