//! QCOW2, versions 2 and 3, after QEMU's `docs/interop/qcow2.txt`. All numbers are big-endian.

use super::paged::PagedFile;
use super::parent::{Parent, Parents};
use super::unpack::{Method, unpack};
use super::{Disk, Failure, Kind, stored, within_unit};
use crate::Bytes;
use crate::field::{be32, be64};
use crate::units::Units;
use std::io;
use std::sync::Arc;

/// Bits of an entry that hold an offset.
const OFFSET: u64 = 0x00ff_ffff_ffff_fe00;
const COMPRESSED: u64 = 1 << 62;
/// Of version 3: the cluster reads as zeros, wherever it is.
const ZERO: u64 = 1;
/// Incompatible features.
const DIRTY: u64 = 1;
const CORRUPT: u64 = 1 << 1;
const EXTERNAL: u64 = 1 << 2;
const COMPRESSION: u64 = 1 << 3;
const EXTENDED: u64 = 1 << 4;

/// The longest name of a backing file, by the format, and the extension that states its format.
const LONGEST_NAME: usize = 1023;
const FORMAT: u32 = 0xe279_2aca;

/// The content of a part of a cluster.
enum Part {
    Data,
    Zero,
    /// The bytes of the backing file.
    Older,
}

/// A QCOW2, open.
struct Qcow2 {
    file: Arc<dyn Bytes>,
    parent: Option<Parent>,
    tables: PagedFile,
    units: Units,
    size: u64,
    version: u32,
    cluster: u64,
    bits: u32,
    first: u64,
    method: Method,
    /// Entries of the second level have 16 bytes, with a state for each 32nd of a cluster.
    extended: bool,
    notes: Vec<String>,
}

/// Opens a QCOW2.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Parents) -> Result<Box<dyn Disk>, Failure> {
    let mut header = [0; 112];
    let room = file.size().min(112) as usize;
    file.read_exact_at(0, &mut header[..room])?;
    let version = be32(&header, 4);
    // The fields that version 2 does not have may hold any bytes.
    let (features, length) = if version == 3 { (be64(&header, 72), be32(&header, 100)) } else { (0, 72) };
    if be32(&header, 32) != 0 {
        return Err(Failure::refused("is encrypted"));
    }
    if features & CORRUPT != 0 {
        return Err(Failure::malformed("QEMU marked it as corrupt: `qemu-img check` names the damage"));
    }
    if features & EXTERNAL != 0 {
        return Err(Failure::refused("keeps its content in another file"));
    }
    if features & !(DIRTY | COMPRESSION | EXTENDED) != 0 {
        return Err(Failure::refused(format!("has features that are not known: {features:#x}")));
    }
    let method = match (features & COMPRESSION != 0 && length > 104).then_some(header[104]) {
        None | Some(0) => Method::Deflate,
        Some(1) => Method::Zstandard,
        Some(other) => return Err(Failure::refused(format!("clusters compressed by method {other}"))),
    };
    let (bits, size) = (be32(&header, 20), be64(&header, 24));
    let extended = features & EXTENDED != 0;
    // 64 KiB by default; QEMU allows up to 2 MiB, and parts of a cluster from 16 KiB on.
    if !(9..=21).contains(&bits) || extended && bits < 14 {
        return Err(Failure::at(20, format!("clusters of 2^{bits} bytes")));
    }
    let cluster = 1 << bits;
    let (first, entries) = (be64(&header, 40), u64::from(be32(&header, 36)));
    let entry = if extended { 16 } else { 8 };
    let covered = u128::from(entries) * u128::from(cluster / entry) * u128::from(cluster);
    let table = first.checked_add(entries * 8).filter(|end| first % cluster == 0 && *end <= file.size());
    if covered < u128::from(size) || table.is_none() {
        return Err(Failure::at(36, format!("a table of {entries} entries at {first} for {size} bytes")));
    }
    let mut notes = Vec::new();
    if be32(&header, 60) > 0 {
        notes.push(format!("holds {} snapshots; the state after them is read", be32(&header, 60)));
    }
    if features & DIRTY != 0 {
        notes.push("QEMU did not close it: the last writes may be missing".to_owned());
    }
    let parent = backing(&*file, &header, length, files)?;
    notes.extend(parent.as_ref().map(|parent| format!("{}; it says nothing by which to know that", parent.note())));
    let (tables, units) = (PagedFile::new(file.clone()), Units::default());
    Ok(Box::new(Qcow2 { file, parent, tables, units, size, version, cluster, bits, first, method, extended, notes }))
}

