//! The medium's bytes as they are: one file, pieces of a file, or a block device.

use crate::spill::{Spill, is_empty};
use pfh_container::is_zero;
use pfh_container::split::{Suffix, cut};
use pfh_engine::imaging::{Ending, Portion, Target};
use pfh_source::os::handles::{AsFd, OwnedFd};
use pfh_source::os::names::with_ending;
use pfh_source::os::{self, Errno, FileType, OpenMode, file_type};
use std::io;
use std::path::{Path, PathBuf};

/// The treatment of a file that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It must not exist.
    New,
    /// It is cut off where the image starts.
    Replace,
    /// It is written into; the bytes beyond the image stay. Devices are always treated so.
    Into,
    /// This many bytes of the image are in it; the rest is written again.
    Resume(u64),
}

/// How an image is cut into files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces {
    /// Bytes of a piece.
    pub length: u64,
    /// How they are numbered.
    pub suffix: Suffix,
    /// Places of the number.
    pub width: usize,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawOptions {
    /// The treatment of a file that exists.
    pub start: Start,
    /// Where in the file or device the image starts, in bytes.
    pub seek: u64,
    /// Several files. The path is then the name without the number.
    pub pieces: Option<Pieces>,
    /// Zeros become holes.
    pub sparse: bool,
    /// Past the page cache where alignment allows.
    pub direct: bool,
    /// Bytes of the image where that is known: room for them is made sure of before the first is
    /// written.
    pub expected: Option<u64>,
    /// Whether the end is synced. dd does not, and loses late errors.
    pub synced: bool,
}

impl Default for RawOptions {
    fn default() -> Self {
        let (seek, pieces, expected) = (0, None, None);
        RawOptions { start: Start::New, seek, pieces, sparse: false, direct: false, expected, synced: true }
    }
}

/// The unit, in bytes, in which zeros are looked for and holes left.
const HOLE: usize = 4096;

struct Open {
    number: u64,
    fd: OwnedFd,
    /// The same, past the page cache.
    direct: Option<(OwnedFd, u64)>,
    /// Bytes written to it, or left out as a hole, from its start.
    end: u64,
    is_file: bool,
    /// Locks that keep others off a device.
    _held: os::VolumeLocks,
    /// Standard output: written from where it stands, in order.
    is_stream: bool,
}

/// A raw image being written.
pub struct Raw {
    path: PathBuf,
    options: RawOptions,
    current: Option<Open>,
    /// Bytes of the image written so far.
    upto: u64,
    spill: Spill,
}

impl Raw {
    /// Opens the first file, or the device.
    ///
    /// # Errors
    /// The system's: it exists, there is no room (ENOSPC) for an image of the size expected, the
    /// device is in use.
    pub fn create(path: &Path, options: RawOptions) -> io::Result<Self> {
        Self::spilling(path, options, Spill::default())
    }

    /// The same; pieces for which there is no room go to further directories.
    ///
    /// # Errors
    /// As for [`create`](Raw::create).
    pub fn spilling(path: &Path, options: RawOptions, spill: Spill) -> io::Result<Self> {
        spill.check(path)?;
        let upto = if let Start::Resume(done) = options.start { done } else { 0 };
        let mut raw = Raw { path: path.to_owned(), options, current: None, upto, spill };
        let piece = options.pieces.map_or(u64::MAX, |p| p.length);
        // Pieces behind the place of resumption are stale, and all but the first of an image that
        // is replaced.
        let stale = match options.start {
            Start::Resume(done) => Some(done.div_ceil(piece)),
            Start::Replace => Some(1),
            Start::New | Start::Into => None,
        };
        if let (Some(mut number), Some(_)) = (stale, options.pieces) {
            while let Ok(stale) = raw.name(number)
                && stale.symlink_metadata().is_ok()
            {
                raw.spill.remove(&stale)?;
                number += 1;
            }
        }
        raw.open(upto / piece)?;
        raw.reserve()?;
        Ok(raw)
    }

    /// The name of a piece.
    fn name(&self, number: u64) -> io::Result<PathBuf> {
        let Some(pieces) = self.options.pieces else { return Ok(self.path.clone()) };
        let suffix = pieces.suffix.within(number, pieces.width).ok_or_else(|| {
            io::Error::other("the names of the pieces are used up: make the pieces larger or their numbers longer")
        })?;
        Ok(with_ending(&self.path, format!(".{suffix}")))
    }

