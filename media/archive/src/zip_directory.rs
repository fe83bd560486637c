//! The central directory of a zip, with the places of members.

use super::member::failure;
use super::tape::Tape;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::io::{BufReader, Read};
use std::sync::Arc;

/// A record of the central directory.
#[derive(Debug, Clone, Default)]
pub struct Record {
    pub name: Vec<u8>,
    pub made_by: u16,
    pub flags: u16,
    pub method: u16,
    /// The time of MS-DOS, which may check a password.
    pub time: u16,
    pub crc: u32,
    pub stored: u64,
    pub size: u64,
    pub attributes: u32,
    /// Where its local header starts, as stated, in the part of this number.
    pub offset: u64,
    pub part: u32,
    pub extra: Vec<u8>,
}

/// Where the central directory is, as its end records say.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub start: u64,
    pub length: u64,
    pub entries: u64,
    /// How many bytes stand in front of the archive: all its offsets are that much too small.
    pub shift: u64,
    /// How many bytes stand behind it.
    pub behind: u64,
}

pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

fn said(offset: u64, cause: impl Into<String>) -> Failure {
    Failure { offset: Some(offset), ..failure(b"", cause) }
}

const END: usize = 22;

/// How many parts a zip has by its last one: 1 if it is whole, or no zip.
pub fn parts(bytes: &dyn Bytes) -> u32 {
    let Some((tail, at, _)) = end(bytes).ok().flatten() else { return 1 };
    match (u16_at(&tail, at + 4), at.checked_sub(20)) {
        (0xFFFF, Some(locator)) if tail[locator..].starts_with(b"PK\x06\x07") => u32_at(&tail, locator + 16).max(1),
        (last, _) => u32::from(last) + 1,
    }
}

/// The last bytes, with the place of the end record in them and the place behind it.
fn end(bytes: &dyn Bytes) -> Result<Option<(Vec<u8>, usize, usize)>, Failure> {
    let size = bytes.size();
    let room = size.min((END + 0xFFFF + 64) as u64);
    let mut tail = vec![0; room as usize];
    bytes.read_exact_at(size - room, &mut tail).map_err(|error| said(size - room, error.to_string()))?;
    // Any file may be looked through for a zip in it: by vectors, from the end.
    let first = memchr::memrchr_iter(b'P', &tail[..tail.len().saturating_sub(END - 1)]);
    let ends = first.filter(|at| tail[*at..].starts_with(b"PK\x05\x06"));
    let mut best: Option<(usize, usize)> = None;
    for at in ends {
        let end = at + END + usize::from(u16_at(&tail, at + 20));
        if end == tail.len() {
            best = Some((at, end));
            break;
        }
        if end < tail.len() && best.is_none() {
            best = Some((at, end));
        }
    }
    Ok(best.map(|(at, end)| (tail, at, end)))
}

impl Place {
    /// Finds the end of the central directory, as far as 64 KiB in front of the end. `parts` are
    /// where the parts start, 0 alone for a zip in one piece.
    pub fn find(bytes: &dyn Bytes, parts: &[u64]) -> Result<Place, Failure> {
        let size = bytes.size();
        let Some((tail, at, end)) = end(bytes)? else {
            return Err(said(size, "the zip has no central directory: it is cut off, or no zip"));
        };
        let (record, place) = (&tail[at..], size - (tail.len() - at) as u64);
        let [disk, start_disk] = [4, 6].map(|at| u16_at(record, at));
        let mut found = Place {
            start: u32_at(record, 16).into(),
            length: u32_at(record, 12).into(),
            entries: u16_at(record, 10).into(),
            shift: 0,
            behind: (tail.len() - end) as u64,
        };
        let mut ends_at = place;
        let wide = u16_at(record, 10) == 0xFFFF || u32_at(record, 12) == u32::MAX || u32_at(record, 16) == u32::MAX;
        let mut locator = [0; 20];
        let has_locator =
            place >= 20 && bytes.read_exact_at(place - 20, &mut locator).is_ok() && locator.starts_with(b"PK\x06\x07");
        let mut part = u32::from(start_disk);
        if has_locator {
            let start = parts.get(u32_at(&locator, 4) as usize).copied().unwrap_or_default();
            (ends_at, part) = found.widen(bytes, place, start.saturating_add(u64_at(&locator, 8)))?;
        } else if wide && u32_at(record, 16) == u32::MAX {
            return Err(said(place, "the zip states ZIP64 and has no such record"));
        } else if usize::from(disk) + 1 != parts.len() {
            return Err(said(
                place,
                format!("the zip is the last of {} parts, and the others are not there", u32::from(disk) + 1),
            ));
        }
        let start_of_part = parts.get(part as usize);
        let start_of_part =
            start_of_part.ok_or_else(|| said(place, "the central directory is in a part that is not there"))?;
        found.start = found.start.saturating_add(*start_of_part);
        let start = ends_at.checked_sub(found.length);
        match start.and_then(|start| start.checked_sub(found.start)) {
            Some(shift) if shift > 0 && parts.len() > 1 => {
                return Err(said(place, format!("a part of the zip is {shift} bytes longer than it was")));
            }
            Some(shift) => found.shift = shift,
            None => return Err(said(place, "the central directory would start in front of the zip")),
        }
        found.start += found.shift;
        Ok(found)
    }

