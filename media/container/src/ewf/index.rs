//! Finds the chunks of an image that may be damaged or hostile, in memory that does not grow with
//! the sizes that the image states.

use super::{CaseData, Descriptor, Digests, Errors, EwfFault, FileHeader, Section, Table, Volume};
use crate::Units;
use std::io;

mod salvage;

/// Segment files that can be read anywhere.
pub trait ReadAt {
    /// How many segments there are.
    fn segments(&self) -> u16;
    /// Length of a segment in bytes; segments count from 1.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn length(&self, segment: u16) -> io::Result<u64>;
    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` where the segment ends before; errors of the operating system.
    fn read_at(&self, segment: u16, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// Why an image could not be indexed.
#[derive(Debug)]
pub enum Failure {
    /// Its bytes are not sound.
    Malformed(EwfFault),
    /// They could not be read.
    Io {
        /// In which segment.
        segment: u16,
        /// Where, in bytes.
        offset: u64,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl From<EwfFault> for Failure {
    fn from(malformed: EwfFault) -> Self {
        Failure::Malformed(malformed)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Malformed(malformed) => malformed.fmt(f),
            Failure::Io { segment, offset, error } => write!(f, "segment {segment}, offset {offset}: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Where a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Segment, from 1.
    pub segment: u16,
    /// Offset in it, in bytes.
    pub offset: u64,
    /// Bytes there.
    pub stored: usize,
    /// Whether they are deflated.
    pub is_compressed: bool,
    /// Bytes of the chunk itself.
    pub length: usize,
}

/// One table: 40 bytes for up to 16,375 chunks (the entries stay in the file).
#[derive(Debug, Clone, Copy)]
struct Place {
    segment: u16,
    /// Of the table's payload.
    offset: u64,
    /// Length of the payload.
    length: u64,
    /// Number of its first chunk.
    first: u64,
    /// The chunks' bytes end here.
    end: u64,
}

/// The way through an image.
#[derive(Debug)]
pub struct Index {
    /// Geometry.
    pub volume: Volume,
    /// Case data.
    pub about: CaseData,
    /// Runs of unreadable sectors.
    pub errors: Errors,
    /// Digests of the media data, as stated in the image.
    pub digests: Digests,
    /// The last complete section of chunks: where an acquisition can resume.
    pub last: Option<Section>,
    /// Bytes behind the last sections of the segments: the format does not account for them, and
    /// they are not read.
    pub behind: u64,
    places: Vec<Place>,
    chunks: u64,
    is_done: bool,
}

/// Most bytes of a header, error or digest section: 2 million runs of errors.
const MOST_PAYLOAD: u64 = 16 << 20;

/// The findings of a pass over the sections so far.
#[derive(Default)]
struct Pass {
    volume: Option<Volume>,
    header2: Option<Vec<u8>>,
    about: Option<CaseData>,
    errors: Errors,
    digests: Digests,
    /// First and last byte of the sectors section that has no table yet.
    sectors: Option<(u64, u64)>,
    /// The table that waits for its copy.
    table: Option<Vec<u8>>,
    places: Vec<Place>,
    chunks: u64,
    last: Option<Section>,
    behind: u64,
}

impl Index {
    /// Reads all sections but the chunks. Checks every checksum on the way.
    ///
    /// # Errors
    /// The first thing that is not sound.
    pub fn open(image: &dyn ReadAt) -> Result<Self, Failure> {
        let mut pass = Pass::default();
        for segment in 1..=image.segments() {
            let end = pass.segment(image, segment)?;
            let wanted = if segment == image.segments() { "done" } else { "next" };
            if end.kind != wanted {
                let what = if wanted == "done" { "segments are missing" } else { "segments follow the last one" };
                return Err(EwfFault::new(what).at(segment, end.next).into());
            }
        }
        let index = pass.finish(true)?;
        if u64::from(index.volume.chunks) != index.chunks {
            return Err(EwfFault::new("the tables hold another number of chunks than the volume").into());
        }
        Ok(index)
    }

    /// Reads an image whose acquisition was cut off, up to the last complete section of chunks.
    /// `None` where not even the volume section is there.
    ///
    /// # Errors
    /// When the files cannot be read; damage only ends the search.
    pub fn open_partial(image: &dyn ReadAt) -> Result<Option<Self>, Failure> {
        let mut pass = Pass::default();
        for segment in 1..=image.segments() {
            match pass.segment(image, segment) {
                Ok(_) => {}
                Err(Failure::Malformed(_)) => break,
                Err(Failure::Io { error, .. }) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(failure) => return Err(failure),
            }
        }
        Ok(pass.finish(false).ok())
    }

    /// Whether the image was brought to its end.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Chunks that the tables hold.
    pub fn chunks(&self) -> u64 {
        self.chunks
    }

    /// The complete sections of chunks, in order: each is a place to cut the image off and go on.
    pub fn sections(&self) -> impl Iterator<Item = Section> {
        let next = self.places.iter().skip(1).map(|p| p.first).chain([self.chunks]);
        self.places.iter().zip(next).map(|(place, chunks)| {
            // The table's copy follows it and has the same length.
            let end = place.offset + 2 * place.length + Descriptor::LENGTH as u64;
            Section { segment: place.segment, end, chunks }
        })
    }

    /// Where chunk `number` is. `tables` keeps the tables that were used last: give the same one
    /// each time.
    ///
    /// # Errors
    /// When the chunk does not exist, or its table contradicts itself.
    pub fn locate(&self, image: &dyn ReadAt, number: u64, tables: &Units<Table>) -> Result<Location, Failure> {
        let beyond = || Failure::from(EwfFault::new("a chunk beyond the last table"));
        let at = self.places.partition_point(|p| p.first <= number).checked_sub(1).ok_or_else(beyond)?;
        let place = self.places[at];
        let table = tables.get(at as u64, || {
            let bytes = read(image, place.segment, place.offset, place.length)?;
            Table::decode(&bytes).map_err(|m| Failure::from(m.at(place.segment, place.offset)))
        })?;
        let index = (number - place.first) as usize;
        let (offset, is_compressed) = table.entry(index).ok_or_else(beyond)?;
        let end = table.entry(index + 1).map_or(place.end, |(next, _)| next);
        let chunk = self.volume.chunk_length();
        let from = number * chunk;
        let length =
            if self.volume.sectors == 0 { chunk } else { chunk.min(self.volume.length().saturating_sub(from)) };
        let stored = end.checked_sub(offset).filter(|stored| end <= place.end && *stored > 0);
        // A deflated chunk may be a little longer than the bare one where a writer always deflates.
        let stored = stored.filter(|stored| *stored <= chunk + chunk / 8 + 64);
        let wrong = || Failure::from(EwfFault::new("table entries out of order").at(place.segment, offset));
        let stored = stored.ok_or_else(wrong)? as usize;
        Ok(Location { segment: place.segment, offset, stored, is_compressed, length: length as usize })
    }
}

fn read(image: &dyn ReadAt, segment: u16, offset: u64, length: u64) -> Result<Vec<u8>, Failure> {
    let fail = |error| Failure::Io { segment, offset, error };
    // The length of the file bounds the allocation, regardless of a section's stated length.
    let room = image.length(segment).map_err(fail)?.saturating_sub(offset);
    if length > room {
        return Err(EwfFault::new("a section that reaches beyond the end of its segment").at(segment, offset).into());
    }
    let mut bytes = vec![0; length as usize];
    image.read_at(segment, offset, &mut bytes).map_err(fail)?;
    Ok(bytes)
}

impl Pass {
    /// Goes through one segment; returns its last descriptor.
    fn segment(&mut self, image: &dyn ReadAt, segment: u16) -> Result<Descriptor, Failure> {
        let header = read(image, segment, 0, FileHeader::LENGTH as u64)?;
        let header = FileHeader::decode(&header).map_err(|m| m.at(segment, 0))?;
        if header.segment != segment {
            return Err(EwfFault::new("a segment with another number than its name says").at(segment, 9).into());
        }
        let length = image.length(segment).map_err(|error| Failure::Io { segment, offset: 0, error })?;
        let mut offset = FileHeader::LENGTH as u64;
        loop {
            let at = |m: EwfFault| Failure::from(m.at(segment, offset));
            let bytes = read(image, segment, offset, Descriptor::LENGTH as u64)?;
            let descriptor = Descriptor::decode(&bytes).map_err(at)?;
            if descriptor.kind == "next" || descriptor.kind == "done" {
                if descriptor.next != offset || !matches!(descriptor.size, 0 | 76) {
                    return Err(at(EwfFault::new("a last section that does not point at itself")));
                }
                if descriptor.kind == "done" && (self.table.is_some() || self.sectors.is_some()) {
                    return Err(at(EwfFault::new("chunks without a table")));
                }
                self.behind += length.saturating_sub(offset + Descriptor::LENGTH as u64);
                return Ok(descriptor);
            }
            // Both ways to the next section must agree, else one file could hold two images; and it
            // must lie ahead, else sections could go round in a circle.
            let sizes_agree = offset.checked_add(descriptor.size) == Some(descriptor.next);
            if !sizes_agree || descriptor.size < Descriptor::LENGTH as u64 || descriptor.next > length {
                return Err(at(EwfFault::new("a section whose size and successor disagree")));
            }
            self.section(image, segment, offset, &descriptor).map_err(|failure| match failure {
                Failure::Malformed(m) if m.segment == 0 => at(m),
                other => other,
            })?;
            offset = descriptor.next;
        }
    }

    fn section(&mut self, image: &dyn ReadAt, segment: u16, start: u64, found: &Descriptor) -> Result<(), Failure> {
        let offset = start + Descriptor::LENGTH as u64;
        let length = found.size - Descriptor::LENGTH as u64;
        if found.kind == "sectors" {
            if self.sectors.replace((offset, found.next)).is_some() {
                return Err(EwfFault::new("chunks without a table").into());
            }
            return Ok(());
        }
        let known = ["header2", "header", "volume", "disk", "data", "table", "table2", "error2", "digest", "hash"];
        if !known.contains(&found.kind.as_str()) {
            return Ok(());
        }
        // EnCase 1 has no sectors section and no copy of the table: the chunks follow the table's
        // entries, in its own section.
        let holds_chunks = found.kind == "table" && self.sectors.is_none();
        let length = if holds_chunks { length.min(Table::MOST) } else { length };
        if length > MOST_PAYLOAD {
            return Err(EwfFault::new("a section of more than 16 MiB").into());
        }
        let bytes = read(image, segment, offset, length)?;
        match found.kind.as_str() {
            "header2" => {
                let about = CaseData::decode_header2(&bytes)?;
                if self.header2.replace(bytes.clone()).is_some_and(|before| before != bytes) {
                    return Err(EwfFault::new("the two header2 sections differ").into());
                }
                self.about = Some(about);
            }
            "header" => {
                let about = CaseData::decode_header(&bytes)?;
                self.about.get_or_insert(about);
            }
            "volume" | "disk" | "data" => {
                let volume = Volume::decode(&bytes)?;
                if self.volume.replace(volume).is_some_and(|before| before != volume) {
                    return Err(EwfFault::new("the volume's copies differ").into());
                }
            }
            "table" => {
                let entries = Table::decode(&bytes)?.entries.len() as u64;
                let (_, end) = self.sectors.take().unwrap_or((offset, found.next));
                self.places.push(Place { segment, offset, length, first: self.chunks, end });
                self.chunks += entries;
                self.table = (!holds_chunks).then_some(bytes);
                if holds_chunks {
                    self.last = Some(Section { segment, end: found.next, chunks: self.chunks });
                }
            }
            "table2" => {
                if self.table.take().is_none_or(|table| table != bytes) {
                    return Err(EwfFault::new("a table and its copy differ").into());
                }
                self.last = Some(Section { segment, end: found.next, chunks: self.chunks });
            }
            "error2" => self.errors = Errors::decode(&bytes)?,
            "digest" => self.digests.read_digest(&bytes)?,
            _ => self.digests.read_hash(&bytes)?,
        }
        Ok(())
    }

    fn finish(mut self, is_done: bool) -> Result<Index, EwfFault> {
        let volume = self.volume.ok_or(EwfFault::new("no volume section"))?;
        if !is_done {
            // A table whose copy is missing may be half written as well.
            let chunks = self.last.map_or(0, |last| last.chunks);
            self.places.retain(|p| p.first < chunks);
            self.chunks = chunks;
        }
        Ok(Index {
            volume,
            about: self.about.unwrap_or_default(),
            errors: self.errors,
            digests: self.digests,
            last: self.last,
            behind: self.behind,
            places: self.places,
            chunks: self.chunks,
            is_done,
        })
    }
}
