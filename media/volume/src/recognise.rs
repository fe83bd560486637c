//! Formats that are known by their magic and not read here, so that none is mistaken for an empty
//! volume: the rows for volumes in the table of [`signature`].

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be16, be32, be64, is_at, le16, le32, read_some};
use pfh_bytes::node::Failure;
use pfh_container::signature::{At, Holds, Signature, TABLE, TAIL};

/// The kind of a volume by its magic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Magic {
    /// Encrypted: its content needs a key.
    Encrypted(&'static str),
    /// A format that this crate does not read.
    Unread(&'static str),
}
use Magic::{Encrypted, Unread};

/// How far the magics reach, the rest aside.
const HEAD: usize = 0x1_1000;

/// Whether a signature stands at its place in a volume that begins with `head`.
fn stands(row: &Signature, bytes: &dyn Bytes, head: &[u8]) -> Result<bool, Failure> {
    let offset = match row.at {
        At::Start(at) if at + row.bytes.len() <= HEAD => return Ok(row.is_in(head)),
        At::Start(at) => at as u64,
        At::End(before) => match bytes.size().checked_sub(before as u64) {
            Some(offset) => offset,
            None => return Ok(false),
        },
    };
    Ok(row.is_there(&read_some(bytes, offset, TAIL)?))
}

/// The format whose magic stands on the volume, `None` if none does.
pub fn recognise(bytes: &dyn Bytes) -> Result<Option<Magic>, Failure> {
    let head = read_some(bytes, 0, HEAD)?;
    for row in TABLE.iter().filter(|row| matches!(row.holds, Holds::Encrypted | Holds::Volume)) {
        if stands(row, bytes, &head)? {
            return Ok(Some(if row.holds == Holds::Encrypted { Encrypted(row.name) } else { Unread(row.name) }));
        }
    }
    // The header of CoreStorage: version 1, block type 0x10, and the letters far behind.
    if is_at(&head, 88, b"CS") && le16(&head, 8) == 1 && le16(&head, 10) == 0x10 {
        return Ok(Some(Encrypted("CoreStorage (FileVault 2)")));
    }
    Ok(is_minix(&head).then_some(Unread("minix")))
}

/// Places of the second header of LUKS2.
const LUKS: [u64; 9] = [0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000];

/// Whether the second header of LUKS2 stands at one of its places: only where nothing else is read,
/// since a later file system may have left it.
pub fn is_second_luks(bytes: &dyn Bytes) -> Result<bool, Failure> {
    for at in LUKS {
        let head = read_some(bytes, at, 264)?;
        if is_at(&head, 0, b"SKUL\xba\xbe\0\x02") && be64(&head, 256) == at {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a superblock of minix stands here, of version 1, 2 or 3, in either order of bytes: its
/// magic has two bytes, and the map of inodes has as many blocks as these need.
fn is_minix(head: &[u8]) -> bool {
    let maps = |inodes: u64, block: u64, map: u64| inodes > 0 && map == (inodes + 1).div_ceil(8 * block);
    type Numbers = (fn(&[u8], usize) -> u16, fn(&[u8], usize) -> u32);
    let orders: [Numbers; 2] = [(le16, le32), (be16, be32)];
    orders.into_iter().any(|(two, four)| {
        let at = |place: usize| u64::from(two(head, 1024 + place));
        match (at(16), at(24)) {
            (0x137f | 0x138f | 0x2468 | 0x2478, _) => maps(at(0), 1024, at(4)) && at(8) > 2 + at(4) && at(10) == 0,
            (_, 0x4d5a) => {
                let block = at(28);
                block.is_power_of_two() && block >= 1024 && maps(u64::from(four(head, 1024)), block, at(6))
            }
            _ => false,
        }
    })
}

/// Whether an HFS volume begins at this place, without an HFS+ volume in it.
pub fn is_hfs(bytes: &dyn Bytes, start: u64) -> Result<bool, Failure> {
    let head = read_some(bytes, start.saturating_add(1024), 1025)?;
    let is_one = is_at(&head, 0, b"BD") && !is_at(&head, 124, b"H+") && head.len() > 1024;
    // Two letters, and blocks of some sectors each (drAlBlkSiz), which no text has.
    let blocks = be32(&head, 20);
    Ok(is_one && blocks > 0 && blocks.is_multiple_of(512))
}

/// The division of a medium, or the array that it belongs to, where nothing else on it is read.
pub fn division(bytes: &dyn Bytes) -> Result<Option<&'static str>, Failure> {
    let head = read_some(bytes, 0, HEAD)?;
    for row in TABLE.iter().filter(|row| row.holds == Holds::Division) {
        if stands(row, bytes, &head)? {
            return Ok(Some(row.name));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, and their place from that of the signature on.
    type Field = (usize, &'static [u8]);

    /// Fields that checks ask for.
    const CHECKED: &[(&str, &[Field])] = &[
        ("XFS log device", &[(11, &[2]), (15, &[20])]),
        ("SGI disk label", &[(4, b"\xf4\x1a\x56\xbf")]),
        ("Sun disk label", &[(2, b"\xda\xbe")]),
        ("Atari partitions", &[(0x1c4, b"\x27\xfe"), (0x1c6, b"\x01GEM\0\0\0\x02\0\0\x27\xfc")]),
        ("RAID (JMicron)", &[(2, b"\xb6\xb2")]),
        ("RAID (VIA)", &[(4, b"\x01"), (50, b"\0")]),
        ("RAID (Silicon Image)", &[(0, b"\x5a\x0cST"), (0x60, b"\0\0\0\x2f")]),
    ];

    #[test]
    fn each_magic_is_found_at_its_place() {
        for row in TABLE.iter().filter(|row| !matches!(row.holds, Holds::Files | Holds::Image(_))) {
            let size = 0x4_0000;
            let at = match row.at {
                At::Start(at) => at,
                At::End(before) => size - before,
            };
            let mut volume = vec![0; (at + 4096).max(size)];
            if matches!(row.at, At::End(_)) {
                volume.truncate(size);
            }
            volume[at..at + row.bytes.len()].copy_from_slice(row.bytes);
            if let Some((_, fields)) = CHECKED.iter().find(|(name, _)| *name == row.name) {
                assert_eq!((recognise(&volume).unwrap(), division(&volume).unwrap()), (None, None), "{}", row.name);
                fields.iter().for_each(|(by, bytes)| volume[at + by..at + by + bytes.len()].copy_from_slice(bytes));
            }
            let found = match row.holds {
                Holds::Encrypted => recognise(&volume).unwrap() == Some(Encrypted(row.name)),
                Holds::Volume => recognise(&volume).unwrap() == Some(Unread(row.name)),
                _ => division(&volume).unwrap() == Some(row.name) && recognise(&volume).unwrap().is_none(),
            };
            assert!(found, "{}", row.name);
        }
        assert_eq!(recognise(&vec![0; 1 << 21]).unwrap(), None);
        assert_eq!(division(&vec![0; 1 << 21]).unwrap(), None);
        assert_eq!(recognise(&Vec::new()).unwrap(), None);
    }
}
