//! The one table of formats that are recognised and not read: archives, images, backups, volumes.
//! Commands that take an image are refused by the rows of images as well ([`crate::foreign`]).

mod row;
mod table;

use crate::field::{le16, le32, le64};
pub use row::{At, Holds, Signature, TAIL};
pub use table::TABLE;
pub(crate) use table::is_arj;

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
    fn a_compiled_terminal_is_no_arc() {
        // `A.TXT`, packed, of 1988; and terminals, whose lengths may look like a name.
        let arc = [b"\x1a\x03A.TXT\0\0\0\0\0\0\0\0\x20\0\0\0".as_slice(), &[0x21, 0x11, 0, 0], &[0; 16]].concat();
        assert_eq!(files_in(&arc), Some("ARC"));
        for names in ["vt|t", "=|a terminal of the tests with a long name"] {
            let length = u16::try_from(names.len() + 1).unwrap().to_le_bytes();
            let terminal =
                [b"\x1a\x01", &length[..], &[0x26, 0, 0x0f, 0, 0x9d, 1, 0x21, 0x11], names.as_bytes(), &[0; 40]]
                    .concat();
            assert_eq!(files_in(&terminal), None, "{names}");
        }
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
