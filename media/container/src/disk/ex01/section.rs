//! Sections: each has its data in front of its descriptor, which says where the one before ends.

use crate::Bytes;
use crate::disk::Failure;
use crate::ewf::checksum;
use crate::field::{le32, le64};
use pfh_digest::Digest;

const DESCRIPTOR: u64 = 64;
/// The most sections of one segment: EnCase writes one for some 50 MiB of the medium.
const MOST: usize = 1 << 20;

pub const DEVICE: u32 = 1;
pub const CASE: u32 = 2;
pub const TABLE: u32 = 4;
pub const ERRORS: u32 = 5;
pub const MD5: u32 = 8;
pub const SHA1: u32 = 9;
const KEYS: u32 = 11;
pub const NEXT: u32 = 13;
pub const DONE: u32 = 15;
/// The tree of a logical image: "single files data".
pub const FILES: u32 = 32;

const HASHED: u32 = 1;
const ENCRYPTED: u32 = 2;

/// A section.
pub struct Section {
    /// The type of its content.
    pub kind: u32,
    flags: u32,
    /// Where its data begin, in bytes.
    pub at: u64,
    /// Bytes of them, with padding.
    pub length: u64,
    /// Their stated digest.
    pub stated: Option<Digest>,
}

impl Section {
    /// Whether its data need a key, or it holds keys.
    pub fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0 || self.kind == KEYS
    }
}

/// The sections of a segment, in order.
pub fn sections(file: &dyn Bytes) -> Result<Vec<Section>, Failure> {
    let mut found = Vec::new();
    let mut at = file.size().checked_sub(DESCRIPTOR).ok_or_else(|| Failure::malformed("no section"))?;
    loop {
        let mut bytes = [0; DESCRIPTOR as usize];
        file.read_exact_at(at, &mut bytes)?;
        if checksum(&bytes[..60]) != le32(&bytes, 60) || u64::from(le32(&bytes, 24)) != DESCRIPTOR {
            return Err(Failure::at(at, "length or checksum of a section's descriptor"));
        }
        let (kind, flags, previous, length) = (le32(&bytes, 0), le32(&bytes, 4), le64(&bytes, 8), le64(&bytes, 16));
        // Behind the file's head, or behind the descriptor of the section before.
        let least = if previous == 0 { 32 } else { previous.saturating_add(DESCRIPTOR) };
        let start = at.checked_sub(length).filter(|start| *start >= least);
        let start = start.ok_or_else(|| Failure::at(at, "a section that begins within the one before"))?;
        let stated = (flags & HASHED != 0).then(|| Digest::from_bytes("md5".parse().ok()?, &bytes[32..48]).ok());
        found.push(Section { kind, flags, at: start, length, stated: stated.flatten() });
        if found.len() > MOST {
            return Err(Failure::at(at, "more sections than a segment has"));
        }
        if previous == 0 {
            break;
        }
        at = previous;
    }
    found.reverse();
    Ok(found)
}
