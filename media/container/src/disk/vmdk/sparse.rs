//! A hosted sparse extent: stored or deflated grains, which a directory of tables leads to.

use crate::Bytes;
use crate::disk::paged::PagedFile;
use crate::disk::unpack::{Method, unpack};
use crate::disk::{Failure, stored, within_unit};
use crate::field::{le16, le32, le64};
use crate::units::Units;
use std::io;
use std::sync::Arc;

/// Bytes of a sector.
pub const SECTOR: u64 = 512;
/// The directory is behind the grains: a footer says where.
const AT_END: u64 = u64::MAX;
/// The longest grain, in sectors: 64 KiB by default, and 1 MiB seen.
const LONGEST_GRAIN: u64 = 32 << 10;
/// Flags of the header.
const ZERO_GRAINS: u32 = 1 << 2;
const COMPRESSED: u32 = 1 << 16;

/// A sparse extent, open.
pub struct Sparse {
    file: Arc<dyn Bytes>,
    tables: PagedFile,
    grains: Units,
    size: u64,
    grain: u64,
    entries: u64,
    directory: u64,
    flags: u32,
    descriptor: Option<(u64, u64)>,
}

impl Sparse {
    /// Opens an extent. `whole` says that it is the disk, so that it has a descriptor.
    pub fn open(file: Arc<dyn Bytes>, whole: bool, notes: &mut Vec<String>) -> Result<Sparse, Failure> {
        let mut header = [0; SECTOR as usize];
        file.read_exact_at(0, &mut header)?;
        if header.starts_with(b"COWD") {
            return Err(Failure::refused("an extent of ESX (COWD)"));
        }
        let mut directory = le64(&header, 56);
        let (at, length) = (le64(&header, 28), le64(&header, 36));
        if directory == AT_END {
            // A marker, the footer, the end marker.
            let at = file.size().checked_sub(2 * SECTOR).ok_or_else(|| Failure::malformed("no footer"))?;
            file.read_exact_at(at, &mut header)?;
            directory = le64(&header, 56);
            if !header.starts_with(b"KDMV") || directory == AT_END {
                return Err(Failure::at(at, "no footer behind the grains: the image was not finished"));
            }
        }
        if !header.starts_with(b"KDMV") {
            return Err(Failure::at(0, "not the header of a sparse extent"));
        }
        if !(1..=3).contains(&le32(&header, 4)) {
            return Err(Failure::refused(format!("version {} of a sparse extent", le32(&header, 4))));
        }
        let (flags, capacity, grain) = (le32(&header, 8), le64(&header, 12), le64(&header, 20));
        let entries = u64::from(le32(&header, 44));
        if flags & 1 != 0 && header[73..77] != *b"\n \r\n" {
            return Err(Failure::at(73, "line ends were changed: it went through a transfer of text"));
        }
        if flags & COMPRESSED != 0 && le16(&header, 77) != 1 {
            return Err(Failure::refused(format!("grains compressed by method {}", le16(&header, 77))));
        }
        if !grain.is_power_of_two() || !(8..=LONGEST_GRAIN).contains(&grain) || !(1..=1 << 16).contains(&entries) {
            return Err(Failure::at(20, format!("grains of {grain} sectors, {entries} to a table")));
        }
        let tables = capacity.div_ceil(grain).div_ceil(entries);
        let start = directory.checked_mul(SECTOR);
        let size = capacity.checked_mul(SECTOR);
        let end = start.and_then(|start| start.checked_add(tables.checked_mul(4)?));
        let (Some(directory), Some(size), true) = (start, size, end.is_some_and(|end| end <= file.size())) else {
            return Err(Failure::at(12, format!("a disk of {capacity} sectors, whose directory leaves the file")));
        };
        if header[72] != 0 {
            notes.push("VMware did not close it: its last writes may be missing".to_owned());
        }
        let descriptor = match (at.checked_mul(SECTOR), length.checked_mul(SECTOR)) {
            (Some(at), Some(length)) if whole && at > 0 && length > 0 => Some((at, length)),
            _ => None,
        };
        let (tables, grains) = (PagedFile::new(file.clone()), Units::default());
        Ok(Sparse { file, tables, grains, size, grain: grain * SECTOR, entries, directory, flags, descriptor })
    }

    /// Where the descriptor is: offset and length in bytes.
    pub fn descriptor(&self) -> Option<(u64, u64)> {
        self.descriptor
    }

    /// The sector of a grain: 0 if it was never written, 1 if it is zero.
    fn entry(&self, number: u64) -> Result<u64, Failure> {
        let place = self.directory + number / self.entries * 4;
        let table = u64::from(u32::from_le_bytes(self.tables.array(place)?)) * SECTOR;
        Ok(match table {
            0 => 0,
            table => u64::from(u32::from_le_bytes(self.tables.array(table + number % self.entries * 4)?)),
        })
    }

    /// How many of `room` bytes from `offset` on lie in one grain, and whether this extent holds
    /// it.
    pub fn own(&self, offset: u64, room: usize) -> Result<(usize, bool), Failure> {
        match within_unit(self.size, self.grain, offset, room) {
            Some((number, _, take)) => Ok((take, self.entry(number)? != 0)),
            None => Ok((0, true)),
        }
    }

    fn read(&self, number: u64, inside: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let entry = self.entry(number)?;
        let at = entry * SECTOR;
        match entry {
            0 => buffer.fill(0),
            1 if self.flags & ZERO_GRAINS != 0 => buffer.fill(0),
            _ if self.flags & COMPRESSED == 0 => return Ok(stored(&*self.file, at + inside, buffer)?),
            _ => {
                let grain = self.grains.get(number, || self.inflate(number, at))?;
                let from = inside as usize;
                buffer.copy_from_slice(&grain[from..from + buffer.len()]);
            }
        }
        Ok(buffer.len())
    }

    /// A grain: its first sector, its length, its bytes.
    fn inflate(&self, number: u64, at: u64) -> Result<Vec<u8>, Failure> {
        let head: [u8; 12] = self.tables.array(at)?;
        let (first, length) = (le64(&head, 0), u64::from(le32(&head, 8)));
        if first != number * (self.grain / SECTOR) {
            return Err(Failure::at(at, format!("the grain of sector {first} in place of another")));
        }
        // Deflate adds little to bytes that it cannot shorten.
        if length > self.grain + self.grain / 8 + 128 {
            return Err(Failure::at(at, format!("a grain of {length} bytes, compressed")));
        }
        let mut packed = vec![0; length as usize];
        self.file.read_exact_at(at + 12, &mut packed)?;
        // The last grain holds the rest of the disk, or a whole grain.
        let whole = unpack(Method::Zlib, &packed, self.grain);
        let left = self.size - number * self.grain;
        let found = match whole {
            Err(_) if left < self.grain => unpack(Method::Zlib, &packed, left).map(|mut grain| {
                grain.resize(self.grain as usize, 0);
                grain
            }),
            other => other,
        };
        found.map_err(|failure| Failure::at(at, failure.to_string()))
    }
}

impl Bytes for Sparse {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(self.size, self.grain, offset, buffer.len()) else {
            return Ok(0);
        };
        Ok(self.read(number, inside, &mut buffer[..take])?)
    }
}
