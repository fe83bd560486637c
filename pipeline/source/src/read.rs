//! One sequential read of one entry, and the proof at its end that the bytes that were read are one
//! consistent state.

use crate::base::Base;
use crate::descend::{Links, Special};
use crate::inside::Inside;
use crate::loan::{Lender, Loan};
use crate::os::handles::{AsFd, BorrowedFd, OwnedFd};
use crate::os::{self, Errno, FileType};
use crate::past::Past;
use crate::problem::{Cause, Problem, Stage};
use crate::stat::Stat;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

/// Something worth saying beside a good digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Note {
    /// The file system makes its sizes up (`/proc`, or a stated size of 0 with data).
    Virtual,
    /// A read failed and succeeded when it was tried again.
    Retried,
    /// The file system keeps no change time: a write during the read that put the modification time
    /// back was not to be seen.
    Untimed,
    /// Every byte was asked of the medium and none of the system's cache, as far as that is known.
    Uncached,
    /// It was not read: the digests are those of an earlier run, and nothing says that the file
    /// changed since.
    Reused,
}

impl Note {
    /// The note in output.
    pub fn name(self) -> &'static str {
        match self {
            Note::Virtual => "virtual",
            Note::Retried => "retried",
            Note::Untimed => "no-change-time",
            Note::Uncached => "uncached",
            Note::Reused => "reused",
        }
    }
}

/// The result of a complete and consistent read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResult {
    /// Bytes read.
    pub size: u64,
    /// The file's metadata as found before the read, where it is a file.
    pub stat: Option<Stat>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// Its container's facts about it, if it was in one.
    pub inside: Option<Arc<Inside>>,
}

enum Inner {
    File { fd: OwnedFd, before: Stat, regular: bool, usn: Option<i64> },
    Stream(File),
    Object { reader: Box<dyn Lender>, inside: Option<Arc<Inside>>, device: Option<u64> },
}

/// An open entry. Read until 0 comes back, then [`close`](Reading::close).
pub struct Reading {
    inner: Inner,
    offset: u64,
    hint: u64,
    retries: u32,
    retried: bool,
    /// Where a read at a position failed; the read that comes there fails so too.
    refused: Option<RefusedRead>,
    /// How a regular file is read past the system's cache, if it is to be.
    past: Option<Box<Past>>,
}

/// A read at a position that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRead {
    /// Where, in bytes from the beginning of the file.
    pub offset: u64,
    errno: Errno,
}

/// An open regular file, to be read at any position by several threads while its
/// [`Reading`] waits for them.
pub struct Positions {
    fd: OwnedFd,
}

impl Positions {
    /// Reads some bytes at `offset`; 0 is the end. EINTR is retried.
    ///
    /// # Errors
    /// For [`Reading::go_on`].
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, RefusedRead> {
        os::read_at(self.fd.as_fd(), buffer, offset).map_err(|errno| RefusedRead { offset, errno })
    }
}

impl Reading {
    /// An open file of `base`, and its path there: without a directory it is an operand.
    pub(crate) fn file(fd: OwnedFd, special: Special, base: &Base, path: &[u8]) -> Result<Self, Problem> {
        let operand = base.directory.is_none();
        let before = os::stat(&fd).map_err(|e| Problem::os(Stage::Open, e))?.of_stream(base.stream(path));
        let kind = os::file_type(before.mode);
        let is_fetched = kind == FileType::Placeholder && special == Special::Read && operand;
        let regular = kind == FileType::RegularFile || is_fetched;
        let allowed = match kind {
            FileType::RegularFile => true,
            // A disk is named to be hashed; anything else that is special must be asked for.
            FileType::BlockDevice if operand => true,
            FileType::Directory if operand => return Err(Problem::new(Stage::Open, Cause::IsDirectory)),
            _ => special == Special::Read && operand,
        };
        if !allowed {
            let cause = match base.links {
                _ if operand && kind == FileType::Placeholder => Cause::Elsewhere,
                _ if operand => Cause::Special(kind_name(kind)),
                Links::Within => Cause::NoFile(kind_name(kind)),
                Links::Keep | Links::Follow => Cause::Replaced,
            };
            return Err(Problem::new(Stage::Open, cause));
        }
        if regular {
            os::settle(fd.as_fd(), &before);
        }
        let usn = if regular { os::usn(fd.as_fd()) } else { None };
        if before.size > 256 << 10 {
            os::advise_sequential(fd.as_fd());
        }
        let hint = if regular { before.size } else { u64::MAX };
        let past = (regular && base.past).then(|| Box::new(Past::begin(fd.as_fd())));
        Ok(Reading {
            inner: Inner::File { fd, before, regular, usn },
            offset: 0,
            hint,
            retries: 0,
            retried: false,
            refused: None,
            past,
        })
    }

    pub(crate) fn stream(open: File) -> Self {
        Reading {
            inner: Inner::Stream(open),
            offset: 0,
            hint: u64::MAX,
            retries: 0,
            retried: false,
            refused: None,
            past: None,
        }
    }

