//! Formats that are known by their magic and not read here, so that what they hold is never
//! mistaken for an empty volume.

use crate::bytes::Bytes;
use crate::field::{be32, is_at, le16, read_some};
use crate::node::Failure;

/// What a volume is by its magic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Magic {
    /// Encrypted: what it holds needs a key.
    Encrypted(&'static str),
    /// A format that this crate does not read.
    Unread(&'static str),
}
use Magic::{Encrypted, Unread};

/// Name, place and bytes of each magic. A format stands before those whose magic it may leave in
/// place. Places are those of the formats' own documents.
const MAGICS: &[(Magic, usize, &[u8])] = &[
    (Encrypted("LUKS"), 0, b"LUKS\xba\xbe"),
    (Encrypted("BitLocker"), 3, b"-FVE-FS-"),
    // BitLocker To Go hides behind a FAT boot sector: the GUID of its information.
    (Encrypted("BitLocker To Go"), 0x1a8, b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01"),
    (Encrypted("encrypted disk image (encrcdsa)"), 0, b"encrcdsa"),
    (Unread("XFS"), 0, b"XFSB"),
    (Unread("Btrfs"), 0x1_0040, b"_BHRfS_M"),
    (Unread("APFS"), 32, b"NXSB"),
    (Unread("HFS+"), 1024, b"H+\x00\x04"),
    (Unread("HFSX"), 1024, b"HX\x00\x05"),
    (Unread("ReFS"), 3, b"ReFS\x00\x00\x00\x00"),
    (Unread("squashfs"), 0, b"hsqs"),
    (Unread("EROFS"), 1024, b"\xe2\xe1\xf5\xe0"),
    (Unread("cramfs"), 0, b"\x45\x3d\xcd\x28"),
    (Unread("F2FS"), 1024, b"\x10\x20\xf5\xf2"),
    (Unread("JFS"), 0x8000, b"JFS1"),
    (Unread("ReiserFS"), 0x1_0034, b"ReIsEr2Fs"),
    (Unread("ReiserFS"), 0x1_0034, b"ReIsEr3Fs"),
    (Unread("bcachefs or bcache"), 4096 + 24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    (Unread("UFS1"), 8192 + 1372, b"\x54\x19\x01\x00"),
    (Unread("UFS2"), 65536 + 1372, b"\x19\x01\x54\x19"),
    (Unread("VMFS"), 0x10_0000, b"\x0d\xd0\x01\xc0"),
    (Unread("Linux RAID (md)"), 0, b"\xfc\x4e\x2b\xa9"),
    (Unread("Linux RAID (md)"), 4096, b"\xfc\x4e\x2b\xa9"),
    (Unread("LVM2 physical volume"), 0, b"LABELONE"),
    (Unread("LVM2 physical volume"), 512, b"LABELONE"),
    (Unread("LVM2 physical volume"), 1024, b"LABELONE"),
    (Unread("LVM2 physical volume"), 1536, b"LABELONE"),
    (Unread("swap"), 4086, b"SWAPSPACE2"),
    (Unread("swap"), 8182, b"SWAPSPACE2"),
    (Unread("swap"), 16374, b"SWAPSPACE2"),
    (Unread("swap"), 65526, b"SWAPSPACE2"),
    (Unread("Storage Spaces"), 0, b"SPACEDB "),
    // Its magic, "44", is a number in any table: revision 2.0 stands in front of it.
    (Unread("Linux NILFS2"), 1024, b"\x02\x00\x00\x00\x00\x00\x34\x34"),
];

/// How far the magics reach, the rest aside.
const HEAD: usize = 0x1_1000;

/// The format whose magic stands on the volume, `None` if none does.
pub fn recognise(bytes: &dyn Bytes) -> Result<Option<Magic>, Failure> {
    let head = read_some(bytes, 0, HEAD)?;
    for &(magic, at, bytes_of_magic) in MAGICS {
        let found = match at.checked_add(bytes_of_magic.len()) {
            Some(end) if end <= HEAD => is_at(&head, at, bytes_of_magic),
            _ => read_some(bytes, at as u64, bytes_of_magic.len())? == bytes_of_magic,
        };
        if found {
            return Ok(Some(magic));
        }
    }
    // The header of CoreStorage: version 1, block type 0x10, and the letters far behind.
    if is_at(&head, 88, b"CS") && le16(&head, 8) == 1 && le16(&head, 10) == 0x10 {
        return Ok(Some(Encrypted("CoreStorage (FileVault 2)")));
    }
    // Two letters, and blocks of some sectors each (drAlBlkSiz), which no text has.
    let blocks = if is_at(&head, 1024, b"BD") && head.len() > 2048 { be32(&head, 1024 + 20) } else { 0 };
    if blocks > 0 && blocks.is_multiple_of(512) {
        return Ok(Some(Unread("HFS")));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_magic_is_found_at_its_place() {
        for &(magic, at, bytes) in MAGICS {
            let mut volume = vec![0; (at + 4096).max(0x2000)];
            volume[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(recognise(&volume).unwrap(), Some(magic));
        }
        assert_eq!(recognise(&vec![0; 1 << 21]).unwrap(), None);
        assert_eq!(recognise(&Vec::new()).unwrap(), None);
    }
}
