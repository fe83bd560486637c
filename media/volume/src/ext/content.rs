//! What an inode holds: bytes on the medium, in the inode, or a target.

use std::io::Read;
use std::sync::Arc;

use super::group::Ext;
use super::inode::{ENCRYPTED, EXTENTS, INLINE, Inode};
use crate::field::{byte, failure, is_at, le16, le32};
use crate::layout::Layout;
use crate::node::{Content, Failure};
use crate::stored::{Held, Stored, Unreadable, named};

/// The longest target that Linux follows.
const LONGEST_TARGET: u64 = 4096;

impl Ext {
    /// Where the content lies.
    pub fn layout(&self, inode: &Inode) -> Result<Layout, Failure> {
        if inode.flags & EXTENTS != 0 { self.extents(inode) } else { self.pointers(inode) }
    }

    /// The content of a file.
    pub fn content(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Arc<dyn Content> {
        if inode.flags & ENCRYPTED != 0 {
            return Arc::new(Unreadable(named(failure(None, "encrypted (fscrypt)"), path)));
        }
        if inode.flags & INLINE != 0 {
            return match self.inline(inode) {
                Ok(bytes) => Arc::new(Held { bytes: bytes.into() }),
                Err(failed) => Arc::new(Unreadable(named(failed, path))),
            };
        }
        let (volume, its) = (self.clone(), inode.clone());
        let locate = Box::new(move || volume.layout(&its));
        Arc::new(Stored { bytes: self.bytes.clone(), path: path.to_vec(), from: 0, size: inode.size, locate })
    }

    /// The bytes of a file that are in its inode: the first 60, and an attribute with the rest.
    pub fn inline(&self, inode: &Inode) -> Result<Vec<u8>, Failure> {
        let mut bytes = inode.block.to_vec();
        bytes.extend_from_slice(inline_rest(&inode.rest).unwrap_or_default());
        let size = usize::try_from(inode.size).ok().filter(|&size| size <= bytes.len());
        let size = size.ok_or_else(|| failure(None, "the inode says that it holds more bytes than it has room for"))?;
        bytes.truncate(size);
        Ok(bytes)
    }

    /// The target of a symbolic link.
    pub fn target(&self, inode: &Inode) -> Result<Vec<u8>, Failure> {
        if inode.flags & ENCRYPTED != 0 {
            return Err(failure(None, "encrypted (fscrypt)"));
        }
        if inode.size > LONGEST_TARGET {
            return Err(failure(None, format!("a target of {} bytes", inode.size)));
        }
        if inode.flags & INLINE != 0 {
            return self.inline(inode);
        }
        let attributes = if inode.has_attributes { self.block_size() / 512 } else { 0 };
        let is_short = inode.size < 60 && inode.flags & EXTENTS == 0 && u64::from(inode.sectors) <= attributes;
        if is_short {
            return Ok(inode.block[..usize::try_from(inode.size).unwrap_or(0)].to_vec());
        }
        let (runs, bytes) = (self.layout(inode)?, self.bytes.clone());
        let stored =
            Stored { bytes, path: Vec::new(), from: 0, size: inode.size, locate: Box::new(move || Ok(runs.clone())) };
        let mut target = Vec::new();
        let read = stored.open()?.read_to_end(&mut target);
        read.map_err(|error| failure(None, format!("the target cannot be read: {error}")))?;
        Ok(target)
    }
}

/// The value of the attribute `system.data` in the room behind an inode's fields.
pub fn inline_rest(rest: &[u8]) -> Option<&[u8]> {
    if le32(rest, 0) != 0xea02_0000 {
        return None;
    }
    let entries = &rest[4..];
    let mut at = 0;
    while le32(entries, at) != 0 && at + 16 <= entries.len() {
        let length = usize::from(byte(entries, at));
        if byte(entries, at + 1) == 7 && length == 4 && is_at(entries, at + 16, b"data") {
            let start = usize::from(le16(entries, at + 2));
            let size = usize::try_from(le32(entries, at + 8)).ok()?;
            return entries.get(start..start.checked_add(size)?);
        }
        at += 16 + length.next_multiple_of(4);
    }
    None
}
