//! The rows of the table of formats that are recognised and not read.
//!
//! Each row has at least four bytes, or a check of the structure behind them, so that a text or a
//! program is not mistaken for a container. Places are those of the formats' own documents.

use super::row::{At, Holds, Signature, TAIL};
use crate::field::{be32, le16, le32};

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

const fn array(name: &'static str, before: usize, bytes: &'static [u8]) -> Signature {
    division(name, At::End(before), bytes)
}

const fn checked_division(name: &'static str, at: At, bytes: &'static [u8], check: fn(&[u8]) -> bool) -> Signature {
    Signature { name, at, bytes, holds: Holds::Division, check }
}

/// The mark of controllers of Promise, in one of several sectors in front of the end.
const PROMISE: &[u8] = b"Promise Technology, Inc.";

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
    volume("VMFS", 0x20_0000, b"\x5e\xf1\xab\x2f"),
    volume("VxFS", 1024, b"\xf5\xfc\x01\xa5"),
    volume("VxFS (big-endian)", 8192, b"\xa5\x01\xfc\xf5"),
    Signature {
        name: "XFS log device",
        at: At::Start(0),
        bytes: b"\xfe\xed\xba\xbe",
        holds: Holds::Volume,
        check: |start| matches!(be32(start, 8), 1 | 2) && be32(start, 12) > 0,
    },
    volume("zonefs", 0, b"SFOZ"),
    volume("NetWare (NSS)", 4096, b"SPB5"),
    volume("mpool", 0, b"mpoolDev"),
    volume("ScoutFS", 0x1_0004, b"\x8b\x42\x3c\x10"),
    volume("Ceph BlueStore", 0, b"bluestore block device"),
    volume("DRBD control volume", 0, b"$DRBDmgr=q"),
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
    checked_division("SGI disk label", At::Start(0), b"\x0b\xe5\xa9\x41", |start| {
        let words = start.first_chunk::<512>().map(|sector| sector.chunks_exact(4));
        words.is_some_and(|words| words.fold(0_u32, |sum, word| sum.wrapping_add(be32(word, 0))) == 0)
    }),
    checked_division("Sun disk label", At::Start(508), b"\xda\xbe", |start| {
        let words = start.first_chunk::<512>().map(|sector| sector.chunks_exact(2));
        words.is_some_and(|words| words.fold(0, |sum, word| sum ^ le16(word, 0)) == 0)
    }),
    checked_division("Atari partitions", At::Start(0), b"", is_atari),
    // Labels of mainframes' disks, in EBCDIC: VOL1, LNX1, CMS1 in block 2.
    division("DASD label", At::Start(8192), b"\xe5\xd6\xd3\xf1\xe5\xd6\xd3\xf1"),
    division("DASD label", At::Start(8192), b"\xd3\xd5\xe7\xf1"),
    division("DASD label", At::Start(8192), b"\xc3\xd4\xe2\xf1"),
    division("DASD label", At::Start(1024), b"\xd3\xd5\xe7\xf1"),
    division("DASD label", At::Start(1024), b"\xc3\xd4\xe2\xf1"),
    array("RAID (DDF)", 512, b"\xde\x11\xde\x11"),
    array("RAID (Intel)", 1024, b"Intel Raid ISM Cfg Sig. "),
    array("Linux RAID (md)", 8192, b"\xfc\x4e\x2b\xa9\x01\0\0\0"),
    array("RAID (Adaptec)", 512, b"\x37\xfc\x4d\x1e"),
    array("RAID (LSI)", 512, b"$XIDE$"),
    array("RAID (NVIDIA)", 1024, b"NVIDIA  "),
    array("RAID (HighPoint)", 5632, b"\xf3\x16\x78\x5a"),
    array("RAID (HighPoint)", 5632, b"\xfd\x16\x78\x5a"),
    division("RAID (HighPoint)", At::Start(4640), b"\xf0\x16\x78\x5a"),
    division("RAID (HighPoint)", At::Start(4640), b"\xfd\x16\x78\x5a"),
    array("RAID (Promise)", 63 * 512, PROMISE),
    array("RAID (Promise)", 255 * 512, PROMISE),
    array("RAID (Promise)", 256 * 512, PROMISE),
    array("RAID (Promise)", 16 * 512, PROMISE),
    array("RAID (Promise)", 399 * 512, PROMISE),
    checked_division("RAID (JMicron)", At::End(512), b"JM", |tail| {
        let sum = tail.chunks_exact(2).fold(0_u16, |sum, word| sum.wrapping_add(le16(word, 0)));
        tail.len() == TAIL && sum <= 1
    }),
    checked_division("RAID (VIA)", At::End(512), b"\x55\xaa", |tail| {
        let sum = tail.iter().take(50).fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        matches!(tail.get(2), Some(0..=2)) && tail.get(50) == Some(&sum) && tail[4..50] != [0; 46]
    }),
    checked_division("RAID (Silicon Image)", At::End(512), b"", |tail| {
        tail.get(0x60..0x64) == Some(b"\0\0\0\x2f")
            && tail[..0x60].iter().any(|byte| byte.is_ascii_alphanumeric())
            && le16(tail, 0) != 0
    }),
    array("DRBD", 4036, b"\x83\x74\x02\x6b"),
    array("DRBD", 4036, b"\x83\x74\x02\x6d"),
];

