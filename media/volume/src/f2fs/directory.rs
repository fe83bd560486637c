//! The entries of a directory: a bit for each in use, then all of them, then their names.

use pfh_bytes::field::{byte, le16, le32};

/// Bytes of an entry, and of the room for a name; a longer one takes several.
const ENTRY: usize = 11;
const ROOM: usize = 8;

/// One name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub inode: u32,
    pub name: Vec<u8>,
    pub kind: u8,
    /// Whether its bit is clear.
    pub is_deleted: bool,
}

/// Where the parts of a block are.
#[derive(Clone, Copy)]
struct Parts {
    count: usize,
    entries: usize,
    names: usize,
}

/// The entries of a block of `length` bytes: one of its own, or the room in an inode. With its
/// fault, and the place of that.
pub fn entries(block: &[u8], is_inline: bool) -> (Vec<Entry>, Option<(usize, &'static str)>) {
    let parts = match is_inline {
        false => Parts { count: 214, entries: 30, names: 30 + 214 * ENTRY },
        true => {
            let count = block.len() * 8 / ((ENTRY + ROOM) * 8 + 1);
            let entries = block.len() - (ENTRY + ROOM) * count;
            Parts { count, entries, names: entries + count * ENTRY }
        }
    };
    let is_set = |slot: usize| byte(block, slot / 8) >> (slot % 8) & 1 == 1;
    let (mut found, mut wrong, mut slot) = (Vec::new(), None, 0);
    while slot < parts.count {
        let at = parts.entries + slot * ENTRY;
        let (inode, length, kind) = (le32(block, at + 4), usize::from(le16(block, at + 8)), byte(block, at + 10));
        let slots = length.div_ceil(ROOM);
        let is_live = is_set(slot);
        let fits = (1..=255).contains(&length) && slot + slots <= parts.count && inode != 0;
        let from = parts.names + slot * ROOM;
        let name = block.get(from..from + length).filter(|_| fits);
        match name {
            Some(name) if is_live => {
                found.push(Entry { inode, name: name.to_vec(), kind, is_deleted: false });
                slot += slots;
            }
            Some(name) if (1..=7).contains(&kind) && (slot..slot + slots).all(|slot| !is_set(slot)) => {
                found.push(Entry { inode, name: name.to_vec(), kind, is_deleted: true });
                slot += slots;
            }
            None if is_live => {
                wrong = wrong.or(Some((at, "an entry of the directory contradicts itself")));
                slot += 1;
            }
            _ => slot += 1,
        }
    }
    (found, wrong)
}
