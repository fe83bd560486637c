//! The header of a WIM, and the table of its resources.

use super::resource::{Hash, Packing, Resource, hash};
use crate::limits::Limits;
use crate::member::failure;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, le16, le32, le64, read};
use pfh_bytes::node::Failure;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// The first bytes of a WIM.
pub const MAGIC: &[u8] = b"MSWIM\0\0\0";

const SIZE: usize = 208;
/// Bytes of an entry of the table.
const ENTRY: usize = 50;
/// Bytes of a table, or of the metadata of an image, at the most.
const LARGEST: u64 = 256 << 20;
const METADATA: u8 = 2;

/// One file of a WIM.
pub struct Part {
    pub packing: Packing,
    pub chunk: u32,
    /// Its number, and how many there are.
    pub number: u16,
    pub count: u16,
    /// How many images all parts together have.
    pub images: u32,
    pub table: Resource,
    /// Where its header and the header's resources end: nothing of it follows.
    pub end: u64,
    /// The identifier that all parts of a set have in common.
    pub guid: [u8; 16],
}

impl Part {
    /// The part that begins at `base`.
    ///
    /// # Errors
    /// When there is none, or one of a version that is not read.
    pub fn read(bytes: &dyn Bytes, base: u64) -> Result<Part, Failure> {
        let raw = read(bytes, base, SIZE)?;
        let fail = |cause: &str| Err(Failure { offset: Some(base), ..failure(b"", cause) });
        if !raw.starts_with(MAGIC) {
            return fail("a part that does not begin as WIM does");
        }
        if (le32(&raw, 8) as usize) < SIZE || !matches!(le32(&raw, 12), 0x10d00 | 0xe00) {
            return fail("a WIM of a version that is not read");
        }
        let flags = le32(&raw, 16);
        let packing = match flags >> 17 & 7 {
            _ if flags & 2 == 0 => Packing::None,
            1 => Packing::Xpress,
            2 => Packing::Lzx,
            4 => Packing::Lzms,
            _ => return fail("a WIM of a compression that is not read"),
        };
        let (chunk, number, count) = (le32(&raw, 20), le16(&raw, 40), le16(&raw, 42));
        let (images, table, guid) = (le32(&raw, 44), Resource::of(&raw, 48, base), array(&raw, 24));
        // The table, the text in XML, the metadata to start from, and the checksums.
        let resources = [48, 72, 96, 124].map(|at| Resource::of(&raw, at, base));
        let ends = resources.iter().filter(|resource| resource.stored > 0);
        let ends = ends.map(|resource| resource.offset.saturating_add(resource.stored));
        let end = ends.fold(base.saturating_add(SIZE as u64), u64::max);
        Ok(Part { packing, chunk, number, count, images, table, end, guid })
    }
}

/// A stream, and how it is packed.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    pub resource: Resource,
    pub packing: Packing,
    pub chunk: u32,
    pub hash: Hash,
}

/// The content of the tables of all parts.
#[derive(Default)]
pub struct Table {
    pub streams: HashMap<Hash, Stream>,
    /// The metadata of images, in order.
    pub images: Vec<Stream>,
}

impl Table {
    /// Adds the table of a part.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn add(&mut self, bytes: &Arc<dyn Bytes>, base: u64, part: &Part, limits: &Limits) -> Result<(), Failure> {
        let raw = whole(bytes, &part.table, part)?;
        if (raw.len() / ENTRY + self.streams.len()) as u64 > limits.entries {
            return Err(failure(b"", format!("the WIM has more than {} streams", limits.entries)));
        }
        for entry in raw.chunks_exact(ENTRY) {
            let resource = Resource::of(entry, 0, base);
            let (packing, chunk) = (part.packing, part.chunk);
            let stream = Stream { resource, packing, chunk, hash: hash(entry, 30) };
            // Streams of other parts are in the tables of those.
            if le16(entry, 24) != part.number || le64(entry, 0) == 0 {
                continue;
            }
            if resource.flags & METADATA != 0 {
                self.images.push(stream);
            } else {
                self.streams.insert(stream.hash, stream);
            }
        }
        Ok(())
    }
}

/// All bytes of a table or of metadata.
///
/// # Errors
/// When it cannot be read.
pub fn whole(bytes: &Arc<dyn Bytes>, resource: &Resource, part: &Part) -> Result<Vec<u8>, Failure> {
    let at = |cause: String| Failure { offset: Some(resource.offset), ..failure(b"", cause) };
    if resource.size > LARGEST {
        return Err(at("a table or metadata of more than 256 MiB".into()));
    }
    let mut all = Vec::new();
    let opened = resource.open(bytes, part.packing, part.chunk)?;
    opened.take(resource.size).read_to_end(&mut all).map_err(|error| {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>());
        inner.cloned().unwrap_or_else(|| at(error.to_string()))
    })?;
    if all.len() as u64 != resource.size {
        return Err(at(format!("ends after {} of the {} bytes that it states", all.len(), resource.size)));
    }
    Ok(all)
}
