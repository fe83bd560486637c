//! Ex01, EnCase 7's format, after J. Metz, "EWF 2 specification", the libewf project's: segments of
//! sections, each described behind its data. All numbers are little-endian, checksums Adler-32.

mod properties;
mod section;

use super::held::{Held, Paged};
use super::unpack::{LONGEST, Method, unpack};
use super::{Check, Disk, Failure, Kind, Siblings, within_unit};
use crate::Bytes;
use crate::ewf::checksum;
use crate::field::{le32, le64};
use pfh_digest::Digest;
use properties::Properties;
use section::{Section, sections};
use std::io;
use std::sync::Arc;

const HEADER: usize = 32;
/// Head of a table, and bytes of one of its entries.
const HEAD: u64 = 32;
const ENTRY: u64 = 16;
/// The longest table: 4 million chunks; EnCase writes some 1,600.
const LONGEST_TABLE: u64 = 64 << 20;
/// Flags of a chunk.
const COMPRESSED: u32 = 1;
const CHECKSUM: u32 = 2;
const PATTERN: u32 = 4;
/// Bytes that are read at once to compare digests of sections.
const PIECE: u64 = 1 << 20;

/// A segment file.
struct Segment {
    file: Arc<dyn Bytes>,
    pages: Paged,
    sections: Vec<Section>,
}

/// A table: where the entries of consecutive chunks are.
struct Table {
    segment: usize,
    first: u64,
    count: u64,
    at: u64,
}

/// An Ex01, open.
struct Ex01 {
    segments: Vec<Segment>,
    tables: Vec<Table>,
    chunks: Held,
    method: Method,
    size: u64,
    chunk: u64,
    sector: u32,
    digests: Vec<Digest>,
    notes: Vec<String>,
}

/// The ending of segment `number`, from 1: `Ex01` to `Ex99`, then `ExAA` to `EzZZ`.
fn ending(number: u32) -> Option<String> {
    if number < 100 {
        return Some(format!("Ex{number:02}"));
    }
    let letters = number - 100;
    let letter = |value: u32| char::from(b'A' + (value % 26) as u8);
    let first = ['x', 'y', 'z'].get((letters / 676) as usize)?;
    Some(format!("E{first}{}{}", letter(letters / 26), letter(letters)))
}

/// Opens an Ex01 by its first segment.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Siblings) -> Result<Box<dyn Disk>, Failure> {
    let mut header = [0; HEADER];
    file.read_exact_at(0, &mut header)?;
    if header[8] != 2 {
        return Err(Failure::refused(format!("version {}.{} of the format", header[8], header[9])));
    }
    let method = match le32(&header, 10) & 0xffff {
        // Nothing is compressed then.
        0 | 1 => Method::Zlib,
        2 => Method::Bzip2,
        other => return Err(Failure::refused(format!("compression by method {other}"))),
    };
    let stem = files.first().rsplit_once('.').map_or("", |(stem, _)| stem);
    let is_lower = files.first().ends_with("ex01");
    let mut segments: Vec<Segment> = Vec::new();
    let mut next = Some(file);
    while let Some(file) = next.take() {
        let number = segments.len() as u32 + 1;
        let mut own = [0; HEADER];
        file.read_exact_at(0, &mut own)?;
        if own[..12] != header[..12] || own[16..] != header[16..] || le32(&own, 12) != number {
            return Err(Failure::malformed(format!("segment {number} belongs to another image, or elsewhere in it")));
        }
        let sections = sections(&*file).map_err(|failure| within(number, failure))?;
        let is_last = match sections.last().map(|section| section.kind) {
            Some(section::DONE) => true,
            Some(section::NEXT) => false,
            _ => return Err(Failure::malformed(format!("segment {number} ends without a section that says so"))),
        };
        segments.push(Segment { pages: Paged::new(file.clone()), file, sections });
        if !is_last {
            let ending = ending(number + 1).ok_or_else(|| Failure::refused("more segments than have names"))?;
            let ending = if is_lower { ending.to_ascii_lowercase() } else { ending };
            let name = format!("{stem}.{ending}");
            next = files.open(&name)?;
            if next.is_none() {
                return Err(Failure::malformed(format!("segment {} ({name}) is missing", number + 1)));
            }
        }
    }
    Ex01::new(segments, method).map(|disk| Box::new(disk) as Box<dyn Disk>)
}

/// A failure within a segment.
fn within(number: u32, failure: Failure) -> Failure {
    match failure {
        Failure::Malformed { offset, what } => {
            Failure::Malformed { offset, what: format!("in segment {number}: {what}") }
        }
        other => other,
    }
}

