//! Lays an E01 image out: chunks go in, positioned writes come out.

use super::table::COMPRESSED;
use super::{CaseData, Descriptor, Digests, Errors, FileHeader, PackedChunk, Table, Volume, extension};

/// Chunks in one `sectors` section. A section that its tables follow can be found again after a
/// crash, so this is also the step in which an acquisition resumes: 64 MiB with chunks of 32 KiB.
/// Tables may hold 16,375.
const CHUNKS_PER_SECTION: usize = 2048;
/// Appended bytes are handed out in pieces of about this size.
const PIECE: usize = 1 << 20;

/// Bytes to be written at an offset of a segment file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Number of the segment, from 1.
    pub segment: u16,
    /// The offset in bytes from its start.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The image does not fit: too many segments (names end at `ZZZ`), or a segment too small for a
/// single chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// More than 14,971 segments.
    Segments,
    /// One chunk and the sections around it need this many bytes.
    Chunk(u64),
    /// More chunks than 32 bits count.
    Chunks,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TooLarge::Segments => write!(f, "an E01 image has at most 14,971 segments: make them larger"),
            TooLarge::Chunk(bytes) => write!(f, "E01 segments must have at least {bytes} bytes"),
            TooLarge::Chunks => write!(f, "an E01 image has at most 2^32 - 1 chunks"),
        }
    }
}

impl std::error::Error for TooLarge {}

/// How an image is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// The volume section; sectors and chunks may be 0 and are corrected at the end, which standard
    /// input needs.
    pub volume: Volume,
    /// Largest segment file in bytes.
    pub segment: u64,
}

/// A finished `sectors` section with its tables: where a resumed acquisition can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// In which segment.
    pub segment: u16,
    /// Where the next section would start in it, in bytes.
    pub end: u64,
    /// Chunks in the image up to here.
    pub chunks: u64,
}

/// Lays out an image, chunk by chunk. Nothing is written here: [`take`](Writer::take) hands out the
/// writes.
pub struct Writer {
    geometry: Geometry,
    about: CaseData,
    segment: u16,
    /// Where the next byte of the segment goes.
    offset: u64,
    /// Bytes from `pending_at` on that are not handed out yet.
    pending: Vec<u8>,
    pending_at: u64,
    ready: Vec<Write>,
    section: Option<u64>,
    entries: Vec<u32>,
    chunks: u64,
    errors: usize,
    /// Where volume and data sections are, to be corrected once the number of sectors is known:
    /// (segment, offset).
    volumes: Vec<(u16, u64)>,
}

impl Writer {
    /// Starts an image.
    pub fn new(geometry: Geometry, about: CaseData) -> Self {
        let mut writer = Writer {
            geometry,
            about,
            segment: 1,
            offset: 0,
            pending: Vec::new(),
            pending_at: 0,
            ready: Vec::new(),
            section: None,
            entries: Vec::new(),
            chunks: 0,
            errors: 0,
            volumes: Vec::new(),
        };
        writer.begin();
        writer
    }

    /// The least size of a segment in bytes: room for a stored chunk of `chunk` bytes and for the
    /// sections around it.
    pub fn least_segment(chunk: u64) -> u64 {
        let descriptor = Descriptor::LENGTH as u64;
        let begin = FileHeader::LENGTH as u64 + descriptor + Volume::LENGTH as u64;
        let tables = 2 * (descriptor + Table::length(1));
        let digests = 2 * descriptor + (Digests::DIGEST + Digests::HASH) as u64;
        // Behind a chunk that is not deflated stands its checksum.
        begin + descriptor + chunk + 4 + tables + descriptor + Volume::LENGTH as u64 + digests + descriptor
    }

    /// Continues an image whose content up to a section's end is on disk. The bytes behind it must
    /// have been cut off.
    pub fn resume(geometry: Geometry, about: CaseData, at: Section) -> Self {
        let mut writer = Writer::new(geometry, about);
        for segment in 2..=at.segment {
            writer.volumes.push((segment, FileHeader::LENGTH as u64));
        }
        writer.ready.clear();
        writer.pending.clear();
        (writer.segment, writer.offset, writer.pending_at, writer.chunks) = (at.segment, at.end, at.end, at.chunks);
        writer
    }

    /// Says how many runs of unreadable sectors there are so far: the error section needs room in
    /// the last segment.
    pub fn set_errors(&mut self, runs: usize) {
        self.errors = runs;
    }

    /// Chunks so far.
    pub fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Segments so far.
    pub fn segments(&self) -> u16 {
        self.segment
    }

    /// Chunks in finished sections: a resumed acquisition finds them again, once everything taken
    /// is on disk.
    pub fn settled(&self) -> u64 {
        self.chunks - self.entries.len() as u64
    }

    /// The writes to make, in order. `Write`s may overlap earlier ones: a section's descriptor
    /// is known only at its end.
    pub fn take(&mut self) -> Vec<Write> {
        std::mem::take(&mut self.ready)
    }

