//! Inodes.

use super::volume::Erofs;
use pfh_bytes::field::{failure, le16, le32, le64, read};
use pfh_bytes::node::{Failure, Times};

/// Bytes of the numbers of inodes: the place of an inode.
const SLOT: u64 = 32;

/// How the content of an inode lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Whole blocks, from this one on.
    Plain(u32),
    /// The same, but for the last block's bytes: they stand behind the inode.
    Inline(u32),
    /// Pieces, each with its place, in this format.
    Chunks(u16),
    /// Compressed, with an index of eight bytes for each block, or one of fewer.
    Packed { is_compact: bool },
}

/// An inode.
#[derive(Clone)]
pub struct Inode {
    pub number: u64,
    /// Where it stands on the medium.
    pub offset: u64,
    pub mode: u16,
    pub size: u64,
    pub form: Form,
    pub times: Times,
    /// Where its attributes begin, and their bytes; the data of its form follow them.
    pub attributes: (u64, u64),
}

impl Inode {
    /// The type in the mode.
    pub fn kind(&self) -> u16 {
        self.mode & 0xf000
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.kind() == 0x4000
    }

    /// Where the data of its form begin.
    pub fn behind(&self) -> u64 {
        self.attributes.0.saturating_add(self.attributes.1)
    }
}

impl Erofs {
    /// Where an inode stands.
    pub fn inode_offset(&self, number: u64) -> Option<u64> {
        number.checked_mul(SLOT)?.checked_add(self.block(self.superblock.inodes))
    }

    /// The inode of this number.
    pub fn inode(&self, number: u64) -> Result<Inode, Failure> {
        let offset = self.inode_offset(number);
        let offset = offset.ok_or_else(|| failure(None, format!("inode {number} leads out of the volume")))?;
        let raw = read(&*self.bytes, offset, SLOT as usize)?;
        let format = le16(&raw, 0);
        let is_extended = format & 1 != 0;
        if format >> 4 != 0 {
            return Err(failure(Some(offset), format!("an inode of the format {format:#x}")));
        }
        let rest = if is_extended { read(&*self.bytes, offset + SLOT, SLOT as usize)? } else { Vec::new() };
        let place = le32(&raw, 16);
        let form = match format >> 1 & 7 {
            0 => Form::Plain(place),
            1 => Form::Packed { is_compact: false },
            2 => Form::Inline(place),
            3 => Form::Packed { is_compact: true },
            4 => Form::Chunks(place as u16),
            other => return Err(failure(Some(offset), format!("an inode of the layout {other}"))),
        };
        let (seconds, nanoseconds) = if is_extended { (le64(&rest, 0), le32(&rest, 8)) } else { self.superblock.time };
        let modified = Some(i128::from(seconds.cast_signed()) * 1_000_000_000 + i128::from(nanoseconds));
        let slots = u64::from(le16(&raw, 2));
        Ok(Inode {
            number,
            offset,
            mode: le16(&raw, 4),
            size: if is_extended { le64(&raw, 8) } else { le32(&raw, 8).into() },
            form,
            times: Times { modified, ..Times::default() },
            attributes: (
                offset + if is_extended { 2 * SLOT } else { SLOT },
                if slots == 0 { 0 } else { 12 + 4 * (slots - 1) },
            ),
        })
    }
}