    pub(crate) fn object(reader: Box<dyn Lender>, hint: Option<u64>, inside: Option<Arc<Inside>>) -> Self {
        let (hint, inner) = (hint.unwrap_or(u64::MAX), Inner::Object { reader, inside, device: None });
        Reading { inner, offset: 0, hint, retries: 0, retried: false, refused: None, past: None }
    }

    /// Says on which device an object lies.
    pub(crate) fn on(mut self, found: Option<u64>) -> Self {
        if let Inner::Object { device, .. } = &mut self.inner {
            *device = found;
        }
        self
    }

    /// How often a failed read is tried again before it counts. 0 by default.
    pub fn set_retries(&mut self, retries: u32) {
        self.retries = retries;
    }

    /// The size in bytes that the file states, `u64::MAX` where it has none. Only good for choosing
    /// a buffer.
    pub fn size_hint(&self) -> u64 {
        self.hint
    }

    /// Whether a read may rightly take any time: pipes and terminals wait for their writers.
    pub fn may_wait(&self) -> bool {
        match &self.inner {
            Inner::File { before, .. } => {
                !matches!(os::file_type(before.mode), FileType::RegularFile | FileType::BlockDevice)
            }
            Inner::Stream(_) => true,
            Inner::Object { .. } => false,
        }
    }

    /// The device that holds the file, or the object if it says so.
    pub fn device(&self) -> Option<u64> {
        match &self.inner {
            Inner::File { before, .. } => Some(before.device),
            Inner::Object { device, .. } => *device,
            Inner::Stream(_) => None,
        }
    }

    /// The file behind it, where it is a regular one that may be read through the system's cache.
    pub(crate) fn regular(&self) -> Option<BorrowedFd<'_>> {
        if self.past.is_some() {
            return None;
        }
        if let Inner::File { fd, regular: true, .. } = &self.inner { Some(fd.as_fd()) } else { None }
    }

    /// The same file for reads at any position; `None` where only this one reads it: it is not a
    /// regular file, it is one that makes its size up, a read at a position has failed that is not
    /// reported yet, or no further descriptor is to be had.
    pub fn positions(&self) -> Option<Positions> {
        if self.refused.is_some() {
            return None;
        }
        let fd = self.regular().filter(|fd| !os::is_virtual(*fd))?;
        fd.try_clone_to_owned().ok().map(|fd| Positions { fd })
    }

    /// Goes on at `offset`: the bytes before it were read at [positions](Reading::positions). One
    /// such read may have failed, at `offset` or behind it: the read that comes there has had its
    /// first attempt.
    pub fn go_on(&mut self, offset: u64, refused: Option<RefusedRead>) {
        self.refused = refused.filter(|refused| refused.offset >= offset);
        self.offset = offset;
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes, at most `most`, if they are in memory already; `None` if they are to be
    /// read.
    pub fn lend(&mut self, most: usize) -> Option<Loan> {
        let Inner::Object { reader, .. } = &mut self.inner else { return None };
        let loan = reader.lend(most).filter(|loan| !loan.is_empty())?;
        self.offset += loan.len() as u64;
        Some(loan)
    }

    /// Reads on into `buffer`; 0 is the end. Short reads are normal. EINTR is retried, EAGAIN
    /// waited out.
    ///
    /// # Errors
    /// The problem names the offset, and for files the length of the range that cannot be read.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        self.read_on(None, buffer)
    }

    /// As [`read`](Reading::read), where the first attempt was made already, into this very buffer.
    pub(crate) fn read_on(
        &mut self,
        mut first: Option<Result<usize, Errno>>,
        mut buffer: &mut [u8],
    ) -> Result<usize, Problem> {
        let mut tries = self.retries;
        if let Some(RefusedRead { offset, errno }) = self.refused {
            match usize::try_from(offset.saturating_sub(self.offset)) {
                Ok(0) => (first, self.refused) = (Some(Err(errno)), None),
                Ok(before) if before < buffer.len() => buffer = &mut buffer[..before],
                _ => {}
            }
        }
        loop {
            let got = match &mut self.inner {
                _ if first.is_some() => first.take().unwrap_or(Ok(0)),
                Inner::File { fd, regular: true, .. } => {
                    let fd = fd.as_fd();
                    let read = match &mut self.past {
                        Some(past) => past.read(fd, buffer, self.offset),
                        None => os::read_at(fd, buffer, self.offset),
                    };
                    if read == Err(Errno::SPIPE) { os::read(fd, buffer) } else { read }
                }
                Inner::File { fd, before, .. } => {
                    // Opened without blocking, a FIFO that nobody has written to yet reads as
                    // ended: a digest of nothing.
                    if self.offset == 0 && os::file_type(before.mode) == FileType::Fifo {
                        os::wait_readable(fd.as_fd()).and_then(|()| os::read(fd.as_fd(), buffer))
                    } else {
                        os::read(fd.as_fd(), buffer)
                    }
                }
                Inner::Stream(open) => os::read(open.as_fd(), buffer),
                Inner::Object { reader, .. } => match os::Patient(reader).read(buffer) {
                    Err(e) => return Err(Problem::object(&e, self.offset)),
                    Ok(n) => Ok(n),
                },
            };
            match got {
                Ok(n) => {
                    self.offset += n as u64;
                    return Ok(n);
                }
                Err(_) if tries > 0 => {
                    tries -= 1;
                    self.retried = true;
                }
                Err(errno) => return Err(self.unreadable(errno, buffer)),
            }
        }
    }

    /// Narrows a failed read down: where exactly reading stops, and where it would go on.
    fn unreadable(&self, errno: Errno, scratch: &mut [u8]) -> Problem {
        let problem = Problem::os(Stage::Read, errno).at(self.offset);
        let Inner::File { fd, before, regular: true, .. } = &self.inner else { return problem };
        if errno != Errno::IO || scratch.is_empty() || self.past.is_some() {
            return problem;
        }
        match bad_range(fd.as_fd(), self.offset, before.size, scratch) {
            Some((offset, length)) => Problem { length: Some(length), ..problem.at(offset) },
            None => problem,
        }
    }

    /// Ends the read after `read` returned 0: compares metadata before and after, and the bytes
    /// read with the size.
    ///
    /// # Errors
    /// `changed` when the file was written to meanwhile, `truncated` when its size does not match
    /// its bytes.
    pub fn close(self) -> Result<ReadResult, Problem> {
        let mut notes = Vec::new();
        if self.retried {
            notes.push(Note::Retried);
        }
        if self.past.as_ref().is_some_and(|past| past.is_past()) {
            notes.push(Note::Uncached);
        }
        let (fd, before, regular, usn) = match self.inner {
            Inner::File { fd, before, regular, usn } => (fd, before, regular, usn),
            Inner::Stream(_) => return Ok(ReadResult { size: self.offset, stat: None, notes, inside: None }),
            Inner::Object { inside, .. } => return Ok(ReadResult { size: self.offset, stat: None, notes, inside }),
        };
        if !regular {
            return Ok(ReadResult { size: self.offset, stat: Some(before), notes, inside: None });
        }
        let after = os::stat(&fd).map_err(|e| Problem::os(Stage::Check, e))?;
        let is_moved = os::usn(fd.as_fd()) != usn;
        let differs = difference(&before, &after).or(is_moved.then_some(JOURNAL));
        if differs.is_some() || before.size != self.offset {
            if os::is_virtual(fd.as_fd()) {
                notes.push(Note::Virtual);
            } else if let Some(what) = differs {
                return Err(Problem::new(Stage::Check, Cause::Changed(what)));
            } else if before.size == 0 {
                // Some FUSE file systems state no sizes; the bytes that came are all there are.
                notes.push(Note::Virtual);
            } else {
                return Err(Problem::new(Stage::Check, Cause::Size { stated: before.size, read: self.offset }));
            }
        }
        if !os::is_timed(fd.as_fd(), &before) {
            notes.push(Note::Untimed);
        }
        Ok(ReadResult { size: self.offset, stat: Some(before), notes, inside: None })
    }
}

