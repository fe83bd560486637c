//! Rock Ridge (IEEE P1282): POSIX names, links and times behind the records of ISO 9660.

use std::collections::HashSet;
use std::ops::Range;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, le16, le32, read};
use pfh_bytes::node::{Failure, Times};
use pfh_bytes::time::{digits, zoned};

/// The most continuation areas of one record.
const MOST_AREAS: usize = 64;

/// The Rock Ridge fields of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RockRidge {
    pub name: Vec<u8>,
    pub mode: Option<u32>,
    pub target: Option<Vec<u8>>,
    pub times: Times,
    /// The directory was moved, and stands at this block.
    pub moved_to: Option<u32>,
    /// The name is only where a moved directory was put.
    pub is_moved: bool,
    /// The content is compressed (zisofs).
    pub is_packed: bool,
}

/// Bytes to be left out before Rock Ridge, from the first record of the root; `None` without Rock
/// Ridge.
pub fn skip(system: &[u8]) -> Option<usize> {
    // Discs in CD-ROM XA have 14 bytes of their own before.
    let at = [0, 14].into_iter().find(|&at| system.get(at..at + 2) == Some(b"SP") && le16(system, at + 4) == 0xefbe)?;
    Some(usize::from(byte(system, at + 6)))
}

/// Reads the Rock Ridge fields behind a record, with the areas that they continue in.
///
/// # Errors
/// If an area cannot be read, or leads to itself.
pub fn rock_ridge(bytes: &dyn Bytes, block_size: u64, system: &[u8]) -> Result<RockRidge, Failure> {
    let mut found = RockRidge::default();
    let mut link = Link::default();
    let mut area = system.to_vec();
    let mut visited = HashSet::new();
    loop {
        let mut next = None;
        let mut at = 0;
        while at + 4 <= area.len() {
            let length = usize::from(byte(&area, at + 2));
            let Some(entry) = area.get(at..at + length).filter(|entry| entry.len() >= 4) else { break };
            match &entry[..2] {
                b"CE" => next = Some((le32(entry, 4), le32(entry, 12), le32(entry, 20))),
                b"ST" => break,
                _ => found.take(entry, &mut link),
            }
            at += length;
        }
        let Some((block, from, length)) = next else { break };
        let offset = u64::from(block) * block_size + u64::from(from);
        if !visited.insert(offset) || visited.len() > MOST_AREAS || length > 1 << 16 {
            let cause = "the areas that a Rock Ridge record continues in contradict themselves";
            return Err(pfh_bytes::field::failure(Some(offset), cause));
        }
        area = read(bytes, offset, length as usize)?;
    }
    if link.is_one {
        found.target = Some(link.target);
    }
    Ok(found)
}

/// The areas that a record goes on in, as bytes of the disc, as far as they can be read.
pub fn areas(bytes: &dyn Bytes, block_size: u64, system: &[u8]) -> Vec<Range<u64>> {
    let (mut found, mut area): (Vec<Range<u64>>, _) = (Vec::new(), system.to_vec());
    while found.len() < MOST_AREAS {
        let mut at = 0;
        let mut next = None;
        while let Some(entry) = area.get(at..at + usize::from(byte(&area, at + 2)).max(4)) {
            match &entry[..2] {
                b"CE" if entry.len() >= 28 => next = Some((le32(entry, 4), le32(entry, 12), le32(entry, 20))),
                b"ST" => break,
                _ => {}
            }
            at += entry.len();
        }
        let Some((block, from, length)) = next.filter(|(_, _, length)| *length <= 1 << 16) else { break };
        let start = u64::from(block) * block_size + u64::from(from);
        let Ok(read) = read(bytes, start, length as usize) else { break };
        found.push(start..start + u64::from(length));
        area = read;
    }
    found
}

/// A target while its parts come in.
#[derive(Default)]
struct Link {
    target: Vec<u8>,
    is_one: bool,
    /// Whether the next part belongs to the same component.
    continues: bool,
}

impl Link {
    fn take(&mut self, entry: &[u8]) {
        self.is_one = true;
        let mut at = 5;
        while at + 2 <= entry.len() {
            let (flags, length) = (entry[at], usize::from(entry[at + 1]));
            let text = match flags & 0x0e {
                2 => b".",
                4 => &b".."[..],
                _ => entry.get(at + 2..at + 2 + length).unwrap_or_default(),
            };
            if flags & 8 != 0 {
                self.target = b"/".to_vec();
            } else {
                if !self.continues && !self.target.is_empty() && !self.target.ends_with(b"/") {
                    self.target.push(b'/');
                }
                self.target.extend_from_slice(text);
            }
            self.continues = flags & 1 != 0;
            at += 2 + length;
        }
    }
}

impl RockRidge {
    fn take(&mut self, entry: &[u8], link: &mut Link) {
        match &entry[..2] {
            b"NM" => self.name.extend_from_slice(entry.get(5..).unwrap_or_default()),
            b"PX" => self.mode = Some(le32(entry, 4)),
            b"SL" => link.take(entry),
            b"CL" => self.moved_to = Some(le32(entry, 4)),
            b"RE" => self.is_moved = true,
            b"ZF" => self.is_packed = true,
            b"TF" => self.take_times(entry),
            _ => {}
        }
    }

    fn take_times(&mut self, entry: &[u8]) {
        let flags = byte(entry, 4);
        let length = if flags & 0x80 != 0 { 17 } else { 7 };
        let mut rest = entry.get(5..).unwrap_or_default();
        let times = &mut self.times;
        for (bit, slot) in
            [&mut times.born, &mut times.modified, &mut times.accessed, &mut times.changed].into_iter().enumerate()
        {
            if flags >> bit & 1 == 1 && rest.len() >= length {
                let (raw, more) = rest.split_at(length);
                *slot = if length == 7 { zoned(raw) } else { digits(raw) };
                rest = more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_links_in_parts() {
        let mut raw = b"NM\x08\x01\x01abcNM\x07\x01\x00de".to_vec();
        raw.extend(b"SL\x0c\x01\x00\x08\x00\x01\x03usr");
        raw.extend(b"SL\x0d\x01\x00\x00\x01/\x04\x00\x00\x01x");
        let found = rock_ridge(&Vec::new(), 2048, &raw).unwrap();
        assert_eq!(found.name, b"abcde");
        assert_eq!(found.target.unwrap(), b"/usr/../x");
        // An area that continues in itself.
        let mut disc = vec![0; 4096];
        disc[..4].copy_from_slice(b"CE\x1c\x01");
        disc[20..24].copy_from_slice(&28_u32.to_le_bytes());
        let hostile = disc[..28].to_vec();
        rock_ridge(&disc, 2048, &hostile).unwrap_err();
    }
}
