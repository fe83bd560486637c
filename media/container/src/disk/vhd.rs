//! VHD, after Microsoft's "Virtual Hard Disk Image Format Specification" (2006). All numbers are
//! big-endian.

use super::held::Paged;
use super::{Disk, Failure, Kind, within_unit};
use crate::field::{be32, be64};
use crate::{Bytes, is_zero};
use std::io;
use std::sync::Arc;

const FOOTER: usize = 512;
const HEADER: usize = 1024;
const SECTOR: u64 = 512;
/// An entry of the table of a block that was never written.
const UNUSED: u32 = u32::MAX;

/// Opens a VHD.
pub fn open(file: Arc<dyn Bytes>) -> Result<Box<dyn Disk>, Failure> {
    let (footer, at, notes) = footer(&*file)?;
    let size = be64(&footer, 48);
    if !size.is_multiple_of(SECTOR) {
        return Err(Failure::at(at, format!("a disk of {size} bytes: no whole number of sectors")));
    }
    match be32(&footer, 60) {
        2 if size <= at => Ok(Box::new(Fixed { file, size, notes })),
        2 => Err(Failure::at(at, format!("a fixed disk of {size} bytes in front of a footer at {at}"))),
        3 => Dynamic::open(file, &footer, size, notes).map(|disk| Box::new(disk) as Box<dyn Disk>),
        4 => Err(Failure::refused("a differencing disk, whose parent is not read")),
        other => Err(Failure::at(at, format!("a disk of type {other}"))),
    }
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

/// A disk as it is, with a footer behind it.
struct Fixed {
    file: Arc<dyn Bytes>,
    size: u64,
    notes: Vec<String>,
}

impl Bytes for Fixed {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((_, _, take)) = within_unit(self.size, u64::MAX, offset, buffer.len()) else { return Ok(0) };
        self.file.read_at(offset, &mut buffer[..take])
    }
}

impl Disk for Fixed {
    fn kind(&self) -> Kind {
        Kind::Vhd
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// A disk of blocks that are there as far as they were written.
struct Dynamic {
    file: Arc<dyn Bytes>,
    tables: Paged,
    size: u64,
    table: u64,
    block: u64,
    notes: Vec<String>,
}

impl Dynamic {
    fn open(file: Arc<dyn Bytes>, footer: &[u8], size: u64, notes: Vec<String>) -> Result<Dynamic, Failure> {
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
        Ok(Dynamic { tables: Paged::new(file.clone()), file, size, table, block, notes })
    }

    fn read(&self, number: u64, inside: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let entry = u32::from_be_bytes(self.tables.array(self.table + number * 4)?);
        if entry == UNUSED {
            buffer.fill(0);
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
        let take = buffer.len().min((end - inside) as usize);
        self.file.read_exact_at(start + inside, &mut buffer[..take])?;
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

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
