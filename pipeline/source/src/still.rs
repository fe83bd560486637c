//! A file that is read at any position, and the proof that it stayed the same meanwhile.

use crate::entry::{Entry, Origin};
use crate::os::handles::{AsFd, OwnedFd};
use crate::os::{self, FileType};
use crate::problem::{Cause, Problem, Stage};
use crate::read::{JOURNAL, difference};
use crate::stat::Stat;
use std::io;

/// An open file or block device.
#[derive(Debug)]
pub struct Still {
    fd: OwnedFd,
    before: Stat,
    size: u64,
    /// The number of the file's last change, where its volume has a journal.
    usn: Option<i64>,
}

impl Entry {
    /// Opens the entry for reads at any position; `None` if it is not a regular file, and no block
    /// device among the operands.
    ///
    /// # Errors
    /// As [`open`](Entry::open).
    pub fn still(&self) -> Result<Option<Still>, Problem> {
        let Origin::File { base, path, .. } = &self.origin else { return Ok(None) };
        let problem = |errno| Problem::os(Stage::Open, errno);
        let fd = os::open_file(base, path)?;
        let before = os::stat(&fd).map_err(problem)?.of_stream(base.stream(path));
        let size = match os::file_type(before.mode) {
            FileType::RegularFile => before.size,
            FileType::BlockDevice if base.directory.is_none() => os::device_size(&fd).map_err(problem)?,
            _ => return Ok(None),
        };
        os::settle(fd.as_fd(), &before);
        let usn = os::usn(fd.as_fd());
        Ok(Some(Still { fd, before, size, usn }))
    }
}

impl Still {
    /// Bytes that it holds.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The device (`st_dev`) that it lies on, or that it is.
    pub fn device(&self) -> u64 {
        match os::device_number(&self.fd) {
            0 => self.before.device,
            device => device,
        }
    }

    /// Its metadata when it was opened.
    pub fn stat(&self) -> &Stat {
        &self.before
    }

    /// Reads some bytes at `offset`; 0 is the end.
    ///
    /// # Errors
    /// The system's.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        os::read_at(self.fd.as_fd(), buffer, offset).map_err(|errno| os::broken("read", errno))
    }

    /// Whether it is as it was when it was opened.
    ///
    /// # Errors
    /// [`Cause::Changed`] if it is not.
    pub fn unchanged(&self) -> Result<(), Problem> {
        let after = os::stat(&self.fd).map_err(|errno| Problem::os(Stage::Check, errno))?;
        let is_moved = os::usn(self.fd.as_fd()) != self.usn;
        match difference(&self.before, &after).or(is_moved.then_some(JOURNAL)) {
            Some(what) => Err(Problem::new(Stage::Check, Cause::Changed(what))),
            None => Ok(()),
        }
    }
}
