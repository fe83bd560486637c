//! Streams of a volume that is encrypted, decrypted as they are read.

use std::io::{self, Read};
use std::sync::Arc;

use super::record::Extent;
use super::volume::Apfs;
use crate::decmpfs::Fork;
use crate::locked::Decrypt;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::unreadable;
use pfh_bytes::node::{Content, Failure, Run};
use pfh_bytes::stored::{StoredBytes, WholeReader, named, reported};

/// Bytes that a cipher decrypts by themselves.
const SECTOR: u64 = 512;
/// Most bytes that are decrypted at once where a read does not begin with a sector.
const PIECE: u64 = 64 << 10;

/// The plain bytes of a stream.
struct Plain {
    of: Arc<dyn Bytes>,
    cipher: Arc<dyn Decrypt>,
    block_size: u64,
    /// All but holes, in order.
    extents: Vec<Extent>,
    size: u64,
}

impl Plain {
    /// Reads some bytes, at least one.
    fn some(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let before = self.extents.partition_point(|extent| extent.at <= offset);
        let here = before.checked_sub(1).map(|index| self.extents[index]);
        let Some(extent) = here.filter(|extent| offset - extent.at < extent.length) else {
            let end = self.extents.get(before).map_or(self.size, |next| next.at).min(self.size);
            let room = usize::try_from(end - offset).unwrap_or(usize::MAX).min(buffer.len());
            buffer[..room].fill(0);
            return Ok(room);
        };
        let end = extent.at.saturating_add(extent.length).min(self.size);
        let wanted = (end - offset).min(buffer.len() as u64);
        let within = offset - extent.at;
        let (from, medium) = (within - within % SECTOR, extent.block.saturating_mul(self.block_size));
        let place = extent.tweak.wrapping_mul(self.block_size).wrapping_add(from);
        let read = |units: &mut [u8]| {
            let at = medium.saturating_add(from);
            self.of.read_exact_at(at, units).map_err(|error| unreadable(at, &error))?;
            self.cipher.decrypt(place, units);
            Ok(())
        };
        if from == within && wanted >= SECTOR {
            let whole = (wanted - wanted % SECTOR) as usize;
            read(&mut buffer[..whole])?;
            return Ok(whole);
        }
        // Extents have whole blocks: the last sector is there, also behind the end of the file.
        let mut units = vec![0; (within - from + wanted).next_multiple_of(SECTOR).min(PIECE) as usize];
        read(&mut units)?;
        let inner = &units[(within - from) as usize..];
        let got = inner.len().min(wanted as usize);
        buffer[..got].copy_from_slice(&inner[..got]);
        Ok(got)
    }
}

impl Bytes for Plain {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        self.some(offset, buffer).map_err(reported)
    }
}

/// The content of a stream that is encrypted.
struct EncryptedContent {
    volume: Arc<Apfs>,
    cipher: Arc<dyn Decrypt>,
    path: Vec<u8>,
    stream: u64,
    size: u64,
    is_sparse: bool,
}

impl EncryptedContent {
    fn plain(&self) -> Result<Arc<dyn Bytes>, Failure> {
        let mut extents = Vec::new();
        let layout = self.volume.extents_of(self.stream, self.size, self.is_sparse, |extent| extents.push(extent))?;
        layout.disjoint()?;
        let (blocks, cipher, size) = (&self.volume.blocks, self.cipher.clone(), self.size);
        Ok(Arc::new(Plain { of: blocks.bytes.clone(), cipher, block_size: blocks.block_size, extents, size }))
    }
}

impl Content for EncryptedContent {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let of = self.plain().map_err(|failed| named(failed, &self.path))?;
        Ok(Box::new(WholeReader { of, path: self.path.clone(), at: 0 }))
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let of = self.plain().map_err(|failed| named(failed, &self.path))?;
        Ok(Some(Box::new(WholeReader { of, path: self.path.clone(), at: offset })))
    }

    // The bytes on the medium are others.
    fn places(&self) -> Option<Vec<Run>> {
        let layout = self.volume.layout(self.stream, self.size, self.is_sparse).ok()?;
        Some(layout.window(0, self.size))
    }

    fn bytes(&self) -> Option<Arc<dyn Bytes>> {
        self.plain().ok()
    }
}

impl Apfs {
    /// The content of a stream: its number, its size, and whether it may have holes.
    pub fn content(self: &Arc<Self>, path: &[u8], (stream, size, is_sparse): (u64, u64, bool)) -> Arc<dyn Content> {
        let (volume, path) = (self.clone(), path.to_vec());
        if let Some(cipher) = self.blocks.cipher.clone() {
            return Arc::new(EncryptedContent { volume, cipher, path, stream, size, is_sparse });
        }
        let bytes = self.blocks.bytes.clone();
        let locate = Box::new(move || volume.layout(stream, size, is_sparse));
        Arc::new(StoredBytes { bytes, path, from: 0, size, locate })
    }

    /// A resource fork in a stream.
    ///
    /// # Errors
    /// As [`Apfs::layout`].
    pub fn fork(self: &Arc<Self>, stream: u64, size: u64) -> Result<Fork, Failure> {
        if let Some(cipher) = self.blocks.cipher.clone() {
            let (volume, path) = (self.clone(), Vec::new());
            return Ok(Fork::Apart(EncryptedContent { volume, cipher, path, stream, size, is_sparse: false }.plain()?));
        }
        let layout = self.layout(stream, size, false)?;
        Ok(Fork::Stored { bytes: self.blocks.bytes.clone(), layout, size })
    }
}