/// A member of SEA's ARC: a method, a name that ends, and a date that is possible.
fn is_arc(start: &[u8]) -> bool {
    let name = start.get(2..15).unwrap_or_default();
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(0);
    let is_name = end > 0 && name[..end].iter().all(|byte| byte.is_ascii_graphic() && !b"/\\:*?\"<>|".contains(byte));
    let date = le16(start, 19);
    let is_date = (1..=12).contains(&(date >> 5 & 15)) && date & 31 > 0;
    start.len() >= 29 && matches!(start[1], 1..=11) && is_name && is_date && !is_terminfo(start)
}

/// A compiled description of a terminal (term(5)), which begins with the bytes of ARC's first
/// method: its names, as long as it says, behind six numbers.
fn is_terminfo(start: &[u8]) -> bool {
    let length = usize::from(le16(start, 2));
    let names = start.get(12..12 + length).and_then(|names| names.split_last());
    start.starts_with(b"\x1a\x01")
        && names.is_some_and(|(end, names)| *end == 0 && names.iter().all(|byte| matches!(byte, b' '..=b'~')))
}

/// The root sector of a disk of Atari: no magic, the size of the disk, and up to four entries of a
/// kind in three letters, within it.
fn is_atari(start: &[u8]) -> bool {
    const KINDS: [&[u8]; 8] = [b"GEM", b"BGM", b"XGM", b"LNX", b"RAW", b"SWP", b"MIX", b"MIN"];
    let disk = u64::from(be32(start, 0x1c2));
    let mut entries = start.get(0x1c6..0x1f6).unwrap_or_default().chunks_exact(12).filter(|entry| entry[0] & 1 != 0);
    let is_whole = |entry: &[u8]| {
        let [from, length] = [4, 8].map(|at| u64::from(be32(entry, at)));
        KINDS.contains(&&entry[1..4]) && from > 0 && length > 0 && from + length <= disk
    };
    entries.clone().count() > 0 && entries.all(is_whole)
}

/// The header's CRC-32, which is taken over zeros in its own place.
fn is_uboot(start: &[u8]) -> bool {
    let Some(mut header) = start.first_chunk::<64>().copied() else { return false };
    let stated = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    header[4..8].fill(0);
    crc32fast::hash(&header) == stated
}

/// The header's length and CRC-32.
pub(crate) fn is_arj(start: &[u8]) -> bool {
    let length = usize::from(le16(start, 2));
    let header = start.get(4..4 + length).filter(|_| (30..=2600).contains(&length));
    header.is_some_and(|header| start.len() >= 8 + length && crc32fast::hash(header) == le32(start, 4 + length))
}
