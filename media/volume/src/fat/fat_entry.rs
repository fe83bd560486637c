//! Directories of FAT: short names, and the long names that stand before them.

use super::entry::{Entry, EntryItem};
use pfh_bytes::field::{byte, le16, le32};
use pfh_bytes::node::Times;
use pfh_bytes::text::utf16;
use pfh_bytes::time::dos;

const DELETED: u8 = 0xe5;
const LABEL: u8 = 0x08;
const DIRECTORY: u8 = 0x10;
const LONG: u8 = 0x0f;

/// Puts records together, one directory long.
#[derive(Default)]
pub struct FatEntries {
    /// Parts of a long name, the last part of the name first, with their record's first byte and
    /// checksum.
    parts: Vec<(u8, u8, [u16; 13])>,
    /// Whether clusters have more than 16 bits.
    pub is_32: bool,
    /// Whether the end of the directory was met: the records behind it may hold any bytes.
    pub is_behind: bool,
}

impl FatEntries {
    /// Takes the next record, which stands at `offset`.
    pub fn read(&mut self, raw: &[u8; 32], offset: u64) -> Option<EntryItem> {
        let (first, attributes) = (raw[0], raw[11]);
        if first == 0 && !self.is_behind {
            self.parts.clear();
            return Some(EntryItem::End(offset));
        }
        if self.is_behind && attributes & 0x3f != LONG && !is_plausible(raw) {
            self.parts.clear();
            return None;
        }
        if attributes & 0x3f == LONG {
            if le16(raw, 26) != 0 && first != DELETED && !self.is_behind {
                return Some(EntryItem::Wrong(offset, "a part of a long name that has a cluster"));
            }
            let places = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];
            self.parts.push((first, raw[13], places.map(|at| le16(raw, at))));
            // No name has more than twenty parts: those before belong to nothing.
            if self.parts.len() > 20 {
                self.parts.remove(0);
            }
            return None;
        }
        let parts = std::mem::take(&mut self.parts);
        let is_deleted = first == DELETED;
        let high = if self.is_32 { u32::from(le16(raw, 20)) << 16 } else { 0 };
        let cluster = u32::from(le16(raw, 26)) | high;
        // A label has no bytes: with some it is a file that calls itself one.
        if attributes & LABEL != 0 && (cluster == 0 || self.is_behind) {
            let label = raw[..11].trim_ascii_end().to_vec();
            return (!is_deleted).then_some(EntryItem::Label(label));
        }
        let short = short_name(raw);
        if short == b"." || short == b".." {
            return None;
        }
        let name = long_name(&parts, raw, is_deleted).unwrap_or(short);
        let size = u64::from(le32(raw, 28));
        Some(EntryItem::Entry(Entry {
            name,
            is_directory: attributes & (DIRECTORY | LABEL) == DIRECTORY,
            first: cluster,
            size,
            valid: size,
            is_contiguous: false,
            times: Times {
                modified: dos(le16(raw, 24), le16(raw, 22), 0),
                accessed: dos(le16(raw, 18), 0, 0),
                born: dos(le16(raw, 16), le16(raw, 14), raw[13]),
                ..Times::default()
            },
            is_deleted,
            is_behind: self.is_behind && !is_deleted,
            offset,
        }))
    }
}

/// The short name with its dot, in lower case where Windows NT notes so. The code page of its
/// letters is stated nowhere: they stay bytes. The first letter of a deleted one is lost.
fn short_name(raw: &[u8; 32]) -> Vec<u8> {
    let lower = |part: &[u8], is_lower: bool| {
        let part = part.trim_ascii_end();
        if is_lower { part.to_ascii_lowercase() } else { part.to_vec() }
    };
    let mut name = lower(&raw[..8], raw[12] & 0x08 != 0);
    match name.first_mut() {
        Some(first) if matches!(*first, 0 | DELETED) => *first = b'_',
        Some(first) if *first == 5 => *first = DELETED,
        _ => {}
    }
    let extension = lower(&raw[8..11], raw[12] & 0x10 != 0);
    if !extension.is_empty() {
        name.push(b'.');
        name.extend(extension);
    }
    name
}

/// Whether a record behind the end of a directory is one of a file: the letters of a short name
/// (the first may be lost), attributes and dates that are possible.
fn is_plausible(raw: &[u8; 32]) -> bool {
    let is_letter = |byte: u8| byte >= 0x20 && byte != 0x7f && !br#""*+,./:;<=>?[\]|"#.contains(&byte);
    let is_date = |date: u16| date == 0 || (1..=12).contains(&(date >> 5 & 15)) && date & 31 > 0;
    let name = raw[1..11].iter().all(|&byte| is_letter(byte) && !byte.is_ascii_lowercase());
    let first = matches!(raw[0], 0 | 5) || is_letter(raw[0]);
    // A dot record of a directory that lay here says nothing of a name.
    let dots = raw[0] == b'.' && raw[2..11].iter().all(|&byte| byte == b' ');
    let is_empty = raw[..11].iter().all(|&byte| matches!(byte, 0 | b' '));
    let fields = raw[11] & 0xc0 == 0 && raw[12] & !0x18 == 0;
    (name && first && !is_empty || dots) && fields && [16, 18, 24].into_iter().all(|at| is_date(le16(raw, at)))
}

fn checksum(raw: &[u8; 32]) -> u8 {
    raw[..11].iter().fold(0_u8, |sum, &byte| sum.rotate_right(1).wrapping_add(byte))
}

/// The long name that belongs to a short one; `None` if the parts are those of another.
fn long_name(parts: &[(u8, u8, [u16; 13])], raw: &[u8; 32], is_deleted: bool) -> Option<Vec<u8>> {
    let sum = parts.last()?.1;
    let own: Vec<_> =
        parts.iter().rev().take_while(|part| part.1 == sum && (part.0 == DELETED) == is_deleted).collect();
    let count = if is_deleted {
        own.len()
    } else {
        let last = own.iter().position(|part| part.0 & 0x40 != 0)?;
        let is_in_order = own[..=last].iter().enumerate().all(|(index, part)| usize::from(part.0 & 0x1f) == index + 1);
        (sum == checksum(raw) && is_in_order).then_some(last + 1)?
    };
    let units: Vec<u16> = own[..count].iter().flat_map(|part| part.2).take_while(|&unit| unit != 0).collect();
    (!units.is_empty() && byte(raw, 0) != 0).then(|| utf16(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &[u8; 11]) -> [u8; 32] {
        let mut raw = [0; 32];
        raw[..11].copy_from_slice(name);
        raw
    }

    #[test]
    fn names() {
        let mut raw = record(b"README  TXT");
        raw[12] = 0x08;
        assert_eq!(short_name(&raw), b"readme.TXT");
        assert_eq!(short_name(&record(b"\x05BC        ")), b"\xe5BC");
        assert_eq!(short_name(&record(b"\xe5BC     D  ")), b"_BC.D");
        let raw = record(b"LONGNA~1TXT");
        let mut part = [0xffff; 13];
        part[..3].copy_from_slice(&[0x61, 0xe9, 0]);
        assert_eq!(long_name(&[(0x41, checksum(&raw), part)], &raw, false).unwrap(), "aé".as_bytes());
        assert_eq!(long_name(&[(0x41, 1, part)], &raw, false), None);
        assert_eq!(long_name(&[(0x42, checksum(&raw), part)], &raw, false), None);
    }
}
