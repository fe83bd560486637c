//! Resources of a WIM: ranges of the file, stored plainly, or in chunks that are packed one by one,
//! behind a table of their places.

use crate::lzx::{Lzx, Use};
use crate::member::{failure, wrong};
use crate::ready::{self, ReadyBytes, Steps};
use crate::xpress;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, le32, le64};
use pfh_bytes::node::Failure;
use std::io::{self, Read};
use std::sync::Arc;

const COMPRESSED: u8 = 4;
const SOLID: u8 = 0x10;
/// Entries of the table that are read at once.
const ENTRIES: u64 = 1024;

/// How chunks are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    None,
    Xpress,
    Lzx,
    Lzms,
}

/// A resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// Where it lies, in bytes of the medium.
    pub offset: u64,
    /// Bytes that it has there, with the table of its chunks.
    pub stored: u64,
    /// Bytes that come out.
    pub size: u64,
    pub flags: u8,
}

impl Resource {
    /// The resource of these 24 bytes, in the part that begins at `base`.
    pub fn of(raw: &[u8], at: usize, base: u64) -> Resource {
        let first = le64(raw, at);
        let (stored, flags) = (first & 0xff_ffff_ffff_ffff, (first >> 56) as u8);
        Resource { offset: base.saturating_add(le64(raw, at + 8)), stored, size: le64(raw, at + 16), flags }
    }

    /// Whether its bytes are stored plainly.
    pub fn is_plain(&self) -> bool {
        self.flags & (COMPRESSED | SOLID) == 0
    }

    /// Opens it.
    ///
    /// # Errors
    /// When it is packed in a way that is not read, or leads out of the file.
    pub fn open(&self, bytes: &Arc<dyn Bytes>, packing: Packing, chunk: u32) -> Result<Chunks, Failure> {
        let fail = |cause: &str| Err(Failure { offset: Some(self.offset), ..failure(b"", cause) });
        if self.flags & SOLID != 0 {
            return fail("is in a solid resource (ESD): not read");
        }
        if self.offset.checked_add(self.stored).is_none_or(|end| end > bytes.size()) {
            return fail("a resource that leads out of the file: it is cut off");
        }
        let packing = if self.is_plain() { Packing::None } else { packing };
        let chunk = u64::from(chunk);
        match packing {
            Packing::None if self.stored != self.size => return fail("a resource of two lengths"),
            Packing::None => {}
            Packing::Lzms => return fail("is packed by LZMS: not read"),
            _ if !chunk.is_power_of_two() || !(4096..=2 << 20).contains(&chunk) => {
                return fail("chunks of a size that there is not");
            }
            Packing::Xpress if chunk > 64 << 10 => return fail("chunks of a size that XPRESS does not have"),
            Packing::Lzx if chunk < 32 << 10 => return fail("chunks of a size that LZX does not have"),
            _ => {}
        }
        let count = if packing == Packing::None { 0 } else { self.size.div_ceil(chunk) };
        let width = if self.size > u64::from(u32::MAX) { 8 } else { 4 };
        let table = count.saturating_sub(1) * width;
        if table > self.stored {
            return fail("a table of chunks that is longer than the resource");
        }
        Ok(Chunks {
            bytes: bytes.clone(),
            of: *self,
            packing,
            chunk,
            count,
            width,
            table,
            next: 0,
            starts: Vec::new(),
            first: 0,
            read: 0,
            out: ReadyBytes::default(),
        })
    }
}

/// The bytes of a resource.
pub struct Chunks {
    bytes: Arc<dyn Bytes>,
    of: Resource,
    packing: Packing,
    chunk: u64,
    count: u64,
    width: u64,
    /// Bytes of the table.
    table: u64,
    next: u64,
    /// Where some of the chunks begin, from `first` on.
    starts: Vec<u64>,
    first: u64,
    /// Plain bytes that were read.
    read: u64,
    out: ReadyBytes,
}

impl Chunks {
    fn fail<T>(&self, at: u64, cause: String) -> io::Result<T> {
        Err(wrong(Failure { offset: Some(at), ..failure(b"", cause) }))
    }

    /// Where a chunk begins, behind the table; the end of the resource behind the last.
    fn start(&mut self, number: u64) -> io::Result<u64> {
        if number == 0 || number >= self.count {
            return Ok(if number == 0 { 0 } else { self.of.stored - self.table });
        }
        if number < self.first || number - self.first >= self.starts.len() as u64 {
            let entries = ENTRIES.min(self.count - number);
            let mut raw = vec![0; (entries * self.width) as usize];
            self.bytes.read_exact_at(self.of.offset + (number - 1) * self.width, &mut raw)?;
            let entry = |raw: &[u8]| if raw.len() == 8 { le64(raw, 0) } else { u64::from(le32(raw, 0)) };
            self.starts = raw.chunks(self.width as usize).map(entry).collect();
            self.first = number;
        }
        Ok(self.starts[(number - self.first) as usize])
    }

    fn chunk(&mut self) -> io::Result<bool> {
        if self.next >= self.count {
            return Ok(false);
        }
        let (start, end) = (self.start(self.next)?, self.start(self.next + 1)?);
        let length = self.chunk.min(self.of.size - self.next * self.chunk);
        let place = self.of.offset + self.table + start;
        let is_within = start <= end && end <= self.of.stored - self.table && end - start <= length;
        if !is_within {
            return self.fail(place, format!("chunk {} lies at {start} to {end}, which cannot be", self.next));
        }
        let mut packed = vec![0; (end - start) as usize];
        self.bytes.read_exact_at(place, &mut packed)?;
        let decoded = if end - start == length {
            self.out.bytes.append(&mut packed);
            Ok(())
        } else if self.packing == Packing::Lzx {
            match Lzx::new(self.chunk.trailing_zeros(), Use::Wim) {
                Some(mut lzx) => lzx.decode(&packed, length as usize, &mut self.out.bytes),
                None => Err(io::ErrorKind::Unsupported.into()),
            }
        } else {
            xpress::decode(&packed, length as usize, &mut self.out.bytes)
        };
        if let Err(error) = decoded {
            return self.fail(place, format!("chunk {}: {error}", self.next));
        }
        self.next += 1;
        Ok(true)
    }
}

impl Steps for Chunks {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        self.chunk()
    }
}

impl Read for Chunks {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.packing != Packing::None {
            return ready::read(self, buffer);
        }
        let left = usize::try_from(self.of.size - self.read).unwrap_or(usize::MAX).min(buffer.len());
        if left == 0 {
            return Ok(0);
        }
        let got = self.bytes.read_at(self.of.offset + self.read, &mut buffer[..left])?;
        self.read += got as u64;
        Ok(got)
    }
}

/// A SHA-1.
pub type Hash = [u8; 20];

/// The SHA-1 that stands there.
pub fn hash(raw: &[u8], at: usize) -> Hash {
    array(raw, at)
}