    /// Reads the record of ZIP64, which stands in front of its locator or where that says.
    fn widen(&mut self, bytes: &dyn Bytes, end: u64, stated: u64) -> Result<(u64, u32), Failure> {
        let mut record = [0; 56];
        let before = end.saturating_sub(20 + 56);
        for at in [stated, before] {
            if bytes.read_exact_at(at, &mut record).is_ok() && record.starts_with(b"PK\x06\x06") {
                let number = |at| u64_at(&record, at);
                (self.entries, self.length, self.start) = (number(32), number(40), number(48));
                return Ok((at, u32_at(&record, 20)));
            }
        }
        Err(said(end, "the record of ZIP64 is not where its locator says"))
    }

    /// The records, in their order, with offsets from the start of the first part.
    pub fn records(&self, bytes: &Arc<dyn Bytes>, parts: &Arc<[u64]>) -> Records {
        let (end, parts) = (self.start.saturating_add(self.length), parts.clone());
        Records {
            tape: Tape::buffered(bytes.clone(), self.start, end),
            left: self.entries,
            place: *self,
            read: 0,
            parts,
        }
    }
}

/// The records of a central directory, one after the other.
pub struct Records {
    tape: BufReader<Box<dyn Read + Send>>,
    left: u64,
    place: Place,
    read: u64,
    /// Where the parts start.
    parts: Arc<[u64]>,
}

impl Records {
    fn record(&mut self) -> Result<Record, Failure> {
        let at = self.place.start + self.read;
        let cut = |error: std::io::Error| said(at, format!("the central directory cannot be read: {error}"));
        let mut fixed = [0; 46];
        self.tape.read_exact(&mut fixed).map_err(cut)?;
        if !fixed.starts_with(b"PK\x01\x02") {
            return Err(said(at, "the central directory holds something that is not a record"));
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(&fixed, at)));
        let mut rest = vec![0; name + extra + comment];
        self.tape.read_exact(&mut rest).map_err(cut)?;
        self.read += (46 + rest.len()) as u64;
        rest.truncate(name + extra);
        let extra = rest.split_off(name);
        let mut record = Record {
            name: rest,
            made_by: u16_at(&fixed, 4),
            flags: u16_at(&fixed, 8),
            method: u16_at(&fixed, 10),
            time: u16_at(&fixed, 12),
            crc: u32_at(&fixed, 16),
            stored: u32_at(&fixed, 20).into(),
            size: u32_at(&fixed, 24).into(),
            attributes: u32_at(&fixed, 38),
            offset: u32_at(&fixed, 42).into(),
            part: u16_at(&fixed, 34).into(),
            extra,
        };
        record.widen();
        // In a zip in one piece the number has no meaning.
        if self.parts.len() > 1 {
            let start = self.parts.get(record.part as usize);
            let start = start.ok_or_else(|| said(at, "a member that begins in a part that is not there"))?;
            record.offset = record.offset.saturating_add(*start);
        }
        Ok(record)
    }
}

impl Iterator for Records {
    type Item = Result<Record, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            let rest = self.place.length.saturating_sub(self.read);
            self.read += rest;
            let at = self.place.start + self.place.length - rest;
            return (rest > 0).then(|| Err(said(at, format!("the central directory has {rest} bytes too many"))));
        }
        self.left -= 1;
        let record = self.record();
        if record.is_err() {
            (self.left, self.read) = (0, self.place.length);
        }
        Some(record)
    }
}

impl Record {
    /// The extra field of this tag.
    pub fn field(&self, tag: u16) -> Option<&[u8]> {
        let mut rest = &self.extra[..];
        while rest.len() >= 4 {
            let length = usize::from(u16_at(rest, 2));
            let field = rest.get(4..4 + length)?;
            if u16_at(rest, 0) == tag {
                return Some(field);
            }
            rest = &rest[4 + length..];
        }
        None
    }

    /// Takes sizes and offset from the field of ZIP64 if they do not fit.
    pub fn widen(&mut self) {
        let Some(field) = self.field(1).map(<[u8]>::to_vec) else { return };
        let mut at = 0;
        for value in [&mut self.size, &mut self.stored, &mut self.offset] {
            if *value == u64::from(u32::MAX) && at + 8 <= field.len() {
                *value = u64_at(&field, at);
                at += 8;
            }
        }
        if self.part == 0xFFFF && at + 4 <= field.len() {
            self.part = u32_at(&field, at);
        }
    }

    /// Whether a Unix program wrote it, so that the upper half of its attributes is a mode.
    pub fn mode(&self) -> u32 {
        if matches!(self.made_by >> 8, 3 | 19) { self.attributes >> 16 } else { 0 }
    }
}
