//! The one table of formats that are recognised and not read: archives, images, backups, volumes.
//! Commands that take an image are refused by the rows of images as well ([`crate::foreign`]).
//!
//! Each row has at least four bytes, or a check of the structure behind them, so that a text or a
//! program is not mistaken for a container. Places are those of the formats' own documents.

use crate::field::{le16, le32, le64};

/// The kind of format behind a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// An archive, a compressed stream or a backup: files, or a disk.
    Files,
    /// An image, and its name in other programs.
    Image(&'static str),
    /// A volume that needs a key.
    Encrypted,
    /// A file system or a part of a volume: it goes before a format whose signature it may leave in
    /// place.
    Volume,
    /// A division of a medium, or a part of an array. It counts only where nothing else is read: a
    /// disc has one beside its own file system.
    Division,
}

/// Where a signature stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// From the first byte on.
    Start(usize),
    /// This number of bytes in front of the end.
    End(usize),
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The name of the format.
    pub name: &'static str,
    /// Where it stands.
    pub at: At,
    /// The bytes.
    pub bytes: &'static [u8],
    /// The kind of the format.
    pub holds: Holds,
    /// A further check of the first bytes.
    check: fn(&[u8]) -> bool,
}

const fn row(name: &'static str, holds: Holds, at: usize, bytes: &'static [u8]) -> Signature {
    Signature { name, at: At::Start(at), bytes, holds, check: |_| true }
}

const fn files(name: &'static str, bytes: &'static [u8]) -> Signature {
    row(name, Holds::Files, 0, bytes)
}

const fn checked(name: &'static str, at: usize, bytes: &'static [u8], check: fn(&[u8]) -> bool) -> Signature {
    Signature { name, at: At::Start(at), bytes, holds: Holds::Files, check }
}

const fn image(name: &'static str, hint: &'static str, at: usize, bytes: &'static [u8]) -> Signature {
    row(name, Holds::Image(hint), at, bytes)
}

const fn volume(name: &'static str, at: usize, bytes: &'static [u8]) -> Signature {
    row(name, Holds::Volume, at, bytes)
}

const fn division(name: &'static str, at: At, bytes: &'static [u8]) -> Signature {
    Signature { name, at, bytes, holds: Holds::Division, check: |_| true }
}

/// The first bytes of each sector of a CD.
const SECTOR: &[u8] = b"\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0";

