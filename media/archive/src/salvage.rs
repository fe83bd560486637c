//! Members of a zip by their local headers alone, where the central directory is lost or
//! contradicts itself. The name of each says so, and where its header stands:
//! `name!salvaged-OFFSET`.

use super::checked::bomb;
use super::limits::Limits;
use super::member::{failure, node};
use super::tape::Tape;
use super::zip_cipher::ENCRYPTED;
use super::zip_directory::{Record, u16_at, u32_at, u64_at};
use super::zip_method;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Node};
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that are looked through at once.
const WINDOW: usize = 64 << 10;
/// Bytes of a local header without its name.
const HEADER: usize = 30;
const MARK: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: u16 = 8;
/// The known methods of compression.
const METHODS: [u16; 16] = [0, 1, 2, 3, 4, 5, 6, 8, 9, 12, 14, 20, 93, 95, 98, 99];

/// The members whose local headers no member of the directory has.
pub struct Salvage {
    bytes: Arc<dyn Bytes>,
    limits: Limits,
    /// Where members of the directory lie, in order: no others are looked for inside them.
    known: Vec<Range<u64>>,
    at: u64,
    number: u64,
}

impl Salvage {
    /// Looks from the first byte on; `known` are the places of members that the directory has.
    pub fn new(bytes: Arc<dyn Bytes>, limits: &Limits, mut known: Vec<Range<u64>>) -> Salvage {
        known.sort_unstable_by_key(|range| range.start);
        Salvage { bytes, limits: limits.clone(), known, at: 0, number: 0 }
    }

    /// The next place from `at` on where the mark of a header stands outside of known members.
    fn search(&mut self) -> Result<Option<u64>, Failure> {
        let mut window = vec![0; WINDOW];
        loop {
            let after = self.known.partition_point(|range| range.start <= self.at);
            if let Some(within) = after.checked_sub(1).map(|at| &self.known[at]).filter(|range| self.at < range.end) {
                self.at = within.end;
                continue;
            }
            let end = self.known.get(after).map_or(self.bytes.size(), |range| range.start).min(self.bytes.size());
            let room = usize::try_from(end.saturating_sub(self.at)).unwrap_or(WINDOW).min(WINDOW);
            if room < MARK.len() {
                if end >= self.bytes.size() {
                    return Ok(None);
                }
                self.at = end;
                continue;
            }
            let read = self.bytes.read_exact_at(self.at, &mut window[..room]);
            if let Err(error) = read {
                let cause = format!("local headers cannot be looked for: {error}");
                return Err(Failure { offset: Some(self.at), ..failure(b"", cause) });
            }
            match window[..room].windows(MARK.len()).position(|bytes| bytes == MARK) {
                Some(found) => return Ok(Some(self.at + found as u64)),
                // The mark may be cut by the end of the window.
                None => self.at += (room - MARK.len() + 1) as u64,
            }
        }
    }

    /// The member of a header at this place, and where it ends; `None` if there is none.
    fn member(&self, start: u64) -> Option<(Node, u64)> {
        let mut header = [0; HEADER];
        self.bytes.read_exact_at(start, &mut header).ok()?;
        let (name, extra) = (usize::from(u16_at(&header, 26)), usize::from(u16_at(&header, 28)));
        let mut rest = vec![0; name + extra];
        self.bytes.read_exact_at(start + HEADER as u64, &mut rest).ok()?;
        let extra = rest.split_off(name);
        let mut record = Record {
            name: rest,
            flags: u16_at(&header, 6),
            method: u16_at(&header, 8),
            time: u16_at(&header, 10),
            crc: u32_at(&header, 14),
            stored: u32_at(&header, 18).into(),
            size: u32_at(&header, 22).into(),
            extra,
            ..Record::default()
        };
        record.widen();
        let data = start + (HEADER + name + record.extra.len()) as u64;
        if name == 0 || !METHODS.contains(&record.method) || record.name.contains(&0) {
            return None;
        }
        let has_sizes = record.flags & DESCRIPTOR == 0 || record.stored > 0;
        let length = if has_sizes { Ok(record.stored) } else { self.length(&mut record, data) };
        let end = data.saturating_add(*length.as_ref().unwrap_or(&0));
        let length = match length {
            Ok(_) if end > self.bytes.size() => Err(failure(b"", "the zip ends before this member does")),
            other => other,
        };
        let marked = [&record.name[..], format!("!salvaged-{start}").as_bytes()].concat();
        if record.name.ends_with(b"/") && record.size == 0 {
            return Some((node(marked, Kind::Directory), end));
        }
        let mut found = node(marked.clone(), Kind::File);
        (found.size, found.compressed) = (length.is_ok().then_some(record.size), record.method != 0);
        let (bytes, limits) = (self.bytes.clone(), self.limits.clone());
        found.content = Some(Arc::new(SalvagedContent { bytes, limits, record, data, length, path: marked.into() }));
        Some((found, end.max(data).min(self.bytes.size())))
    }

