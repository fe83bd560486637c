//! An image that is damaged outside of its chunks, read as far as it goes: each departure from the
//! format is named.
//!
//! The format holds most of its metadata twice (header and header2, volume and data, table and
//! table2); a copy that is damaged is replaced with the other one. Chunks keep their own checksums:
//! nothing is believed that they do not cover.

use super::{Failure, Index, MOST_PAYLOAD, Pass, Place, ReadAt, read};
use crate::ewf::{CaseData, Descriptor, Errors, FileHeader, Table, Volume};

/// The types of sections.
const KINDS: [&str; 14] = [
    "header2", "header", "volume", "disk", "data", "sectors", "table", "table2", "error2", "digest", "hash", "next",
    "done", "session",
];

/// A pass that goes on behind a fault.
#[derive(Default)]
struct Salvage {
    pass: Pass,
    /// A table that cannot be used, with its place and its count: its copy may serve.
    lost: Option<(Place, u64)>,
    departures: Vec<String>,
}

impl Index {
    /// Reads the rest of a damaged image, and reports each place that is not as the format demands.
    /// Chunks whose tables are both damaged cannot be located.
    ///
    /// # Errors
    /// When the files cannot be read, or nothing states the geometry.
    pub fn salvage(image: &dyn ReadAt) -> Result<(Self, Vec<String>), Failure> {
        let mut salvage = Salvage::default();
        for segment in 1..=image.segments() {
            let end = salvage.segment(image, segment)?;
            let wanted = if segment == image.segments() { "done" } else { "next" };
            if end != wanted {
                salvage.depart(segment, 0, &format!("the segment does not end with the section {wanted}"));
            }
        }
        let Salvage { pass, mut departures, .. } = salvage;
        let index = pass.finish(true)?;
        if u64::from(index.volume.chunks) != index.chunks {
            let (volume, tables) = (index.volume.chunks, index.chunks);
            departures.push(format!("the tables hold {tables} chunks, the volume states {volume}"));
        }
        Ok((index, departures))
    }
}

impl Salvage {
    fn depart(&mut self, segment: u16, offset: u64, what: &str) {
        self.departures.push(format!("segment {segment}, offset {offset}: {what}"));
    }

    /// Goes through a segment; the kind of the last section.
    fn segment(&mut self, image: &dyn ReadAt, segment: u16) -> Result<String, Failure> {
        let length = image.length(segment).map_err(|error| Failure::Io { segment, offset: 0, error })?;
        let header = read(image, segment, 0, (FileHeader::LENGTH as u64).min(length))?;
        match FileHeader::decode(&header) {
            Ok(header) if header.segment == segment => {}
            Ok(_) => self.depart(segment, 9, "another number than its name says"),
            Err(m) => self.depart(segment, 0, m.what),
        }
        let mut offset = FileHeader::LENGTH as u64;
        loop {
            if offset + Descriptor::LENGTH as u64 > length {
                return Ok(String::new());
            }
            let bytes = read(image, segment, offset, Descriptor::LENGTH as u64)?;
            let found = match Descriptor::decode(&bytes) {
                Ok(found) => found,
                Err(m) => {
                    self.depart(segment, offset, m.what);
                    match mended(image, segment, offset, length, &bytes) {
                        Some(found) => found,
                        None => return Ok(String::new()),
                    }
                }
            };
            if found.kind == "next" || found.kind == "done" {
                return Ok(found.kind);
            }
            let ahead = offset + Descriptor::LENGTH as u64;
            if found.next < ahead || found.next > length || found.size < Descriptor::LENGTH as u64 {
                self.depart(segment, offset, "a section whose size and successor disagree");
                return Ok(String::new());
            }
            self.section(image, segment, offset, &found)?;
            offset = found.next;
        }
    }

