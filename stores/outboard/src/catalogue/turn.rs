//! Who may change a catalogue now.
//!
//! SQLite's own locks are POSIX's, which a process loses as soon as it closes any other descriptor
//! of the same file: one look at the header is enough. So writers take turns by a lock (`flock`) of
//! a file beside the catalogue, which nobody opens for anything else.

use pfh_source::os::{self, OpenMode};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(10);

/// The name of something beside a catalogue.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.into();
    name.push(suffix);
    name.into()
}

/// The right to change a catalogue, held until it is dropped. A killed holder leaves an empty file
/// that the next one takes over.
pub(super) struct Turn {
    file: File,
    path: PathBuf,
}

impl Turn {
    /// Waits until no other process or thread changes the catalogue. `None`: `cancel` was set.
    ///
    /// # Errors
    /// When the lock cannot be made; the error names nothing, its path is [`lock_of`].
    pub(super) fn wait(catalogue: &Path, cancel: &AtomicBool) -> io::Result<Option<Turn>> {
        let path = lock_of(catalogue);
        loop {
            let file = File::from(os::open_to_write(&path, OpenMode::CreateOwn, false)?);
            let stat = os::stat(&file)?;
            if !stat.is_file() || stat.size > 0 {
                return Err(io::Error::other("is there and is not the lock of a catalogue: move it away"));
            }
            if os::try_lock(&file) {
                // Who held the lock before has removed its name: another file may have it now.
                let is_link = std::fs::symlink_metadata(&path).is_ok_and(|now| now.is_symlink());
                let now = os::stat_path(&path);
                if !is_link && now.is_ok_and(|(now, _)| now.identity() == stat.identity()) {
                    let turn = Turn { file, path };
                    pfh_source::fail_point("turn");
                    return Ok(Some(turn));
                }
                continue;
            }
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            drop(file);
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // The name goes while the lock is held: who waits looks at the name again.
        let _ = std::fs::remove_file(&self.path);
        let _ = &self.file;
    }
}

/// The lock of a catalogue.
pub(super) fn lock_of(catalogue: &Path) -> PathBuf {
    beside(catalogue, "-lock")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn one_at_a_time() {
        let room = tempfile::tempdir().expect("a directory");
        let path = room.path().join("catalogue");
        let (inside, turns, never) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let turn = Turn::wait(&path, &never).expect("a lock").expect("not cancelled");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        turns.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(turn);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 40);
        assert!(!lock_of(&path).exists(), "nothing is left");
        let _held = Turn::wait(&path, &never).expect("a lock");
        assert!(Turn::wait(&path, &AtomicBool::new(true)).expect("a lock").is_none(), "it can be cancelled");
    }

    #[cfg(unix)]
    #[test]
    fn somebody_elses_file_is_no_lock() {
        let room = tempfile::tempdir().expect("a directory");
        let (path, never) = (room.path().join("catalogue"), AtomicBool::new(false));
        std::fs::write(lock_of(&path), "precious").expect("written");
        assert!(Turn::wait(&path, &never).is_err());
        std::fs::remove_file(lock_of(&path)).expect("removed");
        std::fs::write(room.path().join("other"), "").expect("written");
        std::os::unix::fs::symlink("other", lock_of(&path)).expect("a link");
        assert!(Turn::wait(&path, &never).is_err(), "through no link");
    }
}
