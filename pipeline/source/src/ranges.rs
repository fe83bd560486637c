//! One file read by ranges, in any order, as a tree beside a file needs it.

use crate::base::Base;
use crate::descend::Special;
use crate::entry::{Entry, Origin};
use crate::os::handles::{AsFd, OwnedFd};
use crate::os::{self, Errno, FileType};
use crate::problem::{Cause, Problem, Stage};
use crate::read::{difference, kind_name};
use crate::stat::Stat;
use std::ops::Range;

/// A regular file or block device, open for reading. Its size is the one at the open;
/// [`close`](Ranges::close) proves that the bytes that were read are one state of it.
pub struct Ranges {
    fd: OwnedFd,
    before: Stat,
    size: u64,
}

impl Ranges {
    /// Opens the file that a user names, bytes as given.
    ///
    /// # Errors
    /// When it cannot be opened, or is neither a file nor a block device.
    pub fn open(path: &[u8]) -> Result<Ranges, Problem> {
        let base = Base::of_operands(false);
        let origin = Origin::File { base, path: path.into(), special: Special::Skip };
        Ranges::of(&Entry { number: 0, origin, stat: None })
    }

    /// Opens a listed file: below its directory and through no symbolic link, as for any read of
    /// it.
    ///
    /// # Errors
    /// As for [`open`](Ranges::open); also for standard input and a caller's own objects, which
    /// have no ranges.
    pub fn of(entry: &Entry) -> Result<Ranges, Problem> {
        let Origin::File { base, path, .. } = &entry.origin else {
            return Err(Problem::new(Stage::Open, Cause::Special("stream")));
        };
        let fd = os::open_file(base, path)?;
        let os_problem = |errno| Problem::os(Stage::Open, errno);
        let before = os::stat(&fd).map_err(os_problem)?;
        let size = match os::file_type(before.mode) {
            FileType::RegularFile => {
                os::settle(fd.as_fd(), &before);
                before.size
            }
            FileType::BlockDevice if !os::DEVICES => {
                return Err(Problem::new(Stage::Open, Cause::NeedsLinux(kind_name(FileType::BlockDevice))));
            }
            FileType::BlockDevice => os::device_size(&fd).map_err(os_problem)?,
            FileType::Directory => return Err(Problem::new(Stage::Open, Cause::IsDirectory)),
            other => return Err(Problem::new(Stage::Open, Cause::Special(kind_name(other)))),
        };
        Ok(Ranges { fd, before, size })
    }

    /// Bytes of the file when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The metadata as found at the open.
    pub fn stat(&self) -> &Stat {
        &self.before
    }

    /// Whether the file system keeps change times, so that a write which puts the modification time
    /// back is seen.
    pub fn is_timed(&self) -> bool {
        os::is_timed(self.fd.as_fd(), &self.before)
    }

    /// Whether the file is still as it was seen before.
    ///
    /// # Errors
    /// `changed`, with the difference: the file itself, its size, or one of its times.
    pub fn since(&self, seen: &Stat) -> Result<(), Problem> {
        match self.before.change_since(seen) {
            Some(what) => Err(Problem::new(Stage::Check, Cause::Changed(what))),
            None => Ok(()),
        }
    }

    /// Reads nothing ahead: only a block or two of the file are wanted.
    pub fn read_little(&self) {
        os::advise_little(self.fd.as_fd());
    }

    /// Fills `buffer` with the bytes of a range.
    ///
    /// # Errors
    /// When they cannot be read, or the file ends before them.
    pub fn read(&self, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<(), Problem> {
        let length = usize::try_from(range.end.saturating_sub(range.start))
            .map_err(|_| Problem::new(Stage::Read, Cause::Os(Errno::NOMEM.raw_os_error())))?;
        buffer.resize(length, 0);
        let mut filled = 0;
        while filled < length {
            let offset = range.start + filled as u64;
            match os::read_at(self.fd.as_fd(), &mut buffer[filled..], offset) {
                Ok(0) => {
                    return Err(Problem::new(Stage::Read, Cause::Size { stated: self.size, read: offset }).at(offset));
                }
                Ok(n) => filled += n,
                Err(errno) => return Err(Problem::os(Stage::Read, errno).at(offset)),
            }
        }
        Ok(())
    }

    /// All of it, at most `most` bytes.
    ///
    /// # Errors
    /// As for [`read`](Ranges::read); `EFBIG` for a longer one.
    pub fn read_all(&self, most: u64) -> Result<Vec<u8>, Problem> {
        if self.size > most {
            return Err(Problem::new(Stage::Read, Cause::Os(Errno::FBIG.raw_os_error())));
        }
        let mut bytes = Vec::new();
        self.read(0..self.size, &mut bytes)?;
        Ok(bytes)
    }

    /// Ends the reading: the file is unchanged since the open, and holds nothing beyond the size
    /// that it states.
    ///
    /// # Errors
    /// `changed` when it was written to meanwhile, `truncated` when its size is not true.
    pub fn close(self) -> Result<(), Problem> {
        let problem = |errno| Problem::os(Stage::Check, errno);
        if os::read_at(self.fd.as_fd(), &mut [0], self.size).map_err(problem)? > 0 {
            let cause = Cause::Size { stated: self.size, read: self.size + 1 };
            return Err(Problem::new(Stage::Check, cause));
        }
        let after = os::stat(&self.fd).map_err(problem)?;
        match difference(&self.before, &after) {
            Some(what) => Err(Problem::new(Stage::Check, Cause::Changed(what))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::names::OsStrExt;

    #[test]
    fn ranges_of_one_state_or_a_problem() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, b"0123456789").unwrap();
        let name = path.as_os_str().as_bytes();
        let file = Ranges::open(name).unwrap();
        let mut bytes = Vec::new();
        for (range, expected) in [(3..7, &b"3456"[..]), (0..10, b"0123456789"), (10..10, b"")] {
            file.read(range, &mut bytes).unwrap();
            assert_eq!(bytes, expected);
        }
        assert!(matches!(file.read(8..11, &mut bytes).unwrap_err().cause, Cause::Size { stated: 10, read: 10 }));
        assert_eq!(file.read_all(10).unwrap(), b"0123456789");
        assert_eq!(file.read_all(9).unwrap_err().code(), "EFBIG");
        file.close().unwrap();

        let file = Ranges::open(name).unwrap();
        std::fs::write(&path, b"0123456789+").unwrap();
        assert_eq!(file.close().unwrap_err().code(), "truncated");
        assert_eq!(Ranges::open(directory.path().as_os_str().as_bytes()).err().unwrap().code(), "is-directory");
        // Files that state no size are not taken for empty ones.
        assert_eq!(Ranges::open(b"/proc/self/status").unwrap().close().unwrap_err().code(), "truncated");
    }
}