/// The table. A format stands before those whose signature it may leave in place.
pub const TABLE: &[Signature] = &[
    // Archives and compressed streams.
    files("RAR 1.4", b"RE\x7e\x5e"),
    checked("InstallShield cabinet", 0, b"ISc(", |start| start.len() > 20 && matches!(start[7], 1 | 2 | 4)),
    files("WIM (pipable)", b"WLPWM\0\0\0"),
    files("thin ar", b"!<thin>\n"),
    checked("ARJ", 0, b"\x60\xea", is_arj),
    files("lzop", b"\x89LZO\0\r\n\x1a\n"),
    files("Snappy (framed)", b"\xff\x06\0\0sNaPpY"),
    files("lrzip", b"LRZI\0"),
    checked("xar", 0, b"xar!\0", |start| start.len() > 28 && start[5] >= 28),
    files("StuffIt", b"StuffIt (c)1997-"),
    checked("StuffIt", 0, b"SIT!", |start| start.get(10..14) == Some(b"rLau")),
    row("ACE", Holds::Files, 7, b"**ACE**"),
    files("ALZip (ALZ)", b"ALZ\x01"),
    checked("ALZip (EGG)", 0, b"EGGA", |start| start.len() > 6 && start[5] <= 1),
    checked("ZOO", 20, b"\xdc\xa7\xc4\xfd", |start| start.starts_with(b"ZOO ")),
    files("Microsoft compress (SZDD)", b"SZDD\x88\xf0\x27\x33"),
    files("Microsoft compress (KWAJ)", b"KWAJ\x88\xf0\x27\xd1"),
    files("WARC", b"WARC/1."),
    files("WARC", b"WARC/0."),
    checked("OneDrive log (ODL, gzip)", 0, b"EBFGONED", |start| start.get(256..259) == Some(b"\x1f\x8b\x08")),
    files("part of a split zip", b"PK\x07\x08PK\x03\x04"),
    checked("ARC", 0, b"\x1a", is_arc),
    files("rzip", b"RZIP\x02"),
    checked("U-Boot image", 0, b"\x27\x05\x19\x56", is_uboot),
    files("zpaq", b"7kSt\xa0\x31\x83\xd3"),
    files("zpaq", b"zPQ\x02\x01"),
    files("zpaq", b"zPQ\x01\x01"),
    files("Outlook Express (DBX)", b"\xcf\xad\x12\xfe"),
    files("mailbox of Emacs (Babyl)", b"BABYL OPTIONS:"),
    files("mailbox (MMDF)", b"\x01\x01\x01\x01\nFrom "),
    files("Disk Masher (DMS)", b"DMS!"),
    files("LZX (Amiga)", b"LZX\0\0\0\x0a"),
    files("compiled HTML help (CHM)", b"ITSF\x03\0\0\0"),
    // Images. Of Lx01, L01 and AD1 the files are read, as those of archives.
    image("Lx01", "EnCase 7's logical evidence: files, and no disk", 0, b"LEF2\x0d\x0a\x81\x00"),
    image("L01", "EnCase's logical evidence: files, and no disk", 0, b"LVF\x09\x0d\x0a\xff\x00"),
    image("AD encryption", "FTK Imager's encrypted image: decrypt it first", 0, b"ADCRYPT\0"),
    image("AD1", "FTK Imager's logical image: files, and no disk", 0, b"ADSEGMENTEDFILE\0"),
    image("AFF", "the Advanced Forensic Format, version 3 or older", 0, b"AFF10\x0d\x0a\0"),
    image("QCOW", "QEMU's disk of version 1, or of one that is not known", 0, b"QFI\xfb"),
    image("COWD", "an extent of VMware ESX", 0, b"COWD"),
    image("QED", "QEMU's enhanced disk", 0, b"QED\0"),
    image("Parallels", "Parallels' expanding disk, `.hds` and `.hdd`", 0, b"WithoutFreeSpace"),
    image("Parallels", "Parallels' expanding disk, `.hds` and `.hdd`", 0, b"WithouFreSpacExt"),
    image("sparse image", "Apple's growing disk image, `.sparseimage`", 0, b"sprs\0\0\0\x03"),
    image("Android sparse image", "fastboot's and simg2img's", 0, b"\x3a\xff\x26\xed\x01\0"),
    image("Bochs", "a disk of Bochs that grows", 0, b"Bochs Virtual HD Image"),
    image("VMDK (SE sparse)", "an extent of VMware ESX", 0, b"\xbe\xba\xfe\xca\0\0\0\0\x01\0\0\0\x02\0\0\0"),
    image("cloop or uzip", "a compressed image of Linux or FreeBSD", 0, b"#!/bin/sh\n#V2.0 Format\n"),
    image("cloop or uzip", "a compressed image of Linux or FreeBSD", 0, b"#!/bin/sh\n#L3.0\n"),
    image("cloop or uzip", "a compressed image of Linux or FreeBSD", 0, b"#!/bin/sh\n#V3.0 Format\n"),
    image("DAA", "PowerISO's compressed disc", 0, b"DAA\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    image("ISZ", "UltraISO's compressed disc", 0, b"IsZ!\x40"),
    image("CSO", "a compressed disc of consoles", 0, b"CISO\x18\0\0\0"),
    image("CSO", "a compressed disc of consoles", 0, b"CISO\0\0\0\0"),
    Signature {
        name: "sparse bundle",
        at: At::Start(0),
        bytes: b"<?xml",
        holds: Holds::Image("Apple's growing disk image in bands, `.sparsebundle`"),
        check: |start| memchr::memmem::find(start, b"com.apple.diskimage.sparsebundle").is_some(),
    },
    Signature {
        name: "raw sectors of a CD",
        at: At::Start(0),
        bytes: SECTOR,
        holds: Holds::Image("2352 bytes each, `.bin` and `.mdf`"),
        check: |start| start.get(2352..2364) == Some(SECTOR) && matches!(start[15], 1 | 2),
    },
    image("partclone", "Clonezilla's image of a file system", 0, b"partclone-image"),
    image("partimage", "Partimage's image of a file system", 0, b"PaRtImAgE-VoLuMe"),
    image("ntfsclone", "ntfsclone's image of NTFS", 0, b"\0ntfsclone-image"),
    image("CHD", "MAME's compressed disk", 0, b"MComprHD"),
    image("VDI", "VirtualBox's disk", 0x40, b"\x7f\x10\xda\xbe"),
    // Backups of virtual machines.
    files("VMA (Proxmox)", b"VMA\0\0\0\0\x01"),
    checked("Veeam backup (VBK)", 8, b"\x03\0\0\0md5", |start| {
        (1..64).contains(&le32(start, 0)) && le32(start, 4) <= 1
    }),
    // Volumes.
    row("LUKS", Holds::Encrypted, 0, b"LUKS\xba\xbe"),
    row("BitLocker", Holds::Encrypted, 3, b"-FVE-FS-"),
    // BitLocker To Go hides behind a FAT boot sector: the GUID of its information.
    row(
        "BitLocker To Go",
        Holds::Encrypted,
        0x1a8,
        b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01",
    ),
    row("encrypted disk image (encrcdsa)", Holds::Encrypted, 0, b"encrcdsa"),
    volume("ReFS", 3, b"ReFS\x00\x00\x00\x00"),
    volume("squashfs (big-endian)", 0, b"sqsh"),
    volume("cramfs", 0, b"\x45\x3d\xcd\x28"),
    volume("romfs", 0, b"-rom1fs-"),
    volume("JFS", 0x8000, b"JFS1"),
    volume("ReiserFS", 0x1_0034, b"ReIsEr2Fs"),
    volume("ReiserFS", 0x1_0034, b"ReIsEr3Fs"),
    volume("bcachefs or bcache", 4096 + 24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    volume("bcachefs", 4096 + 24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
    volume("cramfs (big-endian)", 0, b"\x28\xcd\x3d\x45"),
    volume("ReiserFS", 0x2034, b"ReIsErFs"),
    volume("Reiser4", 0x1_0000, b"ReIsEr4\0"),
    volume("OCFS2", 1024, b"OCFSV2"),
    volume("OCFS2", 2048, b"OCFSV2"),
    volume("OCFS2", 4096, b"OCFSV2"),
    volume("OCFS2", 8192, b"OCFSV2"),
    volume("GFS2", 0x1_0000, b"\x01\x16\x19\x70\0\0\0\x01"),
    volume("ZFS", 0x4014, b"\0\0\0\x07version\0"),
    volume("HPFS", 8192, b"\x49\xe8\x95\xf9\xc5\xe9\x53\xfa"),
    volume("BFS (SCO)", 0, b"\xce\xfa\xad\x1b"),
    volume("BeFS", 544, b"1SFB"),
    volume("BeFS (big-endian)", 544, b"BFS1"),
    volume("UBI", 0, b"UBI#\x01"),
    volume("UBIFS", 0, b"\x31\x18\x10\x06"),
    volume("Android boot image", 0, b"ANDROID!"),
    volume("Android boot image (vendor)", 0, b"VNDRBOOT"),
    volume("JFFS2", 0, b"\x85\x19\x03\x20\x0c\0\0\0"),
    volume("JFFS2", 0, b"\x85\x19\x01\xe0"),
    volume("JFFS2", 0, b"\x85\x19\x02\xe0"),
    volume("JFFS2 (big-endian)", 0, b"\x19\x85\x20\x03\0\0\0\x0c"),
    volume("JFFS2 (big-endian)", 0, b"\x19\x85\xe0\x01"),
    volume("JFFS2 (big-endian)", 0, b"\x19\x85\xe0\x02"),
    volume("QNX6", 8192, b"\x22\x11\x19\x68"),
    volume("HAMMER2", 0, b"\x11\x20\x17\x05\x32\x4d\x41\x48"),
    volume("VDO", 0, b"dmvdo001"),
    volume("Stratis", 516, b"!Stra0tis\x86\xff\x02^\x41rh"),
    volume("UFS1", 8192 + 1372, b"\x54\x19\x01\x00"),
    volume("UFS1 (big-endian)", 8192 + 1372, b"\x00\x01\x19\x54"),
    volume("UFS2", 8192 + 1372, b"\x19\x01\x54\x19"),
    volume("UFS2 (big-endian)", 8192 + 1372, b"\x19\x54\x01\x19"),
    volume("UFS2 (big-endian)", 65536 + 1372, b"\x19\x54\x01\x19"),
    volume("UFS2", 65536 + 1372, b"\x19\x01\x54\x19"),
    volume("VMFS", 0x10_0000, b"\x0d\xd0\x01\xc0"),
    volume("Linux RAID (md)", 0, b"\xfc\x4e\x2b\xa9"),
    volume("Linux RAID (md)", 4096, b"\xfc\x4e\x2b\xa9"),
    volume("thin pool (device mapper)", 32, b"\xba\x52\x9c\x01\0\0\0\0"),
    volume("LVM2 physical volume", 0, b"LABELONE"),
    volume("LVM2 physical volume", 512, b"LABELONE"),
    volume("LVM2 physical volume", 1024, b"LABELONE"),
    volume("LVM2 physical volume", 1536, b"LABELONE"),
    volume("swap", 4086, b"SWAPSPACE2"),
    volume("swap", 8182, b"SWAPSPACE2"),
    volume("swap (hibernated)", 4086, b"S1SUSPEND"),
    volume("swap (hibernated)", 4086, b"S2SUSPEND"),
    volume("swap (hibernated)", 4086, b"ULSUSPEND"),
    volume("swap (hibernated)", 4086, b"LINHIB0001"),
    volume("swap (hibernated)", 65526, b"S1SUSPEND"),
    volume("swap (hibernated)", 65526, b"LINHIB0001"),
    volume("swap", 4086, b"SWAP-SPACE"),
    volume("swap", 16374, b"SWAPSPACE2"),
    volume("swap", 65526, b"SWAPSPACE2"),
    volume("Storage Spaces", 0, b"SPACEDB "),
    // Its magic, "44", is a number in any table: revision 2.0 stands in front of it.
    volume("Linux NILFS2", 1024, b"\x02\x00\x00\x00\x00\x00\x34\x34"),
    // Divisions and arrays.
    division("Apple partition map", At::Start(512), b"PM\0\0"),
    division("Apple partition map", At::Start(2048), b"PM\0\0"),
    division("vinum", At::Start(4096), b"IN VINO"),
    division("BSD disklabel", At::Start(512), b"\x57\x45\x56\x82"),
    division("RAID (DDF)", At::End(512), b"\xde\x11\xde\x11"),
    division("RAID (Intel)", At::End(1024), b"Intel Raid ISM Cfg Sig. "),
    division("Linux RAID (md)", At::End(8192), b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
];

impl Signature {
    /// Whether the first bytes of a file have this signature, as far as they reach.
    pub(crate) fn is_in(&self, start: &[u8]) -> bool {
        let At::Start(at) = self.at else { return false };
        start.get(at..).is_some_and(|rest| rest.starts_with(self.bytes)) && (self.check)(start)
    }
}

/// The archive, stream or backup that a file's first bytes state (see [`crate::disk::START`]): one
/// that is recognised and not read.
pub fn files_in(start: &[u8]) -> Option<&'static str> {
    TABLE.iter().filter(|row| row.holds == Holds::Files).find(|row| row.is_in(start)).map(|row| row.name)
}

/// Anything that a file's first bytes state and that is not read: an archive, an image, a volume
/// whose signature is among them.
pub fn any_in(start: &[u8]) -> Option<&'static str> {
    let other = |row: &&Signature| row.holds != Holds::Files && row.is_in(start);
    files_in(start).or_else(|| TABLE.iter().find(other).map(|row| row.name))
}

/// The header's length and CRC-32.
pub(crate) fn is_arj(start: &[u8]) -> bool {
    let length = usize::from(le16(start, 2));
    let header = start.get(4..4 + length).filter(|_| (30..=2600).contains(&length));
    header.is_some_and(|header| start.len() >= 8 + length && crc32fast::hash(header) == le32(start, 4 + length))
}

/// A member of SEA's ARC: a method, a name that ends, and a date that is possible.
fn is_arc(start: &[u8]) -> bool {
    let name = start.get(2..15).unwrap_or_default();
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
    let is_name = end > 0 && name[..end].iter().all(|byte| byte.is_ascii_graphic() && !b"/\\:*?\"<>|".contains(byte));
    let date = le16(start, 19);
    let is_date = (1..=12).contains(&(date >> 5 & 15)) && date & 31 > 0;
    start.len() >= 29 && matches!(start[1], 1..=11) && is_name && is_date
}

/// The header's CRC-32, which is taken over zeros in its own place.
fn is_uboot(start: &[u8]) -> bool {
    let Some(mut header) = start.first_chunk::<64>().copied() else { return false };
    let stated = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    header[4..8].fill(0);
    crc32fast::hash(&header) == stated
}

/// Whether a stream of lzip begins here: a known version and a possible window.
pub fn is_lzip(start: &[u8]) -> bool {
    start.starts_with(b"LZIP") && start.len() > 6 && start[4] < 2 && (12..=29).contains(&(start[5] & 31))
}

/// Whether a stream of compress begins here: codes of at most 9 to 16 bits. The first stands for a
/// byte, the second for a byte, the code before, or a new start.
pub fn is_compress(start: &[u8]) -> bool {
    let is_flags = start.len() > 5 && start[2] & 0x60 == 0 && (9..=16).contains(&(start[2] & 0x1f));
    is_flags && le16(start, 3) & 0x1ff < 256 && (le16(start, 4) >> 1) & 0x1ff <= 257
}

/// Whether LZMA alone begins here: properties that encoders write, a dictionary of 2^n or 3 * 2^n
/// bytes, and a size that is unknown or below 256 GiB; the range coder begins with a zero byte, and
/// the next four are not all zero.
pub fn is_lzma(start: &[u8]) -> bool {
    if start.len() < 18 || start[13] != 0 || start[14..18] == [0; 4] || !matches!(start[0], 0x5b..=0x67) {
        return false;
    }
    let (dictionary, size) = (le32(start, 1), le64(start, 5));
    let is_round = match dictionary.count_ones() {
        1 => true,
        2 => dictionary & (dictionary >> 1) != 0,
        bits => bits == 32,
    };
    is_round && dictionary >= 4096 && (size == u64::MAX || (1..1 << 38).contains(&size))
}

/// Signatures long enough to be known with one wrong byte.
const LONG: &[(&str, usize, &[u8])] = &[
    ("E01", 0, b"EVF\x09\x0d\x0a\xff\x00"),
    ("Ex01", 0, b"EVF2\r\n\x81\0"),
    ("L01", 0, b"LVF\x09\x0d\x0a\xff\x00"),
    ("AD1", 0, b"ADSEGMENTEDFILE\0"),
    ("7z", 0, b"7z\xbc\xaf\x27\x1c"),
    ("xz", 0, b"\xfd7zXZ\0"),
    ("bzip2", 4, b"1AY&SY"),
    ("VHDX", 0, b"vhdxfile"),
    ("QCOW2", 0, b"QFI\xfb\0\0\0\x02"),
    ("QCOW2", 0, b"QFI\xfb\0\0\0\x03"),
    ("RAR 4", 0, b"Rar!\x1a\x07\x00"),
    ("RAR 5", 0, b"Rar!\x1a\x07\x01\x00"),
    ("WIM", 0, b"MSWIM\0\0\0"),
];

/// The format whose signature the first bytes have but for one byte, or that the structure behind
/// a lost signature states.
pub fn damaged(start: &[u8]) -> Option<&'static str> {
    let near = |(_, at, bytes): &&(&str, usize, &[u8])| {
        let found = start.get(*at..*at + bytes.len());
        found.is_some_and(|found| found.iter().zip(*bytes).filter(|(is, was)| is != was).count() == 1)
    };
    if let Some((name, ..)) = LONG.iter().find(near) {
        return Some(name);
    }
    if is_zip_but_for_a_byte(start) {
        return Some("zip");
    }
    // The block of bzip2 begins behind its header, where a letter may be wrong.
    if start.get(4..10) == Some(b"1AY&SY") {
        return Some("bzip2");
    }
    // ustar and GNU tar name themselves behind the name, mode, sizes and checksum of a member.
    let named = start.get(257..265).is_some_and(|magic| magic == b"ustar\x0000" || magic == b"ustar  \0");
    if named && start.len() >= 512 && start[0] != 0 {
        return Some("tar");
    }
    // gzip with another method, or with bits that are reserved; not both.
    let gzip = start.len() > 18 && start[..2] == *b"\x1f\x8b" && matches!(start[9], 0..=13 | 255);
    (gzip && (start[2] == 8) != (start[3] & 0xe0 == 0)).then_some("gzip")
}

/// Whether the header of a zip's first member stands here, with one wrong byte in its signature
/// (APPNOTE 4.3.7): version, method and name make sense.
fn is_zip_but_for_a_byte(start: &[u8]) -> bool {
    const METHODS: [u16; 9] = [0, 8, 9, 12, 14, 93, 95, 98, 99];
    let Some(header) = start.first_chunk::<30>() else { return false };
    let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let wrong = header[..4].iter().zip(b"PK\x03\x04").filter(|(is, was)| is != was).count();
    let name = start.get(30..30 + usize::from(number(26))).unwrap_or_default();
    let is_name = !name.is_empty() && name.iter().all(|byte| !byte.is_ascii_control());
    wrong == 1 && (10..=63).contains(&number(4)) && METHODS.contains(&number(8)) && is_name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_strong_and_found() {
        for row in TABLE {
            let At::Start(at) = row.at else { continue };
            let is_checked = !(row.check)(&[0x20; 128]) || !(row.check)(&[0; 128]);
            assert!(row.bytes.len() >= 4 || is_checked, "{}: {} bytes", row.name, row.bytes.len());
            if row.holds == Holds::Files && (row.check)(&[0; 4096]) {
                let mut start = vec![0; 4096];
                start[at..at + row.bytes.len()].copy_from_slice(row.bytes);
                assert!(files_in(&start).is_some(), "{}", row.name);
            }
        }
        assert_eq!(
            (any_in(&[0; 4096]), any_in(&[0x20; 4096]), any_in(b""), damaged(&[0; 4096])),
            (None, None, None, None)
        );
    }

    #[test]
    fn structures_are_held_against_the_bytes() {
        assert!(is_compress(b"\x1f\x9d\x90\x41\x84\x0c\x01") && !is_compress(b"\x1f\x9d\x90\xff\xff\xff\xff"));
        assert!(is_lzip(b"LZIP\x01\x0c\0") && !is_lzip(b"LZIP is a word"));
        let mut lzma = [0; 20];
        lzma[..5].copy_from_slice(b"\x5d\0\0\x80\0");
        lzma[5..13].fill(0xff);
        lzma[14] = 0x33;
        assert!(is_lzma(&lzma));
        lzma[13] = 7;
        assert!(!is_lzma(&lzma));
        let header = [b"\x1e\x06\x01\0\0\0\0\0".as_slice(), &[7; 26]].concat();
        let sum = crc32fast::hash(&header).to_le_bytes();
        let arj = [b"\x60\xea".as_slice(), &34_u16.to_le_bytes(), &header, &sum, &[0; 8]].concat();
        assert_eq!(files_in(&arj), Some("ARJ"));
        assert_eq!(files_in(&[&arj[..20], b"!", &arj[21..]].concat()), None);
    }

    #[test]
    fn one_wrong_byte_still_says_what_it_was() {
        assert_eq!(damaged(b"FVF\x09\x0d\x0a\xff\x00...."), Some("E01"));
        assert_eq!(damaged(b"7z\xbc\xaf\x26\x1c...."), Some("7z"));
        assert_eq!(damaged(b"7z\xbc\xaf\x26\x1d...."), None);
        let mut tar = [0; 512];
        tar[..4].copy_from_slice(b"name");
        tar[257..265].copy_from_slice(b"ustar\x0000");
        assert_eq!(damaged(&tar), Some("tar"));
    }
}
