//! L01: segments as those of E01, and a tree of entries over their media data. After J. Metz,
//! "Expert Witness Compression Format (EWF)", the sections on EWF-L01.

use super::entry::{Entries, within};
use super::listing::Listing;
use super::tree::{LONGEST_TREE, Tree};
use crate::Bytes;
use crate::disk::Failure;
use crate::disk::unpack::{Method, unpack_up_to};
use crate::ewf::{Decompressor, Descriptor, FileHeader, Table, checksum, extension};
use crate::field::{le32, le64};
use crate::units::Units;
use std::io;
use std::sync::Arc;

/// The first bytes of a segment.
pub const MAGIC: &[u8] = b"LVF\x09\x0d\x0a\xff\x00";
/// The longest chunk.
const LONGEST: u64 = 16 << 20;
/// Bytes in front of the tree's text.
const HEAD: u64 = 48;

/// `L01` … `L99`, `LAA` … `ZZZ`.
pub fn ending(segment: u32) -> Option<String> {
    let later = |number: u16| {
        // As E01's, and seven letters further on.
        let of_e01 = extension(if number < 100 { number } else { number.checked_add(7 * 676)? })?;
        Some(if number < 100 { format!("L{}", &of_e01[1..]) } else { of_e01 })
    };
    later(u16::try_from(segment).ok()?)
}

/// Chunks behind one table.
struct Chunks {
    segment: usize,
    /// Number of the first.
    first: u64,
    table: Table,
    /// Where the last one ends.
    end: u64,
}

/// The media data of an image.
struct Media {
    segments: Vec<Arc<dyn Bytes>>,
    tables: Vec<Chunks>,
    count: u64,
    chunk: u64,
    held: Units,
}

/// The statements of the sections.
#[derive(Default)]
struct Pass {
    chunk: Option<u64>,
    tables: Vec<Chunks>,
    count: u64,
    sectors: Option<(u64, u64)>,
    table: Option<Vec<u8>>,
    tree: Option<Vec<u8>>,
}

/// Opens an image.
pub fn open(segments: Vec<Arc<dyn Bytes>>) -> Result<Entries, Failure> {
    let mut pass = Pass::default();
    let count = segments.len();
    for (at, segment) in segments.iter().enumerate() {
        let is_last = pass.segment(at, &**segment).map_err(|failure| within(at + 1, failure))?;
        match (is_last, at + 1 == count) {
            (false, true) => {
                return Err(Failure::refused(format!("segments behind the {count} that are there are missing")));
            }
            (true, false) => return Err(Failure::malformed("segments follow the last one")),
            _ => {}
        }
    }
    if pass.table.is_some() || pass.sectors.is_some() {
        return Err(Failure::malformed("chunks without a table, or a table without its copy"));
    }
    let tree = pass.tree.ok_or_else(|| Failure::malformed("no section holds the tree of entries"))?;
    let chunk = pass.chunk.ok_or_else(|| Failure::malformed("no section states the size of chunks"))?;
    let (tree, total) = Tree::new(&tree)?;
    if total.is_some_and(|total| total.div_ceil(chunk) > pass.count) {
        let (total, count) = (total.unwrap_or_default(), pass.count);
        return Err(Failure::malformed(format!("{count} chunks of {chunk} bytes for media data of {total}")));
    }
    let media = Media { segments, tables: pass.tables, count: pass.count, chunk, held: Units::default() };
    Ok(Box::new(Listing { tree, media: Arc::new(media) }))
}

impl Pass {
    /// Goes through a segment; whether it is the last one.
    fn segment(&mut self, at: usize, file: &dyn Bytes) -> Result<bool, Failure> {
        let mut start = [0; FileHeader::LENGTH];
        file.read_exact_at(0, &mut start)?;
        let number = u32::from(u16::from_le_bytes([start[9], start[10]]));
        if !start.starts_with(MAGIC) || start[8] != 1 || start[11..] != [0, 0] {
            return Err(Failure::at(0, "no header of an L01 segment"));
        }
        if number as usize != at + 1 {
            return Err(Failure::at(9, format!("it is segment {number} of its image")));
        }
        let mut offset = FileHeader::LENGTH as u64;
        loop {
            let mut bytes = [0; Descriptor::LENGTH];
            file.read_exact_at(offset, &mut bytes)?;
            let wrong = |what: &str| Failure::at(offset, what);
            let section = Descriptor::decode(&bytes).map_err(|malformed| wrong(malformed.what))?;
            if section.kind == "next" || section.kind == "done" {
                return Ok(section.kind == "done");
            }
            let head = Descriptor::LENGTH as u64;
            let is_sound = offset.checked_add(section.size) == Some(section.next);
            if !is_sound || section.size < head || section.next > file.size() {
                return Err(wrong("a section whose size and successor disagree"));
            }
            self.section(at, file, offset + head, &section)?;
            offset = section.next;
        }
    }

