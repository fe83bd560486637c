//! The descriptors of a volume, from sector 16 on.

use crate::bytes::Bytes;
use crate::field::{byte, failure, is_at, le16, le32, read_some};
use crate::node::Failure;
use crate::text::utf16;

/// Bytes of a sector.
pub const SECTOR: u64 = 2048;

/// More descriptors than any disc has.
const MOST: u64 = 64;

/// One tree of directories.
pub struct Tree {
    /// First block and bytes of the root.
    pub root: (u32, u32),
    pub label: Vec<u8>,
}

/// What the descriptors say.
pub struct Descriptors {
    pub block_size: u64,
    pub blocks: u64,
    pub primary: Tree,
    pub joliet: Option<Tree>,
}

/// What stands where descriptors would.
pub enum Found {
    Iso(Descriptors),
    Nothing,
}

/// UTF-16 as Joliet has it: the higher byte first.
pub fn utf16_be(raw: &[u8]) -> Vec<u8> {
    let units: Vec<u16> = raw.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect();
    utf16(&units)
}

/// Reads the descriptors of a volume.
///
/// # Errors
/// If there is no primary one, or it contradicts itself.
pub fn read(bytes: &dyn Bytes) -> Result<Found, Failure> {
    let (mut primary, mut joliet, mut is_iso) = (None, None, false);
    for index in 0..MOST {
        let raw = read_some(bytes, (16 + index) * SECTOR, SECTOR as usize)?;
        if !is_at(&raw, 1, b"CD001") {
            let continues =
                [&b"BEA01"[..], b"TEA01", b"NSR02", b"NSR03", b"BOOT2"].iter().any(|name| is_at(&raw, 1, name));
            if continues {
                continue;
            }
            break;
        }
        is_iso = true;
        let escape = raw.get(88..91).unwrap_or_default();
        match byte(&raw, 0) {
            1 if primary.is_none() && raw.len() == SECTOR as usize => primary = Some(raw),
            2 if matches!(escape, b"%/@" | b"%/C" | b"%/E") && raw.len() == SECTOR as usize => joliet = Some(raw),
            _ => {}
        }
    }
    if !is_iso {
        return Ok(Found::Nothing);
    }
    let offset = Some(16 * SECTOR);
    let raw = primary.ok_or_else(|| failure(offset, "ISO 9660 without a primary descriptor"))?;
    let block_size = u64::from(le16(&raw, 128));
    if !block_size.is_power_of_two() || !(512..=SECTOR).contains(&block_size) {
        return Err(failure(offset, format!("ISO 9660 with blocks of {block_size} bytes")));
    }
    let root = |raw: &[u8]| (le32(raw, 156 + 2), le32(raw, 156 + 10));
    let label = raw[40..72].trim_ascii_end().to_vec();
    let joliet = joliet.map(|raw| Tree { root: root(&raw), label: utf16_be(&raw[40..72]).trim_ascii_end().to_vec() });
    let blocks = u64::from(le32(&raw, 80));
    Ok(Found::Iso(Descriptors { block_size, blocks, primary: Tree { root: root(&raw), label }, joliet }))
}
