//! VHD, after Microsoft's "Virtual Hard Disk Image Format Specification" (2006). All numbers are
//! big-endian.

use super::paged::PagedFile;
use super::parent::{Parent, Parents};
use super::{Disk, Failure, Kind, stored, within_unit};
use crate::field::{be32, be64};
use crate::{Bytes, is_zero};
use std::io;
use std::sync::Arc;

const FOOTER: usize = 512;
const HEADER: usize = 1024;
const SECTOR: u64 = 512;
/// Bytes of a path to a parent.
const LONGEST_PATH: usize = 64 << 10;
/// An entry of the table of a block that was never written.
const UNUSED: u32 = u32::MAX;

/// Opens a VHD.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Parents) -> Result<Box<dyn Disk>, Failure> {
    let (footer, at, notes) = footer(&*file)?;
    let size = be64(&footer, 48);
    if !size.is_multiple_of(SECTOR) {
        return Err(Failure::at(at, format!("a disk of {size} bytes: no whole number of sectors")));
    }
    match be32(&footer, 60) {
        2 if size <= at => Ok(Box::new(FixedDisk { file, size, identity: hex(&footer[68..84]), notes })),
        2 => Err(Failure::at(at, format!("a fixed disk of {size} bytes in front of a footer at {at}"))),
        3 => Ok(Box::new(Dynamic::open(file, &footer, size, notes, None)?)),
        4 => Ok(Box::new(Dynamic::open(file, &footer, size, notes, Some(files))?)),
        other => Err(Failure::at(at, format!("a disk of type {other}"))),
    }
}

/// The digits of an identifier.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The parent of a differencing disk, by the header's name of it and those of its locators.
fn parent(file: &dyn Bytes, header: &[u8; HEADER], files: &dyn Parents) -> Result<Parent, Failure> {
    let wide = |bytes: &[u8], big: bool| {
        let unit = |pair: &[u8]| {
            if big { u16::from_be_bytes([pair[0], pair[1]]) } else { u16::from_le_bytes([pair[0], pair[1]]) }
        };
        let units: Vec<u16> = bytes.chunks_exact(2).map(unit).take_while(|unit| *unit != 0).collect();
        String::from_utf16_lossy(&units)
    };
    let mut names = vec![wide(&header[64..576], true)];
    for locator in header[576..768].chunks_exact(24) {
        // Windows' paths, relative and absolute; other kinds belong to systems that are gone.
        let length = be32(locator, 8) as usize;
        if [&b"W2ru"[..], b"W2ku"].contains(&&locator[..4]) && length <= LONGEST_PATH {
            let mut path = vec![0; length];
            file.read_exact_at(be64(locator, 16), &mut path)?;
            names.push(wide(&path, false));
        }
    }
    let parent = files.parent(&names, false)?;
    parent.expect(&hex(&header[40..56]))?;
    Ok(parent)
}

/// The footer, its place, and a remark about it: behind the disk, or its copy in front.
fn footer(file: &dyn Bytes) -> Result<([u8; FOOTER], u64, Vec<String>), Failure> {
    let end = file.size();
    // The oldest footers have 511 bytes.
    for length in [FOOTER, FOOTER - 1] {
        let Some(at) = end.checked_sub(length as u64) else { continue };
        let mut footer = [0; FOOTER];
        file.read_exact_at(at, &mut footer[..length])?;
        if is_sound(&footer, 64) {
            return Ok((footer, at, Vec::new()));
        }
    }
    let mut footer = [0; FOOTER];
    file.read_exact_at(0, &mut footer)?;
    if is_sound(&footer, 64) {
        let note = "the footer at the end is missing or damaged: its copy at the start is used".to_owned();
        return Ok((footer, 0, vec![note]));
    }
    Err(Failure::at(end.saturating_sub(FOOTER as u64), "the footer's checksum is wrong, and that of its copy"))
}

/// Whether a footer or header has its name, and the checksum at `place` is that of the rest: the
/// sum of the bytes, inverted.
fn is_sound(bytes: &[u8], place: usize) -> bool {
    let names: [&[u8]; 2] = [b"conectix", b"cxsparse"];
    let sum = bytes.iter().enumerate().filter(|(at, _)| !(place..place + 4).contains(at));
    let sum = sum.fold(0_u32, |sum, (_, byte)| sum.wrapping_add(u32::from(*byte)));
    names.iter().any(|name| bytes.starts_with(name)) && !sum == be32(bytes, place)
}

