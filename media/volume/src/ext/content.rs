//! The content of an inode: bytes on the medium, in the inode, or a target.

use std::io::Read;
use std::sync::Arc;

use super::group::Ext;
use super::inode::{ENCRYPTED, EXTENTS, INLINE, Inode};
use pfh_bytes::field::{byte, failure, is_at, le16, le32};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Content, Failure};
use pfh_bytes::stored::{HeldBytes, StoredBytes, Unreadable, named};

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
                Ok(bytes) => Arc::new(HeldBytes { bytes: bytes.into() }),
                Err(failed) => Arc::new(Unreadable(named(failed, path))),
            };
        }
        let (volume, its) = (self.clone(), inode.clone());
        let locate = Box::new(move || volume.layout(&its));
        Arc::new(StoredBytes { bytes: self.bytes.clone(), path: path.to_vec(), from: 0, size: inode.size, locate })
    }

    /// The bytes of a file that are in its inode: the first 60, and an attribute with the rest.
    pub fn inline(&self, inode: &Inode) -> Result<Vec<u8>, Failure> {
        let mut bytes = inode.block.to_vec();
        if inode.size > bytes.len() as u64 {
            let offset = self.inode_offset(inode.number).ok();
            bytes.extend_from_slice(inline_rest(&inode.rest).map_err(|cause| failure(offset, cause))?);
        }
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
        let attributes = if inode.attributes != 0 { self.block_size() / 512 } else { 0 };
        let is_short = inode.size < 60 && inode.flags & EXTENTS == 0 && u64::from(inode.sectors) <= attributes;
        if is_short {
            return Ok(inode.block[..usize::try_from(inode.size).unwrap_or(0)].to_vec());
        }
        let (runs, bytes) = (self.layout(inode)?, self.bytes.clone());
        let stored = StoredBytes {
            bytes,
            path: Vec::new(),
            from: 0,
            size: inode.size,
            locate: Box::new(move || Ok(runs.clone())),
        };
        let mut target = Vec::new();
        let read = stored.open()?.read_to_end(&mut target);
        read.map_err(|error| failure(None, format!("the target cannot be read: {error}")))?;
        Ok(target)
    }
}

/// The value of the attribute `system.data` in the room behind an inode's fields.
///
/// # Errors
/// When it is not there, or the attributes contradict one another.
pub fn inline_rest(rest: &[u8]) -> Result<&[u8], &'static str> {
    if le32(rest, 0) != 0xea02_0000 {
        return Err("the attribute with the rest of the content is missing");
    }
    let entries = &rest[4..];
    let (mut at, mut data, mut values) = (0, None, Vec::new());
    while le32(entries, at) != 0 {
        let length = usize::from(byte(entries, at));
        let next = at + (16 + length).next_multiple_of(4);
        if next + 4 > entries.len() {
            return Err("the list of the inode's attributes has no end");
        }
        let (start, size) = (usize::from(le16(entries, at + 2)), le32(entries, at + 8) as usize);
        // A value of another inode has no place here.
        let is_here = le32(entries, at + 4) == 0 && size > 0;
        let is_data = byte(entries, at + 1) == 7 && length == 4 && is_at(entries, at + 16, b"data");
        if is_data && (data.replace((start, size)).is_some() || le32(entries, at + 4) != 0) {
            return Err("the attribute with the rest of the content contradicts itself");
        }
        if is_here {
            values.push((start, start.saturating_add(size)));
        }
        at = next;
    }
    let (start, size) = data.ok_or("the attribute with the rest of the content is missing")?;
    values.sort_unstable();
    let is_apart = values.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    if !is_apart || values.first().is_some_and(|first| first.0 < at + 4) {
        return Err("the values of the inode's attributes lie over one another");
    }
    let value = start.checked_add(size).and_then(|end| entries.get(start..end));
    value.ok_or("the attribute with the rest of the content leads out of the inode")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The room behind an inode with `system.data` of these bytes at `start`, and another value.
    fn rest(start: u16, size: u32, other: u16) -> Vec<u8> {
        let mut rest = vec![0; 100];
        rest[..4].copy_from_slice(&0xea02_0000_u32.to_le_bytes());
        let mut entry = |at: usize, index: u8, name: &[u8; 4], start: u16, size: u32| {
            rest[at] = 4;
            rest[at + 1] = index;
            rest[at + 2..at + 4].copy_from_slice(&start.to_le_bytes());
            rest[at + 8..at + 12].copy_from_slice(&size.to_le_bytes());
            rest[at + 16..at + 20].copy_from_slice(name);
        };
        entry(4, 7, b"data", start, size);
        entry(24, 1, b"name", other, 8);
        rest[4 + 80..].fill(b'x');
        rest
    }

    #[test]
    fn a_damaged_attribute_is_no_content() {
        assert_eq!(inline_rest(&rest(80, 10, 64)).unwrap(), b"xxxxxxxxxx");
        assert!(inline_rest(&rest(80, 17, 64)).unwrap_err().contains("out of the inode"));
        assert!(inline_rest(&rest(66, 10, 64)).unwrap_err().contains("over one another"));
        assert!(inline_rest(&rest(40, 4, 64)).unwrap_err().contains("over one another"));
        let mut lost = rest(80, 10, 64);
        lost[20] = b'D';
        assert!(inline_rest(&lost).unwrap_err().contains("missing"));
        let mut endless = rest(80, 10, 64);
        endless[44..].fill(1);
        assert!(inline_rest(&endless).unwrap_err().contains("no end"));
        inline_rest(&[]).unwrap_err();
    }
}
