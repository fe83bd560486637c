//! The metadata: a plain part that leads to an encrypted one, whose blocks are objects in several
//! states.

use super::header::{Header, is_whole};
use crate::failure::Failure;
use crate::field::{le16, le32, le64, read};
use crate::mode::Cipher;
use flate2::bufread::ZlibDecoder;
use pfh_container::Bytes;
use std::collections::HashMap;
use std::io::Read;

/// Bytes of a block of metadata, and of its head.
const BLOCK: usize = 8192;
const HEAD: usize = 64;
/// The most bytes of the plain part, of the encrypted part, of a kept block, and of a text.
const MOST_PLAIN: u64 = 64 << 20;
const MOST_ENCRYPTED: u64 = 1 << 30;
const MOST_KEPT: usize = 2048;
const MOST_TEXT: usize = 4 << 20;
/// Numbers of blocks on a medium, beside that of the medium.
const NUMBER: u64 = (1 << 48) - 1;

/// Types of blocks.
pub const FAMILY: u16 = 0x19;
pub const VOLUME: u16 = 0x1a;
pub const MORE: u16 = 0x24;
pub const SEGMENTS: u16 = 0x305;
pub const BASE: u16 = 0x505;

/// Where the encrypted part lies, and the number of this medium in its group.
pub struct EncryptedPart {
    starts: [u64; 2],
    length: u64,
    pub medium: u64,
}

/// Finds the encrypted part: by the newest whole copy of the plain one.
pub fn find(bytes: &dyn Bytes, header: &Header) -> Result<EncryptedPart, Failure> {
    let mut newest: Option<(u64, u64, Vec<u8>)> = None;
    for at in header.metadata.iter().map(|block| block.saturating_mul(header.block_size)) {
        let Ok(raw) = read(bytes, at, BLOCK) else { continue };
        if le16(&raw, 10) == 0x11 && is_whole(&raw) && newest.as_ref().is_none_or(|found| found.0 < le64(&raw, 16)) {
            newest = Some((le64(&raw, 16), at, raw));
        }
    }
    let first = header.metadata[0].saturating_mul(header.block_size);
    let none = || Failure::damaged(first, "no copy of CoreStorage's metadata is whole");
    let (_, start, raw) = newest.ok_or_else(none)?;
    let at = u64::from(le32(&raw, HEAD + 156));
    if at + 48 > header.metadata_size.min(MOST_PLAIN) {
        return Err(Failure::damaged(start, "CoreStorage's metadata lead out of themselves"));
    }
    let group = read(bytes, start + at, 48)?;
    let length = le64(&group, 8).saturating_mul(header.block_size);
    if length == 0 || length > MOST_ENCRYPTED {
        return Err(Failure::damaged(start + at + 8, "CoreStorage's encrypted metadata have an impossible size"));
    }
    let starts = [32, 40].map(|at| (le64(&group, at) & NUMBER).saturating_mul(header.block_size));
    Ok(EncryptedPart { starts, length, medium: u64::from(le16(&raw, HEAD + 174)) })
}

/// The newest states of the objects that volumes are made of.
pub struct Objects(HashMap<u64, (u64, Vec<u8>)>);

impl Objects {
    /// Reads them, from the first copy, and from the second where the first is damaged or without a
    /// volume; and the faults.
    pub fn read(
        bytes: &dyn Bytes,
        header: &Header,
        encrypted: &EncryptedPart,
    ) -> Result<(Objects, Vec<Failure>), Failure> {
        let cipher = Cipher::xts(&header.key, BLOCK).ok_or_else(|| Failure::damaged(0, "no key of metadata"))?;
        let (mut objects, mut warnings) = (Objects(HashMap::new()), Vec::new());
        for start in encrypted.starts {
            for place in (0..encrypted.length).step_by(BLOCK) {
                let mut raw = match read(bytes, start.saturating_add(place), BLOCK) {
                    Ok(raw) => raw,
                    Err(failed) => {
                        warnings.push(failed);
                        break;
                    }
                };
                // Blocks that were never written were never encrypted.
                if pfh_container::is_zero(&raw) {
                    continue;
                }
                cipher.decrypt(place, &mut raw);
                let kind = le16(&raw, 10);
                if le16(&raw, 8) != 1 || ![FAMILY, VOLUME, MORE, SEGMENTS, BASE].contains(&kind) {
                    continue;
                }
                match is_whole(&raw) {
                    true => objects.add(raw)?,
                    // A block that was wiped has a mark in place of its checksum.
                    false if raw.starts_with(b"LVFwiped") => {}
                    false => {
                        let what = "the checksum of a block of CoreStorage's metadata is wrong";
                        warnings.push(Failure::damaged(start + place, what));
                    }
                }
            }
            if warnings.is_empty() && objects.of(VOLUME).next().is_some() {
                break;
            }
        }
        if objects.of(VOLUME).next().is_some() {
            return Ok((objects, warnings));
        }
        let first = warnings.into_iter().next();
        Err(first.unwrap_or_else(|| Failure::damaged(encrypted.starts[0], "CoreStorage without a logical volume")))
    }

    fn add(&mut self, raw: Vec<u8>) -> Result<(), Failure> {
        let (time, id) = (le64(&raw, 16), le64(&raw, 24));
        if self.0.get(&id).is_some_and(|held| held.0 > time) {
            return Ok(());
        }
        self.0.insert(id, (time, raw));
        match self.0.len() > MOST_KEPT {
            true => Err(Failure::Unread(format!("CoreStorage with more than {MOST_KEPT} objects"))),
            false => Ok(()),
        }
    }

    /// The objects of a type.
    pub fn of(&self, kind: u16) -> impl Iterator<Item = &[u8]> {
        self.0.values().map(|held| &held.1[..]).filter(move |raw| le16(raw, 10) == kind)
    }

    /// An object by its number, without its head.
    pub fn get(&self, id: u64, kind: u16) -> Option<&[u8]> {
        let (_, raw) = self.0.get(&id)?;
        (le16(raw, 10) == kind).then(|| &raw[HEAD..])
    }

    /// The text of the properties of a logical volume.
    pub fn volume_text(raw: &[u8]) -> Option<String> {
        let (at, length) = (le32(raw, HEAD + 64) as usize, le32(raw, HEAD + 68) as usize);
        text(raw.get(at..at.checked_add(length)?)?)
    }

    /// The text of the properties of a family: in one object or in a chain, and compressed where
    /// its two sizes differ.
    pub fn family_text(&self, raw: &[u8]) -> Option<String> {
        let (packed, size) = (le32(raw, HEAD + 40) as usize, le32(raw, HEAD + 44) as usize);
        let (at, length) = (le32(raw, HEAD + 48) as usize, le32(raw, HEAD + 52) as usize);
        let mut found = raw.get(at..at.checked_add(length)?)?.to_vec();
        let mut next = le64(raw, HEAD + 32);
        while next != 0 && found.len() < packed.min(MOST_TEXT) {
            let more = self.get(next, MORE)?;
            found.extend_from_slice(more.get(16..16 + le32(more, 8) as usize).filter(|more| !more.is_empty())?);
            next = le64(more, 0);
        }
        found.truncate(packed);
        if packed == size {
            return text(&found);
        }
        let mut plain = Vec::new();
        ZlibDecoder::new(&found[..]).take(MOST_TEXT as u64).read_to_end(&mut plain).ok()?;
        text(&plain)
    }
}

fn text(raw: &[u8]) -> Option<String> {
    String::from_utf8(raw.to_vec()).ok()
}