/// A raw disk with a footer behind it.
struct FixedDisk {
    file: Arc<dyn Bytes>,
    size: u64,
    identity: String,
    notes: Vec<String>,
}

impl Bytes for FixedDisk {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((_, _, take)) = within_unit(self.size, u64::MAX, offset, buffer.len()) else { return Ok(0) };
        self.file.read_at(offset, &mut buffer[..take])
    }
}

impl Disk for FixedDisk {
    fn kind(&self) -> Kind {
        Kind::Vhd
    }

    fn identity(&self) -> Option<String> {
        Some(self.identity.clone())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// A disk whose blocks are allocated when they are written.
struct Dynamic {
    file: Arc<dyn Bytes>,
    tables: PagedFile,
    size: u64,
    table: u64,
    block: u64,
    identity: String,
    /// The disk that this one is a difference to.
    parent: Option<Parent>,
    notes: Vec<String>,
}

impl Dynamic {
    fn open(
        file: Arc<dyn Bytes>,
        footer: &[u8],
        size: u64,
        mut notes: Vec<String>,
        files: Option<&dyn Parents>,
    ) -> Result<Dynamic, Failure> {
        let at = be64(footer, 16);
        let mut header = [0; HEADER];
        file.read_exact_at(at, &mut header)?;
        if !is_sound(&header, 36) || !header.starts_with(b"cxsparse") {
            return Err(Failure::at(at, "name or checksum of the header of a dynamic disk"));
        }
        let (table, entries, block) = (be64(&header, 16), u64::from(be32(&header, 28)), u64::from(be32(&header, 32)));
        // 2 MiB by default; a power of two.
        if !block.is_power_of_two() || block < SECTOR {
            return Err(Failure::at(at, format!("blocks of {block} bytes")));
        }
        if size.div_ceil(block) > entries {
            return Err(Failure::at(at, format!("a table of {entries} blocks for {size} bytes")));
        }
        if table.checked_add(entries * 4).is_none_or(|end| end > file.size()) {
            return Err(Failure::at(table, "the table of blocks leaves the file"));
        }
        let parent = files.map(|files| parent(&*file, &header, files)).transpose()?;
        notes.extend(parent.as_ref().map(Parent::note));
        let identity = hex(&footer[68..84]);
        Ok(Dynamic { tables: PagedFile::new(file.clone()), file, size, table, block, identity, parent, notes })
    }

    fn read(&self, number: u64, inside: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let entry = u32::from_be_bytes(self.tables.array(self.table + number * 4)?);
        let older = |buffer: &mut [u8]| match &self.parent {
            Some(parent) => parent.read(number * self.block + inside, buffer),
            None => {
                buffer.fill(0);
                Ok(())
            }
        };
        if entry == UNUSED {
            older(buffer)?;
            return Ok(buffer.len());
        }
        // A bit for each sector that was written, then the sectors.
        let bitmap = u64::from(entry) * SECTOR;
        let start = bitmap + (self.block / SECTOR).div_ceil(8).next_multiple_of(SECTOR);
        let sector = inside / SECTOR;
        let is_written = |sector: u64| -> io::Result<bool> {
            Ok(self.tables.array::<1>(bitmap + sector / 8)?[0] & 0x80 >> (sector % 8) != 0)
        };
        let written = is_written(sector)?;
        // As far as the sectors are alike.
        let mut end = (sector + 1) * SECTOR;
        while end < inside + buffer.len() as u64 && is_written(end / SECTOR)? == written {
            end += SECTOR;
        }
        let mut take = buffer.len().min((end - inside) as usize);
        if !written && self.parent.is_some() {
            older(&mut buffer[..take])?;
            return Ok(take);
        }
        take = stored(&*self.file, start + inside, &mut buffer[..take])?;
        if !written && !is_zero(&buffer[..take]) {
            let what = "sectors that were never written, by the block's bitmap, and hold data";
            return Err(Failure::at(start + inside, what));
        }
        Ok(take)
    }
}

impl Bytes for Dynamic {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(self.size, self.block, offset, buffer.len()) else {
            return Ok(0);
        };
        Ok(self.read(number, inside, &mut buffer[..take])?)
    }
}

impl Disk for Dynamic {
    fn kind(&self) -> Kind {
        Kind::Vhd
    }

    fn identity(&self) -> Option<String> {
        Some(self.identity.clone())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
