//! One medium, open for reading and for nothing else.

use super::facts::{self, Facts};
use super::hidden::{self, HiddenParts};
use crate::image::Image;
use crate::os::handles::{AsFd, OwnedFd};
use crate::os::{self, Errno, FileType};
use crate::problem::{Cause, Problem, Stage};
use crate::read::kind_name;
use crate::stat::Stat;
use pfh_container::map::{Map, Status};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The kind of a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A block device.
    Device,
    /// A regular file.
    File,
    /// A pipe, a terminal, standard input: read once, from front to back.
    Stream,
    /// The hashed object: the content of an image in a format of its own (E01, split raw), a
    /// pattern.
    Image,
}

/// Whether to go past the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// O_DIRECT where it serves: a failed read then costs its own sectors and no neighbours.
    #[default]
    Direct,
    /// Through the page cache.
    Cached,
}

enum Bytes {
    Seekable { cached: OwnedFd, direct: Option<OwnedFd>, align: u64 },
    Stream(OwnedFd),
    Standard,
    Image(Box<Image>),
    Pattern(Vec<u8>),
}

/// Whether a file that states no size has a first byte.
fn has_bytes(file: &OwnedFd) -> Result<bool, Problem> {
    os::read_at(file.as_fd(), &mut [0], 0).map(|got| got > 0).map_err(|errno| Problem::os(Stage::Read, errno))
}

/// An open medium.
pub struct Medium {
    bytes: Bytes,
    kind: Kind,
    size: Option<u64>,
    sectors: (u32, u32),
    facts: Facts,
    device: Option<u64>,
    faults: Option<Map>,
    /// Ranges that were filled in when the image was made: (offset, length) in bytes.
    recorded: Vec<(u64, u64)>,
    /// A file as it was when it was opened.
    before: Option<Stat>,
    /// Set when O_DIRECT was refused on the way.
    fell_back: AtomicBool,
}

impl Medium {
    /// Opens a block device or a file; `-` is standard input.
    ///
    /// # Errors
    /// When it cannot be opened, or is a directory.
    pub fn open(path: &[u8], access: Access) -> Result<Self, Problem> {
        if path == b"-" && os::was_closed(0) {
            return Err(Problem::os(Stage::Open, os::Errno::BADF));
        }
        if path == b"-" {
            return Ok(Self::with(Bytes::Standard, Kind::Stream, None));
        }
        let fail = |errno| Problem::os(Stage::Open, errno);
        let cached = os::open_medium(path, false).map_err(|errno| Problem::opening(path, errno))?;
        let stat = os::stat(&cached).map_err(fail)?;
        match os::file_type(stat.mode) {
            FileType::Directory => Err(Problem::new(Stage::Open, Cause::IsDirectory)),
            // /proc and the like state no size: their files are read to the end. Only a read that
            // returns no byte shows that a file is empty: one that fails shows nothing.
            FileType::RegularFile if stat.size == 0 && has_bytes(&cached)? => {
                Ok(Self::with(Bytes::Stream(cached), Kind::Stream, None))
            }
            FileType::RegularFile => {
                let mut medium = Self::seekable(path, cached, access, Kind::File, stat.size);
                medium.before = Some(stat);
                Ok(medium)
            }
            kind @ (FileType::BlockDevice | FileType::CharacterDevice) if !os::DEVICES => {
                Err(Problem::new(Stage::Open, Cause::NeedsLinux(kind_name(kind))))
            }
            FileType::BlockDevice => {
                let size = os::device_size(&cached).map_err(fail)?;
                if size == 0 {
                    // An empty card reader, a loop device that is not attached.
                    return Err(fail(Errno::NOMEDIUM));
                }
                let sectors = os::sector_sizes(cached.as_fd()).unwrap_or((512, 512));
                let number = os::device_number(&cached);
                let facts = facts::of(&cached);
                let mut medium = Self::seekable(path, cached, access, Kind::Device, size);
                (medium.sectors, medium.facts) = (sectors, facts);
                medium.device = Some(number);
                Ok(medium)
            }
            _ => {
                os::set_blocking(cached.as_fd()).map_err(fail)?;
                Ok(Self::with(Bytes::Stream(cached), Kind::Stream, None))
            }
        }
    }