    fn section(&mut self, at: usize, file: &dyn Bytes, start: u64, section: &Descriptor) -> Result<(), Failure> {
        let wrong = |what: &str| Failure::at(start, what);
        let length = section.next - start;
        let read = |most: u64| {
            if length > most {
                return Err(Failure::at(start, format!("a section {} of {length} bytes", section.kind)));
            }
            let mut bytes = vec![0; length as usize];
            file.read_exact_at(start, &mut bytes)?;
            Ok(bytes)
        };
        match section.kind.as_str() {
            "volume" | "data" => {
                let bytes = read(1 << 16)?;
                if bytes.len() != 1052 || checksum(&bytes[..1048]) != le32(&bytes, 1048) {
                    return Err(wrong("length or checksum of the volume section"));
                }
                let chunk = u64::from(le32(&bytes, 8)) * u64::from(le32(&bytes, 12));
                if !(1..=LONGEST).contains(&chunk) {
                    return Err(Failure::at(start, format!("chunks of {chunk} bytes")));
                }
                if self.chunk.replace(chunk).is_some_and(|before| before != chunk) {
                    return Err(wrong("the volume's copies differ"));
                }
            }
            "sectors" => {
                let before = self.sectors.replace((start, section.next));
                if before.is_some() {
                    return Err(wrong("chunks without a table"));
                }
            }
            "table" => {
                let bytes = read(1 << 20)?;
                let table = Table::decode(&bytes).map_err(|malformed| wrong(malformed.what))?;
                let (_, end) = self.sectors.take().ok_or_else(|| wrong("a table without chunks"))?;
                let count = table.entries.len() as u64;
                self.tables.push(Chunks { segment: at, first: self.count, table, end });
                self.count += count;
                self.table = Some(bytes);
            }
            "table2" => {
                let bytes = read(1 << 20)?;
                if self.table.take().is_none_or(|table| table != bytes) {
                    return Err(wrong("a table and its copy differ"));
                }
            }
            "ltree" => {
                let bytes = read(LONGEST_TREE)?;
                if self.tree.is_some() {
                    return Err(wrong("a second tree"));
                }
                self.tree = Some(tree(bytes).map_err(wrong)?);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The text of a tree, compared with its checksum and digest.
fn tree(mut bytes: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    if bytes.len() < HEAD as usize {
        return Err("a tree that is shorter than its head");
    }
    let mut head = bytes[..HEAD as usize].to_vec();
    let (stated, sum) = (head[..16].to_vec(), le32(&head, 24));
    head[24..28].fill(0);
    let length = le64(&head, 16);
    if checksum(&head) != sum {
        return Err("the checksum of the tree's head");
    }
    bytes.drain(..HEAD as usize);
    let length = usize::try_from(length).ok().filter(|length| *length <= bytes.len());
    bytes.truncate(length.ok_or("a tree that is longer than its section")?);
    let is = "md5".parse().ok().map(|md5: pfh_digest::Algorithm| md5.digest(&bytes));
    if is.is_none_or(|is| is.bytes() != stated) {
        return Err("the tree's digest differs from the stated one");
    }
    Ok(bytes)
}

impl Media {
    /// A chunk, compared with its checksum.
    fn unpack(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let at = self.tables.partition_point(|table| table.first <= number);
        let missing = || Failure::malformed(format!("chunk {number} is behind the last one"));
        let place = at.checked_sub(1).map(|at| &self.tables[at]).ok_or_else(missing)?;
        let index = (number - place.first) as usize;
        let (start, is_packed) = place.table.entry(index).ok_or_else(missing)?;
        let end = place.table.entry(index + 1).map_or(place.end, |(next, _)| next);
        let wrong = |what: &str| within(place.segment + 1, Failure::at(start, format!("chunk {number}: {what}")));
        let stored = end
            .checked_sub(start)
            .filter(|stored| end <= place.end && *stored > 0 && *stored <= self.chunk + self.chunk / 8 + 64);
        let stored = stored.ok_or_else(|| wrong("its entry of the table leads nowhere"))?;
        let mut bytes = vec![0; stored as usize];
        self.segments[place.segment].read_exact_at(start, &mut bytes)?;
        // The last chunk may be shorter.
        let is_last = number + 1 == self.count;
        if is_packed {
            let found =
                unpack_up_to(Method::Zlib, &bytes, self.chunk).map_err(|failure| wrong(&failure.to_string()))?;
            return match found.len() as u64 == self.chunk || is_last {
                true => Ok(found),
                false => Err(wrong("it does not hold as many bytes as a chunk")),
            };
        }
        let length = stored.checked_sub(4).filter(|length| *length == self.chunk || is_last && *length <= self.chunk);
        let length = length.ok_or_else(|| wrong("a stored chunk of the wrong length"))?;
        let mut out = vec![0; length as usize];
        Decompressor::default().unpack(&bytes, false, &mut out).map_err(|malformed| wrong(malformed.what))?;
        Ok(out)
    }
}

impl Bytes for Media {
    /// Bytes of all chunks together, at most.
    fn size(&self) -> u64 {
        self.count.saturating_mul(self.chunk)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.held.read((self.size(), self.chunk), offset, buffer, |number| self.unpack(number))
    }
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn endings() {
        let shown: Vec<_> = [1, 99, 100, 125, 126, 776].map(|number| ending(number).unwrap()).into();
        assert_eq!(shown, ["L01", "L99", "LAA", "LAZ", "LBA", "MAA"]);
        assert_eq!(ending(1 << 16), None);
    }
}
