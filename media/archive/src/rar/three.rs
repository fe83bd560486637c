//! Headers of RAR 1.5 to 4: blocks of 16-bit sizes, each with the low half of its CRC-32.

use super::entry::{Entry, EntryKind, Volume, rest};
use super::solid::Method;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, le16, le32, read};
use pfh_bytes::node::Failure;
use pfh_bytes::text::{units, utf16};

/// The first bytes of an archive.
pub const MAGIC: &[u8] = b"Rar!\x1a\x07\0";

const MAIN: u8 = 0x73;
const FILE: u8 = 0x74;
const SERVICE: u8 = 0x7a;
const END: u8 = 0x7b;
/// Bytes of a file's header without its name.
const FIXED: usize = 32;
/// Bytes of the windows of RAR 2, and of RAR 3 and 4.
const WINDOWS: [u64; 2] = [1 << 20, 4 << 20];

/// Whether an archive with these first bytes is one of several volumes.
pub fn is_volume(start: &[u8]) -> Option<bool> {
    let header = start.strip_prefix(MAGIC)?;
    (byte(header, 2) == MAIN).then(|| le16(header, 3) & 1 != 0)
}

/// A block; where the next one is, `None` behind the last.
pub fn block(bytes: &dyn Bytes, at: u64, end: u64, volume: &mut Volume) -> Result<Option<u64>, Failure> {
    let fail = |cause: &str| Err(Failure { offset: Some(at), cause: cause.into(), ..Failure::default() });
    if end - at < 7 {
        rest(bytes, at, end, volume);
        return Ok(None);
    }
    let start = read(bytes, at, 7)?;
    let (sum, kind, flags, size) = (le16(&start, 0), start[2], le16(&start, 3), usize::from(le16(&start, 5)));
    if start.iter().all(|byte| *byte == 0) {
        rest(bytes, at, end, volume);
        return Ok(None);
    }
    if size < 7 || at + size as u64 > end {
        return fail("a header that is cut off, or of an impossible size: nothing behind it is read");
    }
    let header = read(bytes, at, size)?;
    if matches!(kind, MAIN | FILE | SERVICE | END) && !has_sum(&header, kind, flags, sum) {
        return fail("a header whose CRC does not hold: nothing behind it is read");
    }
    let mut next = at + size as u64;
    match kind {
        MAIN if flags & 0x80 != 0 => return fail("its headers are encrypted: not even names can be read"),
        FILE | SERVICE => {
            let more = if flags & 0x100 != 0 { u64::from(le32(&header, FIXED)) << 32 } else { 0 };
            let stored = more | u64::from(le32(&header, 7));
            let data = next;
            next = data.checked_add(stored).filter(|next| *next <= end).unwrap_or(end);
            let is_cut = next - data < stored;
            if let Some(mut entry) = entry(&header, at, volume) {
                entry.packed.pieces.push((data, next));
                if is_cut {
                    let cause = "a member that leads out of the archive: it is cut off".to_owned();
                    volume.entries.push(Err(Failure {
                        path: entry.path,
                        offset: Some(at),
                        cause,
                        ..Failure::default()
                    }));
                } else {
                    volume.entries.push(Ok(entry));
                }
            } else if is_cut {
                volume.fail(at, "a block that leads out of the archive: it is cut off");
            }
        }
        END => {
            volume.goes_on = flags & 1 != 0;
            rest(bytes, next, end, volume);
            return Ok(None);
        }
        _ => {
            let more = if flags & 0x8000 != 0 { u64::from(le32(&header, 7)) } else { 0 };
            next = next.checked_add(more).filter(|next| *next <= end).unwrap_or(u64::MAX);
            if next == u64::MAX {
                return fail("a block that leads out of the archive: it is cut off");
            }
        }
    }
    Ok(Some(next))
}

/// Whether the CRC is that of the header; old comments in it are not counted.
fn has_sum(header: &[u8], kind: u8, flags: u16, sum: u16) -> bool {
    let is = |end: usize| header.get(2..end).is_some_and(|part| crc32fast::hash(part) as u16 == sum);
    let short = match kind {
        MAIN if flags & 2 != 0 => 13,
        FILE if flags & 8 != 0 => FIXED + usize::from(le16(header, 26)) + if flags & 0x100 != 0 { 8 } else { 0 },
        _ => header.len(),
    };
    is(header.len()) || is(short)
}