    /// How many stored bytes a member has whose header leaves that to a descriptor behind it. Sizes
    /// and CRC of the record become those of the descriptor.
    fn length(&self, record: &mut Record, data: u64) -> Result<u64, Failure> {
        let unknown = |why: &str| failure(b"", format!("its header states no length, and {why}"));
        if record.method != 8 || record.flags & ENCRYPTED != 0 {
            return Err(unknown("its bytes do not say where they end"));
        }
        let most = self.limits.most(self.bytes.size());
        let input = Tape::buffered(self.bytes.clone(), data, self.bytes.size());
        let mut inflated = flate2::bufread::DeflateDecoder::new(input);
        let size = std::io::copy(&mut (&mut inflated).take(most.saturating_add(1)), &mut std::io::sink());
        let size = size.map_err(|error| unknown(&format!("cannot be decompressed: {error}")))?;
        if size > most {
            return Err(failure(b"", bomb(most)));
        }
        let stored = inflated.total_in();
        let mut descriptor = [0; 24];
        let room = self.bytes.size().saturating_sub(data + stored).min(24) as usize;
        let read = self.bytes.read_exact_at(data + stored, &mut descriptor[..room]);
        read.map_err(|error| unknown(&error.to_string()))?;
        // With or without a mark, with sizes of 32 or of 64 bits.
        let start = if descriptor.starts_with(b"PK\x07\x08") { 4 } else { 0 };
        let narrow = (u64::from(u32_at(&descriptor, start + 4)), u64::from(u32_at(&descriptor, start + 8)));
        let wide = (u64_at(&descriptor, start + 4), u64_at(&descriptor, start + 12));
        if narrow != (stored, size) && wide != (stored, size) {
            return Err(unknown("no descriptor of this length stands behind it"));
        }
        (record.crc, record.stored, record.size) = (u32_at(&descriptor, start), stored, size);
        Ok(stored)
    }
}

impl Iterator for Salvage {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = match self.search() {
                Ok(found) => found?,
                Err(failed) => {
                    self.at = self.bytes.size();
                    return Some(Err(failed));
                }
            };
            let Some((found, end)) = self.member(start) else {
                self.at = start + 1;
                continue;
            };
            self.at = end.max(start + MARK.len() as u64);
            self.number += 1;
            if self.number > self.limits.entries {
                self.at = self.bytes.size();
                return Some(Err(failure(b"", format!("more than {} members to salvage", self.limits.entries))));
            }
            return Some(Ok(found));
        }
    }
}

/// The content of a member by its local header.
struct SalvagedContent {
    bytes: Arc<dyn Bytes>,
    limits: Limits,
    record: Record,
    data: u64,
    /// How many bytes are stored, or why that is not known.
    length: Result<u64, Failure>,
    path: Arc<[u8]>,
}

impl Content for SalvagedContent {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.length.clone().map_err(|failed| Failure { path: self.path.to_vec(), ..failed })?;
        zip_method::open(&self.bytes, &self.limits, &self.record, self.data, &self.path)
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let length = self.length.clone().map_err(|failed| Failure { path: self.path.to_vec(), ..failed })?;
        Ok(Some(Box::new(Tape::new(self.bytes.clone(), self.data, self.data + length))))
    }
}