    /// An image as a medium: its content, not its file.
    pub fn image(image: Image) -> Self {
        let (size, sector) = (image.size(), image.sector());
        let mut medium = Self::with(Bytes::Image(Box::new(image)), Kind::Image, Some(size));
        medium.sectors = (sector, sector);
        medium
    }

    /// `length` bytes of a pattern, over and over: for filling media.
    pub fn pattern(bytes: Vec<u8>, length: u64) -> Self {
        let bytes = if bytes.is_empty() { vec![0] } else { bytes };
        Self::with(Bytes::Pattern(bytes), Kind::Image, Some(length))
    }

    fn seekable(path: &[u8], cached: OwnedFd, access: Access, kind: Kind, size: u64) -> Self {
        let align = os::direct_alignment(&cached);
        let wanted = (access == Access::Direct).then_some(align).flatten();
        let direct = wanted.and_then(|_| os::open_medium(path, true).ok());
        // Opened by name a second time: only good if it is the same thing.
        let same = |fd: &OwnedFd| match (os::stat(fd), os::stat(&cached)) {
            (Ok(a), Ok(b)) => (a.device, a.inode) == (b.device, b.inode),
            _ => false,
        };
        let direct = direct.filter(same);
        if direct.is_none() {
            os::advise_sequential(cached.as_fd());
        }
        let align = u64::from(align.unwrap_or(512));
        Self::with(Bytes::Seekable { cached, direct, align }, kind, Some(size))
    }

    fn with(bytes: Bytes, kind: Kind, size: Option<u64>) -> Self {
        let (sectors, fell_back) = ((512, 512), AtomicBool::new(false));
        let (facts, faults, recorded, before) = (Facts::new(), None, Vec::new(), None);
        Medium { bytes, kind, size, sectors, facts, device: None, faults, recorded, before, fell_back }
    }

    /// Treats everything that `map` does not call finished as unreadable: for tests and training
    /// (ddrescue's `-H`).
    pub fn set_faults(&mut self, map: Map) {
        self.faults = Some(map);
    }

    /// Reports the ranges that the image's own list of errors (E01's `error2`) names as filled in,
    /// so that a copy of the image carries them on.
    pub fn carry_errors(&mut self) {
        let Bytes::Image(image) = &self.bytes else { return };
        let (sector, size) = (u64::from(image.sector()), image.size());
        let runs = image.ewf().map(|index| index.errors.0.as_slice()).unwrap_or_default();
        let range = |(first, count): &(u32, u32)| {
            let from = (u64::from(*first) * sector).min(size);
            (from, (u64::from(*count) * sector).min(size - from))
        };
        self.recorded = runs.iter().map(range).filter(|(_, length)| *length > 0).collect();
        self.recorded.sort_unstable();
    }

    /// Ranges that were filled in when the image was made, as (offset, length) in bytes; see
    /// [`carry_errors`](Medium::carry_errors).
    pub fn recorded(&self) -> &[(u64, u64)] {
        &self.recorded
    }

    /// The kind of the medium.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its size in bytes; `None` for streams.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Logical sector size in bytes: the least that one error loses. 512 for files and streams.
    pub fn sector(&self) -> u32 {
        self.sectors.0
    }

    /// Physical sector size in bytes.
    pub fn physical_sector(&self) -> u32 {
        self.sectors.1
    }