    fn open(&mut self, number: u64) -> io::Result<()> {
        self.close()?;
        let path = self.name(number)?;
        let piece = self.options.pieces.map_or(u64::MAX, |p| p.length);
        let is_device = os::stat_path(&path).is_ok_and(|(found, _)| file_type(found.mode) == FileType::BlockDevice);
        if is_device && !os::DEVICES {
            return Err(io::Error::other(
                "is a block device: to write to it takes pfh's system layer for Linux, and this build has the portable one",
            ));
        }
        let inside = self.upto.saturating_sub(number.saturating_mul(piece));
        if path == Path::new("/dev/stdout") && matches!(self.options.start, Start::Into) {
            // Opening its name would begin a regular file again at 0, over the bytes that `>>`
            // leaves there.
            let fd = io::stdout().as_fd().try_clone_to_owned()?;
            self.current = Some(Open {
                number,
                fd,
                direct: None,
                end: 0,
                is_file: false,
                _held: os::VolumeLocks::default(),
                is_stream: true,
            });
            return Ok(());
        }
        let how = match self.options.start {
            // Refused while it is mounted or otherwise held.
            _ if is_device => OpenMode::Held,
            Start::New => OpenMode::CreateNew,
            Start::Replace | Start::Into => OpenMode::Create,
            Start::Resume(_) if inside > 0 => OpenMode::Existing,
            Start::Resume(_) => OpenMode::Truncate,
        };
        if how != OpenMode::Existing && !is_device {
            self.spill.place(&path, piece.min(self.options.expected.unwrap_or(piece)))?;
        }
        let opened = match os::open_to_write(&path, how, false) {
            // An empty file, as mktemp makes it, holds nothing that could be lost.
            Err(Errno::EXIST) if !is_device && is_empty(&path) => os::open_to_write(&path, OpenMode::Existing, false),
            other => other,
        };
        let fd = opened.map_err(|errno| os::broken("open", errno))?;
        let is_file = os::stat(&fd).is_ok_and(|found| file_type(found.mode) == FileType::RegularFile);
        if self.options.sparse && !is_file {
            return Err(io::Error::other("holes need a regular file"));
        }
        if let (Start::Resume(_) | Start::Replace, true) = (self.options.start, is_file) {
            // A hole must read as zeros: nothing of before may lie behind.
            truncate(&fd, self.options.seek + inside)?;
        }
        let _held = if is_device { os::hold(&fd, &path)? } else { os::VolumeLocks::default() };
        let align = os::direct_alignment(&fd).or(is_device.then_some(4096));
        let direct = match align.filter(|_| self.options.direct || is_device) {
            Some(align) => os::open_to_write(&path, OpenMode::Existing, true).ok().map(|fd| (fd, u64::from(align))),
            None => None,
        };
        self.current =
            Some(Open { number, fd, direct, end: self.options.seek + inside, is_file, _held, is_stream: false });
        Ok(())
    }

    /// Reserves the room, so that a full disk is reported before hours of reading and not after.
    fn reserve(&self) -> io::Result<()> {
        let (Some(open), Some(expected)) = (&self.current, self.options.expected) else { return Ok(()) };
        if !open.is_file {
            return match os::device_size(&open.fd) {
                Ok(size) if size < self.options.seek + expected => Err(io::Error::other(format!(
                    "the target has {size} bytes, and the image needs {}",
                    self.options.seek + expected
                ))),
                _ => Ok(()),
            };
        }
        if self.options.sparse || expected == 0 {
            return Ok(());
        }
        let piece = self.options.pieces.map_or(u64::MAX, |p| p.length);
        match os::reserve(&open.fd, self.options.seek, expected.min(piece)) {
            Ok(()) => self.room_elsewhere(expected.saturating_sub(piece)),
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => self.room_elsewhere(expected),
            Err(errno) => Err(os::broken("fallocate", errno)),
        }
    }

    /// Whether the file system has `needed` bytes left.
    fn room_elsewhere(&self, needed: u64) -> io::Result<()> {
        let Some(open) = &self.current else { return Ok(()) };
        if !self.spill.is_empty() {
            let done = if let Start::Resume(done) = self.options.start { done } else { 0 };
            return match self.spill.has_room(&self.path, needed.saturating_sub(done))? {
                true => Ok(()),
                false => Err(Errno::NOSPC.into()),
            };
        }
        let found = os::free_bytes(&open.fd)?;
        let done = if let Start::Resume(done) = self.options.start { done } else { 0 };
        // File systems that say nothing of blocks are believed to have room.
        if found.is_some_and(|free| free < needed.saturating_sub(done)) {
            return Err(Errno::NOSPC.into());
        }
        Ok(())
    }

