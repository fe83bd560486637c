//! An image stream: chunks in segments (bevvies), each with an index.

use super::set::{Set, Volume};
use super::statements::{ORDER, algorithm};
use super::zip::Member;
use crate::disk::Failure;
use crate::disk::unpack::{LONGEST, Method, unpack};
use crate::disk::within_unit;
use crate::field::{le32, le64};
use crate::units::Units;
use std::sync::Arc;

/// Bytes of an entry of the index: offset, length.
const ENTRY: u64 = 12;

/// A stream, open.
pub struct Stream {
    /// Its name.
    pub name: String,
    /// The volume that stores it.
    pub volume: Arc<Volume>,
    size: u64,
    /// Bytes of a chunk.
    pub chunk: u64,
    /// Chunks of a segment.
    pub each: u64,
    method: Option<Method>,
    chunks: Units,
    /// Chunks that were compared with their stated digests.
    sound: Units,
}

impl Stream {
    /// Opens a stream of this name.
    pub fn open(set: &Set<'_>, name: &str) -> Result<Stream, Failure> {
        let volume = set.of_stream(name)?;
        let statements = &volume.statements;
        let wrong = |what: String| Failure::malformed(format!("the stream {name} {what}"));
        if !statements.is_a(name, "ImageStream") {
            return Err(Failure::refused(format!("the stream {name} is in another volume of the set")));
        }
        let number = |predicate: &str| statements.number(name, predicate);
        let size = number("size").ok_or_else(|| wrong("states no size".into()))?;
        let chunk = number("chunkSize").or_else(|| number("chunk_size")).unwrap_or(32 << 10);
        let each = number("chunksInSegment").or_else(|| number("chunks_per_segment")).unwrap_or(2048);
        if !(1..=LONGEST).contains(&chunk) || !(1..=1 << 32).contains(&each) || size > 1 << 62 {
            return Err(wrong(format!("has {size} bytes in chunks of {chunk}, {each} to a segment")));
        }
        let method = statements.one(name, "compressionMethod").unwrap_or_default();
        let known = [
            ("snappy", Some(Method::Snappy)),
            ("rfc1950", Some(Method::Zlib)),
            ("rfc1951", Some(Method::Deflate)),
            ("lz4", Some(Method::Lz4)),
            ("NullCompressor", None),
            ("stored", None),
        ];
        let found = known.iter().find(|(word, _)| method.contains(word)).map(|(_, method)| *method);
        let method = match found {
            Some(method) => method,
            None if method.is_empty() => None,
            None => return Err(Failure::refused(format!("a stream compressed by {method}"))),
        };
        // The segments of an acquisition that was cut off are missing.
        let last = size.checked_sub(1).map(|last| last / chunk / each);
        let stream = Stream {
            name: name.to_owned(),
            volume,
            size,
            chunk,
            each,
            method,
            chunks: Units::default(),
            sound: Units::default(),
        };
        if let Some(last) = last {
            stream.segment(last, "")?;
        }
        Ok(stream)
    }

    /// Bytes of it.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A segment by its number, or the member beside it with this ending: `.index`,
    /// `.blockHash.md5`.
    pub fn segment(&self, number: u64, ending: &str) -> Result<Member, Failure> {
        let name = format!("{}/{number:08}{ending}", self.name);
        self.volume.zip.member(&name).ok_or_else(|| Failure::malformed(format!("the member {name} is missing")))
    }

    /// Reads bytes of one chunk; how many.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let Some((number, inside, take)) = within_unit(self.size, self.chunk, offset, buffer.len()) else {
            return Ok(0);
        };
        let chunk = self.chunks.get(number, || self.unpack(number))?;
        let from = inside as usize;
        buffer[..take].copy_from_slice(&chunk[from..from + take]);
        Ok(take)
    }

    /// As [`read`](Stream::read), of chunks that agree with all statements of the volume on them:
    /// the CRC-32 of their segment and of its index, and the first list of digests of blocks that
    /// is present.
    pub fn serve(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let Some((number, inside, take)) = within_unit(self.size, self.chunk, offset, buffer.len()) else {
            return Ok(0);
        };
        let chunk = self.sound.get(number, || self.compared(number))?;
        let from = inside as usize;
        buffer[..take].copy_from_slice(&chunk[from..from + take]);
        Ok(take)
    }

    fn compared(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let (segment, place) = (number / self.each, number % self.each);
        self.volume.zip.sound(&self.segment(segment, ".index")?)?;
        self.volume.zip.sound(&self.segment(segment, "")?)?;
        let chunk = self.unpack(number)?;
        let mut lists = ORDER.iter().filter_map(|name| algorithm(name)).filter_map(|algorithm| {
            let list = self.segment(segment, &format!(".blockHash.{}", algorithm.name())).ok()?;
            Some((algorithm, list))
        });
        if let Some((algorithm, list)) = lists.next() {
            self.volume.zip.sound(&list)?;
            let left = (self.size - number * self.chunk).min(self.chunk) as usize;
            let mut stated = vec![0; algorithm.length()];
            self.volume.zip.read_at(&list, place * stated.len() as u64, &mut stated)?;
            let is = algorithm.digest(&chunk[..left.min(chunk.len())]);
            if is.bytes() != stated {
                return Err(Failure::malformed(format!(
                    "chunk {number} of {} differs from its {algorithm}",
                    self.name
                )));
            }
        }
        Ok(chunk)
    }

    /// A chunk: a whole one, or the shorter rest of the stream.
    fn unpack(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let (segment, place) = (number / self.each, number % self.each);
        let mut entry = [0; ENTRY as usize];
        self.volume.zip.read_at(&self.segment(segment, ".index")?, place * ENTRY, &mut entry)?;
        let (at, length) = (le64(&entry, 0), u64::from(le32(&entry, 8)));
        if length > self.chunk + self.chunk / 4 + 256 {
            return Err(Failure::malformed(format!("chunk {number} of {}: {length} bytes, compressed", self.name)));
        }
        let mut packed = vec![0; length as usize];
        self.volume.zip.read_at(&self.segment(segment, "")?, at, &mut packed)?;
        let left = (self.size - number * self.chunk).min(self.chunk);
        let method = match self.method {
            // Chunks that compression does not shorten are stored.
            Some(method) if length != self.chunk => method,
            _ if length == self.chunk || length == left => return Ok(packed),
            _ => return Err(Failure::malformed(format!("chunk {number} of {}: {length} bytes", self.name))),
        };
        match unpack(method, &packed, self.chunk) {
            Err(_) if left < self.chunk => unpack(method, &packed, left),
            other => other,
        }
    }
}