impl Ex01 {
    fn new(segments: Vec<Segment>, method: Method) -> Result<Ex01, Failure> {
        let (mut device, mut case) = (None, None);
        let (mut tables, mut digests, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (at, segment) in segments.iter().enumerate() {
            for section in &segment.sections {
                let number = at as u32 + 1;
                let within = |failure| within(number, failure);
                if section.is_encrypted() {
                    return Err(Failure::refused("is encrypted"));
                }
                match section.kind {
                    section::DEVICE if device.is_none() => {
                        device = Some(Properties::read(&*segment.file, section, method).map_err(within)?);
                    }
                    section::CASE if case.is_none() => {
                        case = Some(Properties::read(&*segment.file, section, method).map_err(within)?);
                    }
                    section::TABLE => tables.push(table(&*segment.file, at, section).map_err(within)?),
                    section::ERRORS => notes.extend(errors(&*segment.file, section).map_err(within)?),
                    section::MD5 => digests.push(stated(&*segment.file, section, "md5").map_err(within)?),
                    section::SHA1 => digests.push(stated(&*segment.file, section, "sha1").map_err(within)?),
                    _ => {}
                }
            }
        }
        let missing = || Failure::malformed("no section states the size of the medium, or of its chunks");
        let (device, case) = (device.ok_or_else(missing)?, case.ok_or_else(missing)?);
        let sectors = device.number("ts").ok_or_else(missing)?;
        let sector = device.number("bp").unwrap_or(512);
        let chunk = case.number("sb").and_then(|sectors| sectors.checked_mul(sector)).ok_or_else(missing)?;
        let size = sectors.checked_mul(sector);
        let (Some(size), true, Ok(sector)) = (size, (1..=LONGEST).contains(&chunk), u32::try_from(sector)) else {
            return Err(Failure::malformed(format!("{sectors} sectors of {sector} bytes in chunks of {chunk} bytes")));
        };
        tables.sort_by_key(|table: &Table| table.first);
        let mut next = 0;
        for table in &tables {
            if table.first != next {
                return Err(Failure::malformed(format!("a table of the chunks from {} on, after {next}", table.first)));
            }
            next += table.count;
        }
        if next < size.div_ceil(chunk) {
            return Err(Failure::malformed(format!("{next} chunks of {chunk} bytes for a medium of {size}")));
        }
        Ok(Ex01 { segments, tables, chunks: Held::default(), method, size, chunk, sector, digests, notes })
    }

    /// A chunk, checked by what stands behind it.
    fn unpack(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let at = self.tables.partition_point(|table| table.first <= number);
        let table = &self.tables[at.saturating_sub(1)];
        let segment = &self.segments[table.segment];
        let entry: [u8; 16] = segment.pages.array(table.at + (number - table.first) * ENTRY)?;
        let (at, stored, flags) = (le64(&entry, 0), u64::from(le32(&entry, 8)), le32(&entry, 12));
        let length = (self.size - number * self.chunk).min(self.chunk);
        let wrong = |what: &str| within(table.segment as u32 + 1, Failure::at(at, format!("chunk {number}: {what}")));
        if flags & (COMPRESSED | PATTERN) == COMPRESSED | PATTERN {
            let pattern = &entry[..8];
            return Ok(pattern.iter().copied().cycle().take(length as usize).collect());
        }
        if stored > self.chunk + self.chunk / 8 + 128 {
            return Err(wrong("longer than one can be"));
        }
        let mut bytes = vec![0; stored as usize];
        segment.file.read_exact_at(at, &mut bytes)?;
        if flags & COMPRESSED != 0 {
            let found = match unpack(self.method, &bytes, length) {
                // The last may be as long as the others.
                Err(_) if length < self.chunk => unpack(self.method, &bytes, self.chunk),
                other => other,
            };
            return found.map_err(|failure| wrong(&failure.to_string()));
        }
        if flags & CHECKSUM == 0 {
            return if stored >= length { Ok(bytes) } else { Err(wrong("shorter than it must be")) };
        }
        // The checksum stands behind the bytes, counted among them or not.
        let mut sum = [0; 4];
        let data = match stored.checked_sub(length) {
            Some(0) => {
                segment.file.read_exact_at(at.saturating_add(stored), &mut sum)?;
                &bytes[..]
            }
            Some(4..) => {
                sum.copy_from_slice(&bytes[length as usize..][..4]);
                &bytes[..length as usize]
            }
            _ => return Err(wrong("of the wrong length")),
        };
        if checksum(data) == u32::from_le_bytes(sum) { Ok(data.to_vec()) } else { Err(wrong("its checksum")) }
    }
}

/// A table of chunks; its checksums hold.
fn table(file: &dyn Bytes, segment: usize, section: &Section) -> Result<Table, Failure> {
    if section.length < HEAD || section.length > LONGEST_TABLE {
        return Err(Failure::at(section.at, format!("a table of {} bytes", section.length)));
    }
    let mut bytes = vec![0; section.length as usize];
    file.read_exact_at(section.at, &mut bytes)?;
    let (first, count) = (le64(&bytes, 0), u64::from(le32(&bytes, 8)));
    let end = (HEAD + count * ENTRY) as usize;
    let entries = bytes.get(HEAD as usize..end);
    let is_sound = checksum(&bytes[..16]) == le32(&bytes, 16)
        && bytes.len() >= end + 4
        && entries.is_some_and(|entries| checksum(entries) == le32(&bytes, end));
    if !is_sound || first > 1 << 40 {
        return Err(Failure::at(section.at, "length or checksum of a table of chunks"));
    }
    Ok(Table { segment, first, count, at: section.at + HEAD })
}

/// What was unreadable when it was acquired.
fn errors(file: &dyn Bytes, section: &Section) -> Result<Vec<String>, Failure> {
    let mut bytes = vec![0; section.length.min(1 << 20) as usize];
    file.read_exact_at(section.at, &mut bytes)?;
    let count = le32(&bytes, 0) as usize;
    let entries = bytes.get(HEAD as usize..).unwrap_or_default().chunks_exact(ENTRY as usize).take(count);
    let runs: Vec<String> = entries.map(|entry| format!("{} + {}", le64(entry, 0), le32(entry, 8))).collect();
    let note = format!("sectors that were unreadable when it was acquired: {}", runs.join(", "));
    Ok(if runs.is_empty() { Vec::new() } else { vec![note] })
}

/// A digest of the medium.
fn stated(file: &dyn Bytes, section: &Section, algorithm: &str) -> Result<Digest, Failure> {
    let wrong = || Failure::at(section.at, format!("the section of {algorithm}, or its checksum"));
    let algorithm: pfh_digest::Algorithm = algorithm.parse().map_err(|_| wrong())?;
    let mut bytes = vec![0; algorithm.length() + 4];
    file.read_exact_at(section.at, &mut bytes)?;
    let (digest, sum) = bytes.split_at(algorithm.length());
    if section.length < bytes.len() as u64 || checksum(digest) != le32(sum, 0) {
        return Err(wrong());
    }
    Digest::from_bytes(algorithm, digest).map_err(|_| wrong())
}

impl Bytes for Ex01 {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((number, inside, take)) = within_unit(self.size, self.chunk, offset, buffer.len()) else {
            return Ok(0);
        };
        let chunk = self.chunks.get(number, || self.unpack(number))?;
        buffer[..take].copy_from_slice(&chunk[inside as usize..][..take]);
        Ok(take)
    }
}

