//! The media data: chunks, by tables in the segments.

use super::section::{self, Section, sections};
use crate::Bytes;
use crate::disk::Failure;
use crate::disk::paged::PagedFile;
use crate::disk::unpack::{LONGEST, Method, unpack, unpack_up_to};
use crate::ewf::checksum;
use crate::field::{le32, le64};
use crate::units::Units;
use std::io;
use std::sync::Arc;

/// Bytes of the head of a segment.
pub const HEADER: usize = 32;
/// Head of a table, and bytes of one of its entries.
pub const HEAD: u64 = 32;
pub const ENTRY: u64 = 16;
/// The longest table: 4 million chunks; EnCase writes some 1,600.
const LONGEST_TABLE: u64 = 64 << 20;
/// Flags of a chunk.
const COMPRESSED: u32 = 1;
const CHECKSUM: u32 = 2;
const PATTERN: u32 = 4;

/// The compression that the head of a segment states.
pub fn method(header: &[u8; HEADER]) -> Result<Method, Failure> {
    if header[8] != 2 {
        return Err(Failure::refused(format!("version {}.{} of the format", header[8], header[9])));
    }
    match le32(header, 10) & 0xffff {
        // Nothing is compressed then.
        0 | 1 => Ok(Method::Zlib),
        2 => Ok(Method::Bzip2),
        other => Err(Failure::refused(format!("compression by method {other}"))),
    }
}

/// A segment file.
pub struct Segment {
    /// Its bytes.
    pub file: Arc<dyn Bytes>,
    pages: PagedFile,
    /// Its sections, in order.
    pub sections: Vec<Section>,
}

impl Segment {
    /// The segment of this number, from 1, of an image whose first begins with `header`; also
    /// whether it is the last one.
    pub fn open(file: Arc<dyn Bytes>, number: u32, header: &[u8; HEADER]) -> Result<(Segment, bool), Failure> {
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
        Ok((Segment { pages: PagedFile::new(file.clone()), file, sections }, is_last))
    }
}

/// A failure within a segment.
pub fn within(number: u32, failure: Failure) -> Failure {
    match failure {
        Failure::Malformed { offset, what } => {
            Failure::Malformed { offset, what: format!("in segment {number}: {what}") }
        }
        other => other,
    }
}

/// A table: where the entries of consecutive chunks are.
pub struct Table {
    segment: usize,
    first: u64,
    count: u64,
    at: u64,
}

impl Table {
    /// Reads a table of chunks of a segment, from 0; its checksums hold.
    pub fn read(file: &dyn Bytes, segment: usize, section: &Section) -> Result<Table, Failure> {
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
}

/// The media data, open.
pub struct Chunks {
    /// The segments that hold them.
    pub segments: Vec<Segment>,
    tables: Vec<Table>,
    held: Units,
    method: Method,
    /// Bytes of the media data; `None` if the last chunk alone says where they end.
    size: Option<u64>,
    chunk: u64,
    count: u64,
}

impl Chunks {
    /// The chunks behind these tables, of `chunk` bytes each.
    pub fn new(
        segments: Vec<Segment>,
        mut tables: Vec<Table>,
        method: Method,
        (size, chunk): (Option<u64>, u64),
    ) -> Result<Chunks, Failure> {
        if !(1..=LONGEST).contains(&chunk) {
            return Err(Failure::malformed(format!("chunks of {chunk} bytes")));
        }
        tables.sort_by_key(|table: &Table| table.first);
        let mut count = 0;
        for table in &tables {
            if table.first != count {
                return Err(Failure::malformed(format!(
                    "a table of the chunks from {} on, after {count}",
                    table.first
                )));
            }
            count += table.count;
        }
        if let Some(size) = size.filter(|size| count < size.div_ceil(chunk)) {
            return Err(Failure::malformed(format!("{count} chunks of {chunk} bytes for a medium of {size}")));
        }
        Ok(Chunks { segments, tables, held: Units::default(), method, size, chunk, count })
    }

    /// Bytes of the media data, at most.
    pub fn most(&self) -> u64 {
        self.size.unwrap_or(self.count.saturating_mul(self.chunk))
    }

    /// A chunk, compared with its checksum if it has one.
    fn unpack(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let at = self.tables.partition_point(|table| table.first <= number);
        let table = &self.tables[at.saturating_sub(1)];
        let segment = &self.segments[table.segment];
        let entry: [u8; 16] = segment.pages.array(table.at + (number - table.first) * ENTRY)?;
        let (at, stored, flags) = (le64(&entry, 0), u64::from(le32(&entry, 8)), le32(&entry, 12));
        // The last one may be shorter, and then says itself how long it is.
        let is_open = self.size.is_none() && number + 1 == self.count;
        let length = (self.most() - number * self.chunk).min(self.chunk);
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
                Err(_) if is_open => unpack_up_to(self.method, &bytes, self.chunk),
                // The last may be as long as the others.
                Err(_) if length < self.chunk => unpack(self.method, &bytes, self.chunk),
                other => other,
            };
            return found.map_err(|failure| wrong(&failure.to_string()));
        }
        if flags & CHECKSUM == 0 {
            return if stored >= length || is_open { Ok(bytes) } else { Err(wrong("shorter than it must be")) };
        }
        // The checksum stands behind the bytes, counted among them or not.
        let length = if is_open { open_length(&bytes) } else { length };
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

/// The length of a last chunk that is stored in these bytes; they end with its checksum, or not.
fn open_length(stored: &[u8]) -> u64 {
    match stored.split_last_chunk::<4>() {
        Some((data, sum)) if checksum(data) == u32::from_le_bytes(*sum) => data.len() as u64,
        _ => stored.len() as u64,
    }
}

impl Bytes for Chunks {
    fn size(&self) -> u64 {
        self.most()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.held.read((self.most(), self.chunk), offset, buffer, |number| self.unpack(number))
    }
}
