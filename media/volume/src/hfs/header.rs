//! The volume header, and the HFS volume that an HFS+ volume may be wrapped in.

use super::fork::Fork;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be16, be32, be64, failure, is_at, read_some};
use pfh_bytes::node::Failure;

/// Where the header stands in its volume.
pub const OFFSET: u64 = 1024;
/// Its size.
pub const SIZE: usize = 512;

/// Attributes of a volume.
const UNMOUNTED: u32 = 1 << 8;
const IN_USE: u32 = 1 << 11;
const JOURNALED: u32 = 1 << 13;

/// The fields of the header.
pub struct Header {
    /// `HFS+` or `HFSX`.
    pub kind: &'static str,
    /// Where the volume begins on the medium: behind the start of its wrapper, if it has one.
    pub base: u64,
    /// Bytes of a block.
    pub block_size: u32,
    pub blocks: u64,
    pub allocation: Fork,
    pub extents: Fork,
    pub catalog: Fork,
    pub attributes: Fork,
    /// The block that leads to the journal.
    pub journal: Option<u32>,
    /// The number of the volume in hexadecimal digits; empty if it has none.
    pub id: String,
    pub is_wrapped: bool,
    pub warnings: Vec<Failure>,
}

impl Header {
    /// Reads the header of the volume that begins at `start`; `None` if there is none.
    pub fn read(bytes: &dyn Bytes, start: u64) -> Result<Option<Header>, Failure> {
        let raw = read_some(bytes, start.saturating_add(OFFSET), SIZE)?;
        if let Some(base) = embedded(&raw).map(|base| start.saturating_add(base)) {
            let within = read_some(bytes, base.saturating_add(OFFSET), SIZE)?;
            let header = Header::new(&within, base, bytes.size())?;
            let lost = || failure(Some(base), "the HFS volume says that it holds an HFS+ volume, and it is not there");
            return header.map(|header| Some(Header { is_wrapped: true, ..header })).ok_or_else(lost);
        }
        Header::new(&raw, start, bytes.size())
    }

    fn new(raw: &[u8], base: u64, size: u64) -> Result<Option<Header>, Failure> {
        let Some(kind) = kind(raw) else { return Ok(None) };
        let offset = base + OFFSET;
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{kind} volume header: {cause}")));
        let (block_size, blocks) = (be32(raw, 40), u64::from(be32(raw, 44)));
        if !block_size.is_power_of_two() || !(512..=1 << 28).contains(&block_size) {
            return wrong("a size of blocks that no system writes");
        }
        if blocks == 0 {
            return wrong("no blocks");
        }
        let (attributes, number) = (be32(raw, 4), be64(raw, 104));
        let mut warnings = Vec::new();
        let mut say = |cause: String| warnings.push(failure(Some(offset), cause));
        if attributes & UNMOUNTED == 0 || attributes & IN_USE != 0 {
            say("the volume was not unmounted".to_owned());
        }
        let (stated, there) = (blocks * u64::from(block_size), size.saturating_sub(base));
        if stated > there {
            say(format!("the file system has {stated} bytes, the volume only {there}"));
        }
        Ok(Some(Header {
            kind,
            base,
            block_size,
            blocks,
            allocation: Fork::new(&raw[112..]),
            extents: Fork::new(&raw[192..]),
            catalog: Fork::new(&raw[272..]),
            attributes: Fork::new(&raw[352..]),
            journal: (attributes & JOURNALED != 0).then(|| be32(raw, 12)),
            id: if number == 0 { String::new() } else { format!("{number:016x}") },
            is_wrapped: false,
            warnings,
        }))
    }
}

/// The name of the format whose header this is.
fn kind(raw: &[u8]) -> Option<&'static str> {
    if raw.len() < SIZE {
        return None;
    }
    match (is_at(raw, 0, b"H+\0\x04"), is_at(raw, 0, b"HX\0\x05")) {
        (true, _) => Some("HFS+"),
        (_, true) => Some("HFSX"),
        _ => None,
    }
}

/// Where the HFS+ volume in an HFS volume with this master directory block begins.
fn embedded(raw: &[u8]) -> Option<u64> {
    let block_size = be32(raw, 20);
    let is_one = is_at(raw, 0, b"BD") && is_at(raw, 124, b"H+") && block_size > 0 && block_size.is_multiple_of(512);
    is_one.then(|| u64::from(be16(raw, 28)) * 512 + u64::from(be16(raw, 126)) * u64::from(block_size))
}

/// The copy of the header near the end of a volume, with its place.
pub fn spare(bytes: &dyn Bytes) -> Option<(u64, Vec<u8>)> {
    let from = bytes.size().checked_sub(OFFSET).filter(|&from| from > OFFSET)?;
    let raw = read_some(bytes, from, SIZE).ok()?;
    kind(&raw)?;
    let stated = u64::from(be32(&raw, 40)) * u64::from(be32(&raw, 44));
    // All of the volume but a part of a block.
    let is_its = stated <= bytes.size() && bytes.size() - stated < u64::from(be32(&raw, 40)) + OFFSET;
    is_its.then_some((from, raw))
}