/// The member of a header; `None` for another header.
fn entry(header: &[u8], at: u64, volume: &Volume) -> Option<Entry> {
    let flags = le16(header, 3);
    let (kind, host, version, method) = (header[2], byte(header, 15), byte(header, 24), byte(header, 25));
    let mut place = FIXED;
    let mut size = u64::from(le32(header, 11));
    let mut is_unknown = size == 0xffff_ffff;
    if flags & 0x100 != 0 {
        let high = le32(header, FIXED + 4);
        is_unknown &= high == u32::MAX;
        size |= u64::from(high) << 32;
        place += 8;
    } else {
        is_unknown &= flags & 0x100 == 0;
    }
    let name_end = place + usize::from(le16(header, 26));
    let raw = header.get(place..name_end.min(header.len())).unwrap_or_default();
    let mut entry = Entry::new(at);
    entry.path = if flags & 0x200 != 0 && kind == FILE { unicode(raw) } else { raw.to_vec() };
    entry.path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    let attributes = le32(header, 28);
    let mode = if host == 3 { attributes >> 12 & 0xf } else { 0 };
    if flags & 0xe0 == 0xe0 || mode == 4 || host < 3 && version < 20 && attributes & 0x10 != 0 {
        entry.what = EntryKind::Directory;
    } else if mode == 10 {
        entry.what = EntryKind::LinkWithin;
    }
    while entry.what == EntryKind::Directory && entry.path.last() == Some(&b'/') {
        entry.path.pop();
    }
    entry.packed.method = match (method, version) {
        (0x30, _) => Method::Stored,
        (0x31..=0x35, 20..=28) => Method::Two,
        (0x31..=0x35, 29..=40) => Method::Three,
        _ => Method::Unread(u32::from(version) << 8 | u32::from(method)),
    };
    entry.packed.window = WINDOWS[usize::from(version >= 29)];
    entry.packed.size = (!is_unknown).then_some(size);
    entry.is_solid = flags & 0x10 != 0 && kind == FILE;
    entry.is_encrypted = flags & 4 != 0;
    entry.crc = Some(le32(header, 16));
    (entry.begins_before, entry.goes_on) = (flags & 1 != 0, flags & 2 != 0);
    let salt = if flags & 0x400 != 0 { 8 } else { 0 };
    if kind == SERVICE {
        if raw != b"STM" {
            return None;
        }
        // A further stream of the file before; its name is behind that of the block.
        let name = header.get(name_end..header.len() - salt).unwrap_or_default();
        let name = if flags & 0x200 != 0 { utf16(&units(name)) } else { name.to_vec() };
        let of = volume.entries.iter().rev().flatten().find(|entry| entry.what != EntryKind::Stream)?;
        entry.path = [&of.path[..], b":", name.strip_prefix(b":").unwrap_or(&name)].concat();
        entry.what = EntryKind::Stream;
        return Some(entry);
    }
    // Its times have no zone: left out, as those of zips.
    Some(entry)
}

/// A name in two forms: bytes, and behind a zero the changes that make UTF-16 of them; or UTF-8
/// alone.
fn unicode(raw: &[u8]) -> Vec<u8> {
    let Some(end) = raw.iter().position(|byte| *byte == 0) else { return raw.to_vec() };
    let (plain, packed) = (&raw[..end], &raw[end + 1..]);
    let mut packed = packed.iter().copied();
    let high = u16::from(packed.next().unwrap_or(0)) << 8;
    let mut name: Vec<u16> = Vec::new();
    let mut flags = 0;
    let mut left = 0;
    let plain_at = |at: usize| plain.get(at).map(|byte| u16::from(*byte));
    loop {
        if left == 0 {
            let Some(next) = packed.next() else { break };
            (flags, left) = (next, 4);
        }
        let mode = flags >> 6;
        flags <<= 2;
        left -= 1;
        let Some(first) = packed.next() else { break };
        match mode {
            0 => name.push(first.into()),
            1 => name.push(high | u16::from(first)),
            2 => name.push(u16::from(first) | u16::from(packed.next().unwrap_or(0)) << 8),
            _ => {
                let more = if first & 0x80 != 0 { packed.next() } else { None };
                for _ in 0..(first & 0x7f) + 2 {
                    let Some(letter) = plain_at(name.len()) else { break };
                    name.push(more.map_or(letter, |more| high | (letter + u16::from(more)) & 0xff));
                }
            }
        }
    }
    if name.is_empty() { plain.to_vec() } else { utf16(&name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_two_forms() {
        assert_eq!(unicode(b"plain"), b"plain");
        // A plain letter, one with the high byte, one of two bytes, and a run of plain ones.
        let packed = b"a?c.txt\0\x04\x1ba\x30\x2c\x20\x02";
        assert_eq!(unicode(packed), "aа\u{202c}.txt".as_bytes());
    }
}
