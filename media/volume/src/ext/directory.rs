//! The entries of a directory, read one after the other: an index of hashes looks like unused room.

use pfh_bytes::field::{array, byte, le16};

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub inode: u32,
    pub name: Vec<u8>,
    /// Whether it stands in room that no live entry uses.
    pub is_deleted: bool,
}

/// A block that is not a list of entries, with the place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenBlock(pub usize);

/// The entries of a block from `at` on, up to the first that contradicts itself. Deleted ones are
/// looked for on request: in the room behind the name of a live one.
pub fn entries(block: &[u8], mut at: usize, has_types: bool, deleted: bool) -> (Vec<Entry>, Option<BrokenBlock>) {
    let mut found = Vec::new();
    while at < block.len() {
        let Some((entry, length)) = entry(block, at, block.len(), has_types) else {
            return (found, Some(BrokenBlock(at)));
        };
        let used = 8 + entry.name.len().next_multiple_of(4);
        let end = at + length;
        if entry.inode != 0 {
            found.push(entry);
        }
        if deleted {
            leftovers(block, at + used, end, has_types, &mut found);
        }
        at = end;
    }
    (found, None)
}

/// Entries between `at` and `end` that were deleted: plausible ones, at steps of four bytes.
fn leftovers(block: &[u8], mut at: usize, end: usize, has_types: bool, found: &mut Vec<Entry>) {
    while at + 12 <= end {
        match entry(block, at, end, has_types) {
            Some((entry, _)) if entry.inode != 0 && is_a_name(&entry.name) => {
                at += 8 + entry.name.len().next_multiple_of(4);
                found.push(Entry { is_deleted: true, ..entry });
            }
            _ => at += 4,
        }
    }
}

fn is_a_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.iter().any(|&byte| byte < 0x20 || byte == b'/') && name != b"." && name != b".."
}

/// The entry at `at` and its length, if it is one within `end`.
fn entry(block: &[u8], at: usize, end: usize, has_types: bool) -> Option<(Entry, usize)> {
    if at + 8 > end {
        return None;
    }
    // Blocks of 64 KiB do not fit the field.
    let length = match le16(block, at + 4) {
        0 | 0xffff if block.len() == 0x1_0000 => 0x1_0000 - at,
        length => usize::from(length),
    };
    let name_length = if has_types { usize::from(byte(block, at + 6)) } else { usize::from(le16(block, at + 6)) };
    let inode = u32::from_le_bytes(array(block, at));
    // Room without a name may be the checksum of the block, whose mark stands where lengths have
    // their upper byte on volumes without types.
    let name_length = if inode == 0 && 8 + name_length > length { 0 } else { name_length };
    if length < 8 || !length.is_multiple_of(4) || at + length > end || 8 + name_length > length {
        return None;
    }
    let name = block.get(at + 8..at + 8 + name_length)?.to_vec();
    Some((Entry { inode, name, is_deleted: false }, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(inode: u32, length: u16, name: &[u8]) -> Vec<u8> {
        let mut raw = inode.to_le_bytes().to_vec();
        raw.extend(length.to_le_bytes());
        raw.extend([u8::try_from(name.len()).unwrap(), 1]);
        raw.extend(name);
        raw.resize(raw.len().next_multiple_of(4), 0);
        raw
    }

    #[test]
    fn a_checksum_is_room_with_and_without_types() {
        let mut block = raw(12, 28, b"live");
        block.resize(28, 0);
        block.extend([0, 0, 0, 0, 12, 0, 0, 0xde, 1, 2, 3, 4]);
        for has_types in [true, false] {
            block[7] = u8::from(has_types);
            let (live, broken) = entries(&block, 0, has_types, false);
            assert_eq!((live.len(), broken), (1, None), "{has_types}");
        }
    }

    #[test]
    fn live_deleted_and_broken_entries() {
        let mut block = raw(12, 28, b"live");
        block.extend(raw(13, 16, b"gone.txt"));
        block.extend(raw(14, 16, b"last"));
        block.resize(28 + 16, 0);
        let (live, broken) = entries(&block, 0, true, false);
        assert_eq!((live.len(), broken), (2, None));
        let (all, _) = entries(&block, 0, true, true);
        assert_eq!(all[1], Entry { inode: 13, name: b"gone.txt".to_vec(), is_deleted: true });
        block[4] = 3;
        assert_eq!(entries(&block, 0, true, true), (vec![], Some(BrokenBlock(0))));
    }
}