impl Disk for Ex01 {
    fn kind(&self) -> Kind {
        Kind::Ex01
    }

    fn sector(&self) -> u32 {
        self.sector
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn digests(&self) -> Vec<Digest> {
        self.digests.clone()
    }

    fn check(&self, go_on: &mut dyn FnMut() -> bool) -> Vec<Check> {
        let (mut found, mut right) = (Vec::new(), 0);
        for (at, segment) in self.segments.iter().enumerate() {
            for section in &segment.sections {
                let Some(stated) = &section.stated else { continue };
                let (mut hasher, mut done, mut room) = (stated.algorithm().hasher(), 0, Vec::new());
                let mut wrong = None;
                while done < section.length && wrong.is_none() {
                    if !go_on() {
                        return found;
                    }
                    room.resize((section.length - done).min(PIECE) as usize, 0);
                    match segment.file.read_exact_at(section.at + done, &mut room) {
                        Ok(()) => hasher.update(&room),
                        Err(error) => wrong = Some(Failure::from(error)),
                    }
                    done += room.len() as u64;
                }
                let is = hasher.finalize();
                if wrong.is_none() && is != *stated {
                    wrong = Some(Failure::malformed(format!("{stated} is stated, and {is} computed")));
                }
                match wrong {
                    None => right += 1,
                    wrong => {
                        let what = format!("{} of a section of segment {}", stated.algorithm(), at + 1);
                        found.push(Check { what, wrong });
                    }
                }
            }
        }
        if right > 0 {
            found.push(Check { what: format!("the digests of {right} sections"), wrong: None });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn endings() {
        let shown: Vec<_> = [1, 99, 100, 125, 126, 775, 776, 2127].map(|number| ending(number).unwrap()).into();
        assert_eq!(shown, ["Ex01", "Ex99", "ExAA", "ExAZ", "ExBA", "ExZZ", "EyAA", "EzZZ"]);
        assert_eq!(ending(2128), None);
    }
}