    fn sync_current(&mut self) -> io::Result<()> {
        let Some(open) = &self.current else { return Ok(()) };
        if self.options.sparse && open.is_file && os::stat(&open.fd)?.size != open.end {
            truncate(&open.fd, open.end)?;
        }
        if self.options.synced {
            sync(&open.fd)?;
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.sync_current()?;
        let Some(open) = self.current.take() else { return Ok(()) };
        // Space that was reserved and not written is given back.
        if open.is_file && !matches!(self.options.start, Start::Into) {
            truncate(&open.fd, open.end)?;
        }
        if let Some((fd, _)) = open.direct {
            os::close(fd)?;
        }
        Ok(os::close(open.fd)?)
    }
}

fn truncate(fd: &OwnedFd, length: u64) -> io::Result<()> {
    os::truncate(fd, length).map_err(|errno| os::broken("ftruncate", errno))
}

/// fsync, where the target is something that can be synced.
fn sync(fd: impl AsFd) -> io::Result<()> {
    match os::sync(fd) {
        Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        Err(errno) => Err(os::broken("fsync", errno)),
    }
}

impl Open {
    fn write(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if self.is_stream {
            return in_order(&self.fd, bytes);
        }
        let mut done = 0;
        if let Some((fd, align)) = &self.direct
            && offset.is_multiple_of(*align)
            && (bytes.as_ptr() as usize).is_multiple_of(*align as usize)
        {
            let whole = bytes.len() / *align as usize * *align as usize;
            // The last partial block goes through the page cache: O_DIRECT has no form for it.
            match pwrite(fd, &bytes[..whole], offset) {
                Ok(()) => done = whole,
                Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => self.direct = None,
                Err(error) => return Err(error),
            }
        }
        pwrite(&self.fd, &bytes[done..], offset + done as u64)?;
        Ok(())
    }
}

fn in_order(fd: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match os::write(fd, bytes).map_err(|errno| os::broken("write", errno))? {
            0 => return Err(Errno::NOSPC.into()),
            wrote => bytes = &bytes[wrote..],
        }
    }
    Ok(())
}

/// Writes all of it. Pipes and terminals have no places: there the order of writes is the order of
/// bytes.
fn pwrite(fd: &OwnedFd, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let wrote = match os::write_at(fd, bytes, offset) {
            Err(Errno::SPIPE) => os::write(fd, bytes).map_err(|errno| os::broken("write", errno)),
            other => other.map_err(|errno| os::broken("pwrite", errno)),
        };
        match wrote? {
            0 => return Err(Errno::NOSPC.into()),
            n => {
                bytes = &bytes[n..];
                offset += n as u64;
            }
        }
    }
    Ok(())
}

impl Target for Raw {
    fn write(&mut self, portion: &Portion) -> io::Result<()> {
        let piece = self.options.pieces.map_or(u64::MAX, |p| p.length);
        let mut bytes = &portion.bytes[..];
        let cuts: Vec<_> = cut(portion.offset, bytes.len() as u64, piece).collect();
        for (number, inside, length) in cuts {
            if self.current.as_ref().is_none_or(|open| open.number != number) {
                self.open(number)?;
            }
            let (now, later) = bytes.split_at(length as usize);
            bytes = later;
            let (sparse, seek) = (self.options.sparse, self.options.seek);
            let Some(open) = &mut self.current else { return Err(Errno::BADF.into()) };
            let at = seek + inside;
            if sparse {
                let mut from = 0;
                for (length, is_hole) in runs(now) {
                    if !is_hole {
                        open.write(&now[from..from + length], at + from as u64)?;
                    }
                    from += length;
                }
            } else {
                open.write(now, at)?;
            }
            open.end = at + length;
            self.upto += length;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<u64> {
        self.sync_current()?;
        Ok(self.upto)
    }

    fn finish(&mut self, _: &Ending<'_>) -> io::Result<()> {
        let is_file = self.current.as_ref().is_some_and(|open| open.is_file);
        self.close()?;
        if is_file && self.options.synced {
            // The name must survive as well.
            let directory = match self.path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => parent,
                _ => Path::new("."),
            };
            sync(os::open_to_sync(directory)?)?;
            self.spill.sync()?;
        }
        Ok(())
    }
}

/// Runs of units that are all zeros, or not: (bytes, whether they are zeros).
fn runs(bytes: &[u8]) -> Vec<(usize, bool)> {
    let mut runs: Vec<(usize, bool)> = Vec::new();
    for unit in bytes.chunks(HOLE) {
        let zero = is_zero(unit);
        match runs.last_mut() {
            Some((length, before)) if *before == zero => *length += unit.len(),
            _ => runs.push((unit.len(), zero)),
        }
    }
    runs
}
