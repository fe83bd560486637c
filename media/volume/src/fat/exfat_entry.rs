//! Directories of exFAT: sets of records.

use super::entry::{Entry, EntryItem};
use pfh_bytes::field::{byte, le16, le32, le64};
use pfh_bytes::node::Times;
use pfh_bytes::text::utf16;
use pfh_bytes::time::dos;

/// The bit of a record's type that says that it is in use.
const IN_USE: u8 = 0x80;

/// Puts records together, one directory long.
#[derive(Default)]
pub struct ExfatEntries {
    /// A set that is not whole yet, with the place of its first record.
    set: Vec<[u8; 32]>,
    offset: u64,
    wanted: usize,
    /// Whether the end of the directory was met: the records behind it may hold any bytes.
    pub is_behind: bool,
}

impl ExfatEntries {
    /// Takes the next record, which stands at `offset`.
    pub fn read(&mut self, raw: &[u8; 32], offset: u64) -> Option<EntryItem> {
        let kind = raw[0];
        if kind == 0 {
            self.set.clear();
            return (!self.is_behind).then_some(EntryItem::End(offset));
        }
        let is_secondary = kind & 0x40 != 0;
        if is_secondary {
            if self.set.is_empty() || (self.set[0][0] ^ kind) & IN_USE != 0 {
                self.set.clear();
                return (self.is_behind && matches!(kind, 0xc0 | 0xc1)).then_some(EntryItem::Remains);
            }
            self.set.push(*raw);
            if self.set.len() <= self.wanted {
                return None;
            }
            let set = std::mem::take(&mut self.set);
            return self.entry(&set);
        }
        let cut = std::mem::take(&mut self.set);
        let wrong = cut.first().filter(|first| first[0] & IN_USE != 0).map(|_| self.offset);
        match kind {
            0x85 | 0x05 => {
                self.set.push(*raw);
                self.offset = offset;
                self.wanted = usize::from(raw[1]);
            }
            0x81 => return Some(EntryItem::Bitmap(le32(raw, 20), le64(raw, 24))),
            0x82 => return Some(EntryItem::Letters(le32(raw, 20), le64(raw, 24))),
            0x83 => {
                let units: Vec<u16> = (0..usize::from(raw[1]).min(11)).map(|unit| le16(raw, 2 + 2 * unit)).collect();
                return Some(EntryItem::Label(utf16(&units)));
            }
            _ => {}
        }
        wrong.map(|offset| EntryItem::Wrong(offset, "a set of records is cut short"))
    }

    /// The file of a whole set. A deleted one that contradicts itself is left out.
    fn entry(&self, set: &[[u8; 32]]) -> Option<EntryItem> {
        let (file, stream) = (&set[0], &set[1]);
        let is_deleted = file[0] & IN_USE == 0;
        let wrong = |cause| (!is_deleted).then_some(EntryItem::Wrong(self.offset, cause));
        if stream[0] | IN_USE != 0xc0 {
            return wrong("a set of records has no place of the file");
        }
        let mut sum = 0_u16;
        for (at, &byte) in set.iter().flatten().enumerate() {
            // The checksum is that of the set while it was in use.
            let byte = if at % 32 == 0 { byte | IN_USE } else { byte };
            if !matches!(at, 2 | 3) {
                sum = sum.rotate_right(1).wrapping_add(u16::from(byte));
            }
        }
        if sum != le16(file, 2) {
            return wrong("the checksum of a set of records is wrong");
        }
        let length = usize::from(stream[3]);
        let names = set[2..].iter().take_while(|record| record[0] | IN_USE == 0xc1);
        let units: Vec<u16> =
            names.flat_map(|record| (1..16).map(|unit| le16(record, 2 * unit))).take(length).collect();
        if units.len() != length || length == 0 {
            return wrong("a name is shorter than its length");
        }
        let (size, valid) = (le64(stream, 24), le64(stream, 8));
        if valid > size {
            return wrong("a file has more valid bytes than bytes");
        }
        Some(EntryItem::Entry(Entry {
            name: utf16(&units),
            is_directory: le16(file, 4) & 0x10 != 0,
            first: le32(stream, 20),
            size,
            valid,
            is_contiguous: stream[1] & 2 != 0,
            times: Times {
                born: time(le32(file, 8), byte(file, 20), byte(file, 22)),
                modified: time(le32(file, 12), byte(file, 21), byte(file, 23)),
                accessed: time(le32(file, 16), 0, byte(file, 24)),
                ..Times::default()
            },
            is_deleted,
            is_behind: self.is_behind && !is_deleted,
            offset: self.offset,
        }))
    }
}

/// Date and time, hundredths, and the distance to UTC in quarters of an hour where it is known.
fn time(stamp: u32, hundredths: u8, zone: u8) -> Option<i128> {
    let local = dos((stamp >> 16) as u16, stamp as u16, hundredths)?;
    let quarters = if zone & 0x80 != 0 { i128::from(((zone << 1).cast_signed()) >> 1) } else { 0 };
    Some(local - quarters * 900 * 1_000_000_000)
}