/// The difference where only the journal of the volume tells that a file was written to.
pub(crate) const JOURNAL: &str = "number in the volume's journal";

pub(crate) fn difference(before: &Stat, after: &Stat) -> Option<&'static str> {
    if before.size != after.size {
        Some("size")
    } else if before.mtime != after.mtime {
        Some("modification time")
    } else if before.ctime != after.ctime {
        Some("change time")
    } else {
        None
    }
}

pub(crate) fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "directory",
        FileType::Fifo => "FIFO",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        FileType::Placeholder => "placeholder",
        _ => "special file",
    }
}

/// Granularity at which an unreadable range is reported: a page, the unit of the page cache.
const STEP: u64 = 4096;
/// How far the end of an unreadable range is looked for: 1,024 pages.
const PROBES: u64 = 1024;

fn bad_range(fd: BorrowedFd<'_>, from: u64, size: u64, scratch: &mut [u8]) -> Option<(u64, u64)> {
    let room = scratch.len().min(STEP as usize);
    let page = &mut scratch[..room];
    let mut readable = |offset: u64| {
        let end = ((offset / STEP + 1) * STEP - offset).min(page.len() as u64) as usize;
        os::read_at(fd, &mut page[..end], offset).is_ok()
    };
    let next = |offset: u64| (offset / STEP + 1) * STEP;
    let mut start = from;
    let mut left = PROBES;
    while readable(start) {
        start = next(start);
        left = left.checked_sub(1)?;
        if start >= size {
            return None;
        }
    }
    let mut end = next(start);
    while end < size && !readable(end) {
        end = next(end);
        left = left.checked_sub(1)?;
    }
    // A file that states no size has no range to tell.
    Some((start, end.min(size.max(start)) - start)).filter(|(_, length)| *length > 0)
}