    /// Adds the next chunk.
    ///
    /// # Errors
    /// When there is no room or no name for it.
    pub fn push(&mut self, packed: &PackedChunk) -> Result<(), TooLarge> {
        if self.chunks >= u64::from(u32::MAX) {
            return Err(TooLarge::Chunks);
        }
        if self.entries.len() == CHUNKS_PER_SECTION {
            self.close_section();
        }
        if !self.fits(packed.bytes.len()) {
            self.close_section();
            self.next_segment()?;
            if !self.fits(packed.bytes.len()) {
                let extra = self.room_for(packed.bytes.len());
                return Err(TooLarge::Chunk(self.offset + extra));
            }
        }
        let start = *self.section.get_or_insert(self.offset);
        if start == self.offset {
            self.append(&[0; Descriptor::LENGTH]);
        }
        let flag = if packed.is_compressed { COMPRESSED } else { 0 };
        // A section is at most 2,048 chunks of 16 MiB and never near 2 GiB in practice: a segment
        // is closed before.
        self.entries.push((self.offset - start) as u32 | flag);
        self.append(&packed.bytes);
        self.chunks += 1;
        Ok(())
    }

    /// Ends the image.
    ///
    /// # Errors
    /// When the last sections need a segment more and there is no name for it.
    pub fn finish(&mut self, sectors: u64, errors: &Errors, digests: &Digests) -> Result<(), TooLarge> {
        self.close_section();
        self.geometry.volume.sectors = sectors;
        self.geometry.volume.chunks = self.chunks as u32;
        let volume = self.geometry.volume.encode();
        if self.segment == 1 {
            self.append_section("data", &volume);
        }
        if !errors.0.is_empty() {
            self.append_section("error2", &errors.encode());
        }
        if digests.sha1.is_some() {
            self.append_section("digest", &digests.encode_digest());
        }
        if digests.md5.is_some() {
            self.append_section("hash", &digests.encode_hash());
        }
        self.append(&Descriptor::last("done", self.offset).encode());
        self.flush();
        for (segment, offset) in std::mem::take(&mut self.volumes) {
            let offset = offset + Descriptor::LENGTH as u64;
            self.ready.push(Write { segment, offset, bytes: volume.clone() });
        }
        Ok(())
    }

    /// Length of the last segment in bytes: a file that was longer before must be cut to it.
    pub fn end(&self) -> u64 {
        self.offset
    }

    fn begin(&mut self) {
        (self.offset, self.pending_at) = (0, 0);
        self.append(&FileHeader { segment: self.segment }.encode());
        if self.segment == 1 {
            let header2 = self.about.encode_header2();
            self.append_section("header2", &header2);
            self.append_section("header2", &header2);
            let header = self.about.encode_header();
            self.append_section("header", &header);
        }
        self.volumes.push((self.segment, self.offset));
        let volume = self.geometry.volume.encode();
        self.append_section(if self.segment == 1 { "volume" } else { "data" }, &volume);
    }

    fn next_segment(&mut self) -> Result<(), TooLarge> {
        if extension(self.segment + 1).is_none() {
            return Err(TooLarge::Segments);
        }
        self.append(&Descriptor::last("next", self.offset).encode());
        self.flush();
        self.segment += 1;
        self.begin();
        Ok(())
    }

    /// Bytes that a chunk of `length` bytes and all that may have to follow it take.
    fn room_for(&self, length: usize) -> u64 {
        let descriptor = Descriptor::LENGTH as u64;
        let opening = if self.section.is_none() { descriptor } else { 0 };
        let tables = 2 * (descriptor + Table::length(self.entries.len() + 1));
        let errors = if self.errors == 0 { 0 } else { descriptor + Errors::length(self.errors) };
        let data = descriptor + Volume::LENGTH as u64;
        let digests = 2 * descriptor + (Digests::DIGEST + Digests::HASH) as u64;
        opening + length as u64 + tables + errors + data + digests + descriptor
    }

    fn fits(&self, length: usize) -> bool {
        // Entries of a table are 31 bits from the section's start.
        let offset = self.offset - self.section.unwrap_or(self.offset);
        self.offset + self.room_for(length) <= self.geometry.segment && offset + (length as u64) < u64::from(COMPRESSED)
    }

    fn close_section(&mut self) {
        let Some(start) = self.section.take() else { return };
        let payload = self.offset - start - Descriptor::LENGTH as u64;
        let descriptor = Descriptor::new("sectors", start, payload).encode();
        self.flush();
        let table = Table { base: start, entries: std::mem::take(&mut self.entries) }.encode();
        self.append_section("table", &table);
        self.append_section("table2", &table);
        self.flush();
        // Last, so that a section with a descriptor is whole.
        self.ready.push(Write { segment: self.segment, offset: start, bytes: descriptor });
    }

    fn append_section(&mut self, kind: &str, payload: &[u8]) {
        self.append(&Descriptor::new(kind, self.offset, payload.len() as u64).encode());
        self.append(payload);
    }

    fn append(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        self.offset += bytes.len() as u64;
        if self.pending.len() >= PIECE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let bytes = std::mem::take(&mut self.pending);
            self.ready.push(Write { segment: self.segment, offset: self.pending_at, bytes });
        }
        self.pending_at = self.offset;
    }
}