    fn section(&mut self, image: &dyn ReadAt, segment: u16, start: u64, found: &Descriptor) -> Result<(), Failure> {
        let offset = start + Descriptor::LENGTH as u64;
        let length = found.next - offset;
        let is_table = found.kind == "table" || found.kind == "table2";
        if is_table && length <= MOST_PAYLOAD {
            let bytes = read(image, segment, offset, length)?;
            self.table(segment, offset, &bytes, found);
            return Ok(());
        }
        // A section that the strict pass refuses is named and left out.
        let before = self.pass.volume;
        match self.pass.section(image, segment, start, found) {
            Ok(()) => {}
            Err(Failure::Malformed(m)) => {
                self.depart(segment, start, m.what);
                if found.kind == "sectors" {
                    // The chunks before it have no table: these come now.
                    self.pass.sectors = Some((offset, found.next));
                }
                self.pass.volume = before.or(self.pass.volume);
                if ["volume", "disk", "data"].contains(&found.kind.as_str()) && self.pass.volume.is_none() {
                    self.pass.volume = read(image, segment, offset, length).ok().and_then(|b| Volume::decode(&b).ok());
                }
                if found.kind == "header" && self.pass.about.is_none() {
                    self.pass.about =
                        read(image, segment, offset, length).ok().and_then(|b| CaseData::decode_header(&b).ok());
                }
                if found.kind == "error2" {
                    self.pass.errors = Errors::default();
                }
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// Takes a table, or its copy where the table cannot be used.
    fn table(&mut self, segment: u16, offset: u64, bytes: &[u8], found: &Descriptor) {
        let (decoded, length) = (Table::decode(bytes), bytes.len() as u64);
        if found.kind == "table2" {
            match (self.lost.take(), decoded) {
                (Some((place, _)), Ok(table)) => {
                    self.depart(segment, offset, "the table is damaged; its copy is used");
                    let entries = table.entries.len() as u64;
                    self.pass.places.push(Place { segment, offset, length, ..place });
                    self.pass.chunks += entries;
                }
                (Some((place, entries)), Err(_)) => {
                    self.depart(segment, offset, "a table and its copy are damaged: its chunks cannot be located");
                    self.pass.places.push(place);
                    self.pass.chunks += entries;
                }
                (None, Ok(_)) if self.pass.table.take().is_some_and(|table| table == bytes) => {}
                (None, _) => {
                    self.depart(segment, offset, "the copy of a table is damaged, or another; the table is used")
                }
            }
            return;
        }
        let (_, end) = self.pass.sectors.take().unwrap_or((offset, found.next));
        let place = Place { segment, offset, length, first: self.pass.chunks, end };
        match decoded {
            Ok(table) => {
                self.pass.chunks += table.entries.len() as u64;
                self.pass.places.push(place);
                self.pass.table = Some(bytes.to_vec());
            }
            // As many entries as there is room for: the number that the table states is not
            // trusted.
            Err(_) => self.lost = Some((place, length.saturating_sub(Table::length(0)) / 4)),
        }
    }
}

/// A descriptor whose checksum is wrong, if its neighbours confirm it: its kind differs from a
/// known one in one byte at most, and another section begins behind it, or the segment ends.
fn mended(image: &dyn ReadAt, segment: u16, offset: u64, length: u64, bytes: &[u8]) -> Option<Descriptor> {
    let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
    let padded = |kind: &str| {
        let mut name = [0; 16];
        name[..kind.len()].copy_from_slice(kind.as_bytes());
        name
    };
    let differing = |kind: &&str| padded(kind).iter().zip(&bytes[..16]).filter(|(a, b)| a != b).count();
    let kind = KINDS.iter().copied().min_by_key(|kind| differing(kind)).filter(|kind| differing(kind) <= 1)?;
    if kind == "next" || kind == "done" {
        return Some(Descriptor::last(kind, offset));
    }
    let begins = |at: u64| {
        let room = at.checked_add(Descriptor::LENGTH as u64).is_some_and(|end| end <= length);
        at == length
            || (room
                && read(image, segment, at, Descriptor::LENGTH as u64).is_ok_and(|b| Descriptor::decode(&b).is_ok()))
    };
    let candidates = [Some(word(16)), offset.checked_add(word(24))];
    let next = candidates.into_iter().flatten().find(|next| *next > offset && begins(*next))?;
    Some(Descriptor { kind: kind.to_owned(), next, size: next - offset })
}