/// The backing file, by its name and the format that an extension of the header states.
fn backing(file: &dyn Bytes, header: &[u8], length: u32, files: &dyn Parents) -> Result<Option<Parent>, Failure> {
    let (at, bytes) = (be64(header, 8), be32(header, 16) as usize);
    if at == 0 {
        return Ok(None);
    }
    if bytes > LONGEST_NAME {
        return Err(Failure::at(16, format!("a name of {bytes} bytes of its backing file")));
    }
    let mut name = vec![0; bytes];
    file.read_exact_at(at, &mut name)?;
    let mut place = u64::from(length);
    let mut is_raw = false;
    while place.checked_add(8).is_some_and(|end| end <= at) {
        let mut head = [0; 8];
        file.read_exact_at(place, &mut head)?;
        let (kind, bytes) = (be32(&head, 0), u64::from(be32(&head, 4)));
        if kind == FORMAT && bytes < 64 {
            let mut format = vec![0; bytes as usize];
            file.read_exact_at(place + 8, &mut format)?;
            is_raw = format == b"raw";
        }
        if kind == 0 {
            break;
        }
        place = place.saturating_add(8).saturating_add(bytes.next_multiple_of(8));
    }
    files.parent(&[String::from_utf8_lossy(&name).into_owned()], is_raw).map(Some)
}

impl Qcow2 {
    /// The bytes of a range that it does not hold itself.
    fn older(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Failure> {
        match &self.parent {
            Some(parent) => parent.read(offset, buffer),
            None => {
                buffer.fill(0);
                Ok(())
            }
        }
    }

    /// Reads from one cluster, or from those parts of an extended one that are alike; how many
    /// bytes.
    fn read(&self, number: u64, inside: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let width = if self.extended { 16 } else { 8 };
        let each = self.cluster / width;
        let at = self.first + number / each * 8;
        let second = u64::from_be_bytes(self.tables.array(at)?) & OFFSET;
        let offset = number * self.cluster + inside;
        if second == 0 {
            self.older(offset, buffer)?;
            return Ok(buffer.len());
        }
        if !second.is_multiple_of(self.cluster) {
            return Err(Failure::at(at, "a table that does not begin with a cluster"));
        }
        let place = second + number % each * width;
        let entry = u64::from_be_bytes(self.tables.array(place)?);
        if entry & COMPRESSED != 0 {
            let unit = self.units.get(number, || self.inflate(entry, place))?;
            let from = inside as usize;
            buffer.copy_from_slice(&unit[from..from + buffer.len()]);
            return Ok(buffer.len());
        }
        let data = entry & OFFSET;
        let (take, held) = if self.extended {
            let state = u64::from_be_bytes(self.tables.array(place + 8)?);
            self.parts(state, inside, buffer.len())
                .ok_or_else(|| Failure::at(place + 8, "a part of a cluster that is zero and allocated at once"))?
        } else {
            let is_zero = self.version == 3 && entry & ZERO != 0;
            (
                buffer.len(),
                if is_zero {
                    Part::Zero
                } else if data == 0 {
                    Part::Older
                } else {
                    Part::Data
                },
            )
        };
        let buffer = &mut buffer[..take];
        match held {
            Part::Data => {}
            Part::Zero => {
                buffer.fill(0);
                return Ok(take);
            }
            Part::Older => {
                self.older(offset, buffer)?;
                return Ok(take);
            }
        }
        if data == 0 || !data.is_multiple_of(self.cluster) {
            return Err(Failure::at(place, "a cluster that does not begin where one may"));
        }
        Ok(stored(&*self.file, data + inside, buffer)?)
    }

    /// The number of bytes whose parts are alike, and the content of these parts; `None` for a
    /// contradiction. The lower half of the state has a bit for each allocated part, the upper one
    /// for each zero part.
    fn parts(&self, state: u64, inside: u64, room: usize) -> Option<(usize, Part)> {
        let part = self.cluster / 32;
        let of = |number: u64| (state >> number & 1 != 0, state >> (32 + number) & 1 != 0);
        let first = of(inside / part);
        if first == (true, true) {
            return None;
        }
        let mut end = (inside / part + 1) * part;
        while end < self.cluster && end < inside + room as u64 && of(end / part) == first {
            end += part;
        }
        let held = match first {
            (true, _) => Part::Data,
            (false, true) => Part::Zero,
            (false, false) => Part::Older,
        };
        Some((room.min((end - inside) as usize), held))
    }

    /// A compressed cluster: its place in bytes, and how many sectors it reaches into.
    fn inflate(&self, entry: u64, place: u64) -> Result<Vec<u8>, Failure> {
        let split = 62 - (self.bits - 8);
        let at = entry & ((1 << split) - 1);
        let sectors = (entry & (COMPRESSED - 1)) >> split;
        let length = (sectors + 1) * 512 - at % 512;
        let left = self.file.size().checked_sub(at).filter(|left| *left > 0);
        let left = left.ok_or_else(|| Failure::at(place, "a compressed cluster behind the end of the file"))?;
        // The last one need not fill its last sector.
        let mut packed = vec![0; length.min(left) as usize];
        self.file.read_exact_at(at, &mut packed)?;
        unpack(self.method, &packed, self.cluster).map_err(|failure| match failure {
            Failure::Malformed { what, .. } => Failure::at(at, what),
            other => other,
        })
    }
}

impl Bytes for Qcow2 {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(self.size, self.cluster, offset, buffer.len()) else {
            return Ok(0);
        };
        Ok(self.read(number, inside, &mut buffer[..take])?)
    }
}

impl Disk for Qcow2 {
    fn kind(&self) -> Kind {
        Kind::Qcow2
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
