//! Names in directories: in the inode, and in blocks.

use pfh_bytes::field::{be16, be32, be64, byte};

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub inode: u64,
    pub name: Vec<u8>,
    /// The type of the file as directories number them; 0 if it is not stated.
    pub kind: u8,
}

/// A name in room that is free again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreedName {
    pub entry: Entry,
    /// Whether all of the number of its inode is there, or only the lower 32 bits.
    pub is_whole: bool,
}

/// A place that contradicts itself: the entries behind it are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenPlace(pub usize);

/// The mark of free room.
const FREE: u16 = 0xffff;

/// The entries of a directory of `size` bytes in its inode.
pub fn short(raw: &[u8], size: u64, has_types: bool) -> (Vec<Entry>, Option<BrokenPlace>) {
    let mut found = Vec::new();
    let Some(raw) = usize::try_from(size).ok().and_then(|size| raw.get(..size)) else {
        return (found, Some(BrokenPlace(0)));
    };
    let (count, wide) = (byte(raw, 0), byte(raw, 1) > 0);
    let width = if wide { 8 } else { 4 };
    let mut at = 2 + width;
    for _ in 0..if wide { byte(raw, 1) } else { count } {
        let length = usize::from(byte(raw, at));
        let behind = at + 3 + length + usize::from(has_types);
        if length == 0 || behind + width > raw.len() {
            return (found, Some(BrokenPlace(at)));
        }
        let inode = if wide { be64(raw, behind) } else { be32(raw, behind).into() };
        let kind = if has_types { byte(raw, at + 3 + length) } else { 0 };
        found.push(Entry { inode, name: raw[at + 3..at + 3 + length].to_vec(), kind });
        at = behind + width;
    }
    let broken = (at != raw.len()).then_some(BrokenPlace(at));
    (found, broken)
}

/// Names in a block, live and gone.
#[derive(Debug, Default)]
pub struct Names {
    pub live: Vec<Entry>,
    pub gone: Vec<FreedName>,
    pub broken: Option<BrokenPlace>,
}

/// The names between two places of a block.
pub fn entries(block: &[u8], from: usize, end: usize, has_types: bool) -> Names {
    let (mut names, mut at) = (Names::default(), from);
    while at < end {
        if be16(block, at) == FREE {
            let length = usize::from(be16(block, at + 2));
            if length == 0 || !length.is_multiple_of(8) || at + length > end || be16(block, at + length - 2) != tag(at)
            {
                names.broken = Some(BrokenPlace(at));
                return names;
            }
            leftovers(block, at, at + length, has_types, &mut names.gone);
            at += length;
            continue;
        }
        match entry(block, at, end, has_types) {
            Some((entry, length)) if be16(block, at + length - 2) == tag(at) => {
                names.live.push(entry);
                at += length;
            }
            _ => {
                names.broken = Some(BrokenPlace(at));
                return names;
            }
        }
    }
    names
}

/// The tag at the end of each entry: its place.
fn tag(at: usize) -> u16 {
    at as u16
}

/// The entry at a place and its length, if it ends before `end`.
fn entry(block: &[u8], at: usize, end: usize, has_types: bool) -> Option<(Entry, usize)> {
    let name = usize::from(byte(block, at + 8));
    let length = (11 + name + usize::from(has_types)).next_multiple_of(8);
    if name == 0 || at + length > end {
        return None;
    }
    let kind = if has_types { byte(block, at + 9 + name) } else { 0 };
    let entry = Entry { inode: be64(block, at), name: block.get(at + 9..at + 9 + name)?.to_vec(), kind };
    Some((entry, length))
}

/// Entries that were in free room. They begin with the mark of free room and its length, if that
/// began there, and end with their own place, or with that of the room if it ended there.
fn leftovers(block: &[u8], from: usize, end: usize, has_types: bool, gone: &mut Vec<FreedName>) {
    let mut at = from;
    while at + 16 <= end {
        let found = entry(block, at, end, has_types).filter(|(found, length)| {
            let last = be16(block, at + length - 2);
            let is_tagged = last == tag(at) || at + length == end && last == tag(from);
            is_tagged && is_a_name(&found.name) && found.kind <= 8 && found.inode & 0xffff_ffff != 0
        });
        let Some((mut entry, length)) = found else {
            at += 8;
            continue;
        };
        let is_whole = be16(block, at) != FREE;
        if !is_whole {
            entry.inode &= 0xffff_ffff;
        }
        gone.push(FreedName { entry, is_whole });
        at += length;
    }
}

fn is_a_name(name: &[u8]) -> bool {
    !name.iter().any(|&byte| byte < 0x20 || byte == b'/') && name != b"." && name != b".."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(at: usize, inode: u64, name: &[u8]) -> Vec<u8> {
        let mut raw = inode.to_be_bytes().to_vec();
        raw.push(u8::try_from(name.len()).unwrap());
        raw.extend(name);
        raw.push(1);
        raw.resize((raw.len() + 2).next_multiple_of(8) - 2, 0);
        raw.extend(tag(at).to_be_bytes());
        raw
    }

    fn free(block: &mut [u8], from: usize, length: usize) {
        block[from..from + 2].copy_from_slice(&FREE.to_be_bytes());
        block[from + 2..from + 4].copy_from_slice(&u16::try_from(length).unwrap().to_be_bytes());
        block[from + length - 2..from + length].copy_from_slice(&tag(from).to_be_bytes());
    }

    #[test]
    fn live_gone_and_broken_entries() {
        let mut block = vec![0; 16];
        for (inode, name) in
            [(7_u64 << 32 | 1, &b"stays"[..]), (2, b"first"), (8 << 32 | 3, b"second one"), (4, b"end")]
        {
            let next = raw(block.len(), inode, name);
            block.extend(next);
        }
        let length = block.len();
        free(&mut block, 16 + 24, 24 + 24);
        let names = entries(&block, 16, length, true);
        assert_eq!(names.broken, None);
        let live: Vec<_> = names.live.iter().map(|entry| (entry.inode, &entry.name[..])).collect();
        assert_eq!(live, [(7 << 32 | 1, &b"stays"[..]), (4, b"end")]);
        let gone: Vec<_> =
            names.gone.iter().map(|gone| (gone.entry.inode, &gone.entry.name[..], gone.is_whole)).collect();
        assert_eq!(gone, [(2, &b"first"[..], false), (8 << 32 | 3, b"second one", true)]);
        block[length - 1] ^= 1;
        assert_eq!(entries(&block, 16, length, true).broken, Some(BrokenPlace(length - 16)));
    }

    #[test]
    fn entries_in_an_inode() {
        let mut raw = vec![2, 0, 0, 0, 0, 128];
        raw.extend(b"\x01\0\x60a\x01\0\0\0\x81\x02\0\x70bc\x02\0\0\0\x82");
        let size = raw.len() as u64;
        let (found, broken) = short(&raw, size, true);
        assert_eq!(broken, None);
        assert_eq!(found[1], Entry { inode: 0x82, name: b"bc".to_vec(), kind: 2 });
        assert_eq!(short(&raw, size - 1, true).1, Some(BrokenPlace(15)));
        assert_eq!(short(&raw, size + 1, true).1, Some(BrokenPlace(0)));
        raw[0] = 1;
        assert_eq!(short(&raw, size, true).1, Some(BrokenPlace(15)));
    }
}
