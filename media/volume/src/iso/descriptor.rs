//! The descriptors of a volume, from sector 16 on.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be32, byte, failure, is_at, le16, le32, read_some};
use pfh_bytes::node::Failure;
use pfh_bytes::text::utf16;

/// Bytes of a sector.
pub const SECTOR: u64 = 2048;

/// More descriptors than any disc has.
const MOST: u64 = 64;

/// The purpose of a tree of directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For every system.
    Primary,
    /// With names in UTF-16.
    Joliet,
    /// For systems of another set of letters, or with names of ISO 9660:1999.
    Supplementary,
}

/// One tree of directories.
pub struct Tree {
    pub kind: Kind,
    /// First block and bytes of the root.
    pub root: (u32, u32),
    pub label: Vec<u8>,
}

/// The content of the descriptors.
pub struct Descriptors {
    pub block_size: u64,
    pub blocks: u64,
    /// The first is the primary one that counts; each root once.
    pub trees: Vec<Tree>,
    /// Numbers that are written in two byte orders, and not the same.
    pub contradictions: Vec<Failure>,
}

/// The result of looking for descriptors.
pub enum DescriptorSearch {
    Iso(Descriptors),
    Nothing,
}

/// UTF-16 as Joliet has it: the higher byte first.
pub fn utf16_be(raw: &[u8]) -> Vec<u8> {
    let units: Vec<u16> = raw.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect();
    utf16(&units)
}

/// Reads the descriptors of the session that begins at this sector.
///
/// # Errors
/// If there is no primary one, or it contradicts itself.
pub fn read(bytes: &dyn Bytes, session: u64) -> Result<DescriptorSearch, Failure> {
    let (mut found, mut is_iso): (Vec<(u64, Kind, Vec<u8>)>, bool) = (Vec::new(), false);
    for index in 0..MOST {
        let offset = (session + 16 + index) * SECTOR;
        let raw = read_some(bytes, offset, SECTOR as usize)?;
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
        let kind = match byte(&raw, 0) {
            _ if raw.len() < SECTOR as usize => continue,
            1 => Kind::Primary,
            2 if matches!(escape, b"%/@" | b"%/C" | b"%/E") => Kind::Joliet,
            2 => Kind::Supplementary,
            _ => continue,
        };
        found.push((offset, kind, raw));
    }
    if !is_iso {
        return Ok(DescriptorSearch::Nothing);
    }
    let at = found.iter().position(|(_, kind, _)| *kind == Kind::Primary);
    let at = at.ok_or_else(|| failure(Some((session + 16) * SECTOR), "ISO 9660 without a primary descriptor"))?;
    found[..=at].rotate_right(1);
    let raw = &found[0].2;
    let block_size = u64::from(le16(raw, 128));
    if !block_size.is_power_of_two() || !(512..=SECTOR).contains(&block_size) {
        return Err(failure(Some(found[0].0), format!("ISO 9660 with blocks of {block_size} bytes")));
    }
    let blocks = u64::from(le32(raw, 80));
    let contradictions = found.iter().flat_map(|(offset, _, raw)| contradictions(*offset, raw)).collect();
    let mut trees: Vec<Tree> = Vec::new();
    for (_, kind, raw) in found {
        let root = (le32(&raw, 156 + 2), le32(&raw, 156 + 10));
        let label = if kind == Kind::Joliet { utf16_be(&raw[40..72]) } else { raw[40..72].to_vec() };
        if trees.iter().all(|tree| tree.root.0 != root.0) {
            trees.push(Tree { kind, root, label: label.trim_ascii_end().to_vec() });
        }
    }
    Ok(DescriptorSearch::Iso(Descriptors { block_size, blocks, trees, contradictions }))
}

/// Bytes that are looked through at once for further sessions.
const WINDOW: u64 = 1 << 20;

/// The first sectors of the sessions behind sector `from`, in order.
///
/// # Errors
/// If the medium cannot be read there.
pub fn sessions(bytes: &dyn Bytes, from: u64) -> Result<Vec<u64>, Failure> {
    let (mut found, mut sector) = (Vec::new(), from);
    let sectors = bytes.size() / SECTOR;
    while sector < sectors && (found.len() as u64) < MOST {
        let window = read_some(bytes, sector * SECTOR, ((sectors - sector) * SECTOR).min(WINDOW) as usize)?;
        for (index, raw) in window.chunks_exact(SECTOR as usize).enumerate() {
            let at = sector + index as u64;
            // A primary descriptor, 16 sectors behind the start of its session.
            if raw.starts_with(b"\x01CD001\x01") && at >= from + 16 && le16(raw, 128).swap_bytes() == le16(raw, 130) {
                found.push(at - 16);
            }
        }
        sector += (window.len() as u64 / SECTOR).max(1);
    }
    Ok(found)
}

/// The numbers of a descriptor whose copies in two byte orders differ.
fn contradictions(offset: u64, raw: &[u8]) -> Vec<Failure> {
    let numbers = [(80, "the size of the volume"), (158, "the place of the root"), (166, "the size of the root")];
    let mut found: Vec<Failure> = numbers
        .into_iter()
        .filter(|(at, _)| le32(raw, *at) != be32(raw, at + 4))
        .map(|(at, what)| disagree(offset + at as u64, what, le32(raw, at), be32(raw, at + 4)))
        .collect();
    let (little, big) = (le16(raw, 128), le16(raw, 130).swap_bytes());
    if little != big {
        found.push(disagree(offset + 128, "the size of a block", little.into(), big.into()));
    }
    found
}

/// A number whose copies in two byte orders differ.
pub fn disagree(offset: u64, what: &str, little: u32, big: u32) -> Failure {
    failure(Some(offset), format!("{what} is {little} in one byte order and {big} in the other"))
}