    /// The part of a file's metadata that changed since it was opened, so that the bytes that were
    /// read may be of several states: `size`, `mtime` or `ctime`; `metadata` if it cannot be asked.
    /// `None` if nothing changed or it is not a file: a device has no times of its own.
    pub fn changed(&self) -> Option<&'static str> {
        let (Bytes::Seekable { cached, .. }, Some(before)) = (&self.bytes, &self.before) else { return None };
        match os::stat(cached) {
            Ok(after) if after.size != before.size => Some("size"),
            Ok(after) if after.mtime != before.mtime => Some("mtime"),
            Ok(after) if after.ctime != before.ctime => Some("ctime"),
            Ok(_) => None,
            Err(_) => Some("metadata"),
        }
    }

    /// The kernel's words about it.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The device number of a block device (`st_rdev`).
    pub fn device(&self) -> Option<u64> {
        self.device
    }

    /// The areas that the disk hides, as it states them; `None` for a partition and for a file.
    pub fn hidden(&self) -> Option<HiddenParts> {
        let (Bytes::Seekable { cached, .. }, Kind::Device) = (&self.bytes, self.kind) else { return None };
        if self.facts.contains_key("partition") {
            return Some(HiddenParts::not_determined("this is a partition: its disk would have to be asked"));
        }
        Some(hidden::ask(&|command| os::ata(cached.as_fd(), command)))
    }

    /// Waits until a stream has something to read or is at its end, no longer than `most`; whether
    /// it came to that. Everything else can be read at any time. A FIFO is not at its end before a
    /// writer has opened it.
    ///
    /// # Errors
    /// The errno.
    pub fn is_ready(&self, most: Duration) -> Result<bool, Errno> {
        match &self.bytes {
            Bytes::Standard => os::wait_readable_for(std::io::stdin().as_fd(), most),
            Bytes::Stream(fd) => os::wait_readable_for(fd.as_fd(), most),
            _ => Ok(true),
        }
    }

    /// Whether reads go past the page cache.
    pub fn is_direct(&self) -> bool {
        matches!(&self.bytes, Bytes::Seekable { direct: Some(_), .. }) && !self.fell_back.load(Ordering::Relaxed)
    }

    /// Whether it is still there: a device that was pulled has size 0, or cannot be asked.
    pub fn is_there(&self) -> bool {
        match (&self.bytes, self.kind) {
            (Bytes::Seekable { cached, .. }, Kind::Device) => os::device_size(cached).is_ok_and(|size| size > 0),
            _ => true,
        }
    }

    /// Where the hole at `offset` ends, in bytes; `None` where there is data, or nobody knows
    /// (SEEK_DATA of lseek(2)).
    pub fn hole_at(&self, offset: u64) -> Option<u64> {
        let (Bytes::Seekable { cached, .. }, Kind::File, Some(size)) = (&self.bytes, self.kind, self.size) else {
            return None;
        };
        // A simulated bad area is not a hole.
        if self.faults.is_some() || offset >= size {
            return None;
        }
        match os::data_from(cached, offset) {
            Ok(data) => Some(data).filter(|data| *data > offset),
            // No data from here to the end.
            Err(Errno::NXIO) => Some(size),
            Err(_) => None,
        }
    }

    /// Reads at an offset (streams: on). May return less than asked for; 0 is the end.
    ///
    /// # Errors
    /// The errno.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        if let Some(map) = &self.faults
            && map.blocks().iter().any(|b| {
                b.status != Status::Finished && b.offset < offset + buffer.len() as u64 && offset < b.offset + b.length
            })
        {
            return Err(Errno::IO);
        }
        match &self.bytes {
            Bytes::Standard => os::read(std::io::stdin().as_fd(), buffer),
            Bytes::Stream(fd) => os::read(fd.as_fd(), buffer),
            Bytes::Image(image) => image.read_at(buffer, offset),
            Bytes::Pattern(pattern) => {
                let room = self.size.unwrap_or(0).saturating_sub(offset).min(buffer.len() as u64) as usize;
                let phase = (offset % pattern.len() as u64) as usize;
                let endless = pattern.iter().cycle().skip(phase);
                buffer[..room].iter_mut().zip(endless).for_each(|(to, from)| *to = *from);
                Ok(room)
            }
            Bytes::Seekable { cached, direct, align } => {
                let whole = buffer.len() as u64 / align * align;
                match direct {
                    Some(fd)
                        if offset.is_multiple_of(*align) && whole > 0 && !self.fell_back.load(Ordering::Relaxed) =>
                    {
                        match os::read_at(fd.as_fd(), &mut buffer[..whole as usize], offset) {
                            // Some file systems promise O_DIRECT and refuse it (fault row A22).
                            Err(Errno::INVAL | Errno::OPNOTSUPP) => self.fell_back.store(true, Ordering::Relaxed),
                            other => return other,
                        }
                        os::read_at(cached.as_fd(), buffer, offset)
                    }
                    _ => os::read_at(cached.as_fd(), buffer, offset),
                }
            }
        }
    }
}
