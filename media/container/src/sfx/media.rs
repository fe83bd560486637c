//! Where sound, films, icons, TIFF and databases end, by their own marks and tables.

use super::cursor::{Cursor, LONGEST};
use crate::Bytes;
use crate::field::{array, be16, be32, be64, le16, le32};

/// Bytes of the end in which the last page or frame is looked for.
const TAIL: u64 = 64 << 10;
/// The most directories, tables or boxes that are followed.
const MOST: usize = 4096;

/// A kind of file that says where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Boxes: MP4, QuickTime, HEIF, JPEG 2000.
    Boxes,
    Icon,
    Tiff,
    /// Frames of MPEG audio, perhaps behind ID3.
    Frames,
    Ogg,
    Sqlite,
    /// Elements: Matroska, WebM.
    Elements,
    /// Sectors of OLE.
    Compound,
}

fn kind(start: &[u8]) -> Option<Kind> {
    const BOXES: [&[u8]; 7] = [b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"jP  "];
    let is_box = start.get(4..8).is_some_and(|kind| BOXES.contains(&kind));
    let icons = usize::from(le16(start, 4));
    Some(match start {
        _ if is_box => Kind::Boxes,
        [0, 0, 1 | 2, 0, ..] if (1..=64).contains(&icons) && start.get(9) == Some(&0) => Kind::Icon,
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Kind::Tiff,
        [b'I', b'D', b'3', 2..=4, ..] => Kind::Frames,
        [0xff, 0xe2..=0xff, ..] if frame(start).is_some() => Kind::Frames,
        [b'O', b'g', b'g', b'S', 0, ..] => Kind::Ogg,
        _ if start.starts_with(b"SQLite format 3\0") && be32(start, 28) > 0 => Kind::Sqlite,
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Kind::Elements,
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Kind::Compound,
        _ => return None,
    })
}

/// Whether such a file begins so.
pub fn is_one(start: &[u8]) -> bool {
    kind(start).is_some()
}

/// Where it ends; `None` if that is the end of the file, or not known.
pub fn end(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    let end = match kind(start)? {
        Kind::Boxes => boxes(bytes),
        Kind::Icon => Some(icon(start)),
        Kind::Tiff => tiff(start, bytes),
        Kind::Frames => frames(start, bytes),
        Kind::Ogg => ogg(bytes),
        Kind::Sqlite => {
            let page = u64::from(be16(start, 16));
            Some(u64::from(be32(start, 28)) * if page == 1 { 65536 } else { page })
        }
        Kind::Elements => elements(bytes),
        Kind::Compound => compound(start, bytes),
    };
    end.filter(|end| (16..bytes.size()).contains(end))
}

fn get<const N: usize>(bytes: &dyn Bytes, at: u64) -> Option<[u8; N]> {
    let mut found = [0; N];
    bytes.read_exact_at(at, &mut found).ok().map(|()| found)
}

/// Boxes up to the first that is none (ISO 14496-12, 4.2).
fn boxes(bytes: &dyn Bytes) -> Option<u64> {
    let mut at = 0_u64;
    for _ in 0..MOST {
        let Some(head) = get::<8>(bytes, at) else { return Some(at) };
        let is_kind = head[4..].iter().all(|byte| matches!(byte, b' '..=b'~' | 0xa9));
        let size = match be32(&head, 0) {
            _ if !is_kind => return Some(at),
            0 => return None,
            1 => be64(&get::<16>(bytes, at)?, 8),
            size => u64::from(size),
        };
        at = match at.checked_add(size.max(8)) {
            Some(next) if size >= 8 && next <= bytes.size() => next,
            _ => return Some(at),
        };
    }
    None
}

fn icon(start: &[u8]) -> u64 {
    let each = (0..usize::from(le16(start, 4))).map(|index| {
        let entry = 6 + 16 * index;
        u64::from(le32(start, entry + 8)) + u64::from(le32(start, entry + 12))
    });
    each.max().unwrap_or(0)
}

/// Behind the last table, value, strip and tile (TIFF 6.0).
fn tiff(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    let is_big = start[0] == b'M';
    let short = |raw: &[u8], at: usize| u64::from(if is_big { be16(raw, at) } else { le16(raw, at) });
    let long = |raw: &[u8], at: usize| u64::from(if is_big { be32(raw, at) } else { le32(raw, at) });
    let (mut pending, mut end, mut count) = (vec![long(start, 4)], 8, 0);
    while let Some(at) = pending.pop().filter(|_| count < 64) {
        count += 1;
        let entries = short(&get::<2>(bytes, at)?, 0);
        let mut table = vec![0; 12 * entries as usize + 4];
        if bytes.read_exact_at(at + 2, &mut table).is_err() {
            continue;
        }
        end = end.max(at + 2 + table.len() as u64);
        let (mut places, mut sizes) = (Vec::new(), Vec::new());
        for entry in table.chunks_exact(12) {
            let (tag, kind, number) = (short(entry, 0), short(entry, 2), long(entry, 4));
            let width = match kind {
                1 | 2 | 6 | 7 => 1,
                3 | 8 => 2,
                5 | 10 | 12 => 8,
                _ => 4,
            };
            let held = number.saturating_mul(width);
            if held > 4 {
                end = end.max(long(entry, 8).saturating_add(held));
            }
            let few = number.min(1 << 20) as usize;
            let values = || -> Option<Vec<u64>> {
                let mut raw = vec![0; few * width as usize];
                match raw.len() {
                    length @ ..=4 => raw.copy_from_slice(&entry[8..8 + length]),
                    _ => bytes.read_exact_at(long(entry, 8), &mut raw).ok()?,
                }
                let read = |at: usize| if width == 2 { short(&raw, 2 * at) } else { long(&raw, 4 * at) };
                Some((0..few).map(read).collect())
            };
            match (tag, width) {
                // Strips, tiles and a thumbnail.
                (273 | 324 | 513, 2 | 4) => places.extend(values().unwrap_or_default()),
                (279 | 325 | 514, 2 | 4) => sizes.extend(values().unwrap_or_default()),
                // Further directories, of EXIF and GPS too.
                (330 | 34665 | 34853, 4) => pending.extend(values().unwrap_or_default()),
                _ => {}
            }
        }
        let behind = places.iter().zip(&sizes).map(|(place, size)| place.saturating_add(*size));
        end = end.max(behind.max().unwrap_or(0));
        let next = long(&table, table.len() - 4);
        pending.extend((next > 0).then_some(next));
    }
    Some(end)
}

/// The length of a frame of MPEG audio (ISO 11172-3, 2.4.1.3).
fn frame(head: &[u8]) -> Option<u64> {
    const RATES: [[u64; 15]; 5] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let [0xff, second, third, _] = array::<4>(head, 0) else { return None };
    let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
    if second & 0xe0 != 0xe0 || version == 1 || layer == 0 {
        return None;
    }
    let row = match (version == 3, layer) {
        (true, 3) => 0,
        (true, 2) => 1,
        (true, _) => 2,
        (false, 3) => 3,
        (false, _) => 4,
    };
    let rate = *RATES[row].get(usize::from(third >> 4)).filter(|rate| **rate > 0)? * 1000;
    let full = *[44100, 48000, 32000].get(usize::from(third >> 2 & 3))?;
    let samples = match version {
        3 => full,
        2 => full / 2,
        _ => full / 4,
    };
    let padding = u64::from(third >> 1 & 1);
    Some(match (layer, version) {
        (3, _) => (12 * rate / samples + padding) * 4,
        (1, 0 | 2) => 72 * rate / samples + padding,
        _ => 144 * rate / samples + padding,
    })
}

/// Behind the last frame and the tags that may follow it.
fn frames(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    let first = match start.starts_with(b"ID3") {
        true => 10 + array::<4>(start, 6).iter().fold(0, |size, byte| size << 7 | u64::from(byte & 0x7f)),
        false => 0,
    };
    if ends_with_frames(first, bytes) {
        return None;
    }
    let mut cursor = Cursor::new(bytes, first);
    // Some writers put zeros behind their tag.
    while cursor.at < first + (1 << 20) && cursor.rest(1)?.first() == Some(&0) {
        cursor.at += 1;
    }
    while cursor.at < LONGEST {
        let Some(rest) = cursor.rest(4) else { break };
        let length = match (frame(rest), rest) {
            (Some(length), _) => length,
            (None, [b'T', b'A', b'G', ..]) => 128,
            _ => break,
        };
        cursor.at += length;
    }
    Some(cursor.at)
}

/// Whether frames lead to the end, or to the tag that stands there.
fn ends_with_frames(first: u64, bytes: &dyn Bytes) -> bool {
    let from = bytes.size().saturating_sub(8192).max(first);
    let mut tail = vec![0; bytes.size().saturating_sub(from) as usize];
    if bytes.read_exact_at(from, &mut tail).is_err() {
        return false;
    }
    let end = match tail.len().checked_sub(128) {
        Some(tag) if tail[tag..].starts_with(b"TAG") => tag,
        _ => tail.len(),
    };
    (0..end).any(|begin| {
        let (mut at, mut count) = (begin, 0);
        while let Some(length) = tail.get(at..).and_then(frame).filter(|_| at < end) {
            (at, count) = (at + length as usize, count + 1);
        }
        at == end && count > 2
    })
}

/// Behind the last page (RFC 3533).
fn ogg(bytes: &dyn Bytes) -> Option<u64> {
    let page = |at: u64| -> Option<u64> {
        let head = get::<27>(bytes, at).filter(|head| head.starts_with(b"OggS\0"))?;
        let mut table = vec![0; usize::from(head[26])];
        bytes.read_exact_at(at + 27, &mut table).ok()?;
        Some(at + 27 + table.len() as u64 + table.iter().map(|length| u64::from(*length)).sum::<u64>())
    };
    let from = bytes.size().saturating_sub(TAIL);
    let mut tail = vec![0; (bytes.size() - from) as usize];
    bytes.read_exact_at(from, &mut tail).ok()?;
    let last = memchr::memmem::rfind(&tail, b"OggS\0").and_then(|at| page(from + at as u64));
    if last == Some(bytes.size()) {
        return None;
    }
    let mut at = 0;
    while let Some(next) = page(at).filter(|_| at < LONGEST) {
        at = next;
    }
    Some(at)
}

/// Elements at the top (RFC 8794); `None` if the size of one is not stated.
fn elements(bytes: &dyn Bytes) -> Option<u64> {
    let mut at = 0_u64;
    for _ in 0..MOST {
        let Some(head) = get::<12>(bytes, at) else { break };
        // The header, a segment, space, a checksum.
        if !matches!(be32(&head, 0), 0x1a45_dfa3 | 0x1853_8067) && !matches!(head[0], 0xec | 0xbf) {
            break;
        }
        let size_at = if matches!(head[0], 0xec | 0xbf) { 1 } else { 4 };
        let length = head[size_at].leading_zeros() as usize + 1;
        if length > 8 || size_at + length > 12 {
            break;
        }
        let mut raw = [0; 8];
        raw[8 - length..].copy_from_slice(&head[size_at..size_at + length]);
        let size = be64(&raw, 0) & !(1 << (7 * length));
        if size == (1 << (7 * length)) - 1 {
            return None;
        }
        at = at.checked_add((size_at + length) as u64)?.checked_add(size)?;
    }
    Some(at)
}

/// Behind the last sector in use ([MS-CFB] 2.3), by the tables that the header names.
fn compound(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    let (shift, count) = (u32::from(le16(start, 30)), le32(start, 44) as usize);
    if !matches!(shift, 9 | 12) || !(1..=109).contains(&count) {
        return None;
    }
    let (each, last) = (1_u64 << (shift - 2), le32(start, 76 + 4 * (count - 1)));
    let mut end = 0;
    for (index, sector) in (0..count).map(|index| (index as u64, le32(start, 76 + 4 * index))) {
        let mut table = vec![0; 1 << shift];
        bytes.read_exact_at((u64::from(sector) + 1) << shift, &mut table).ok()?;
        let used = table.chunks_exact(4).rposition(|entry| le32(entry, 0) != u32::MAX);
        end = used.map_or(end, |used| index * each + used as u64 + 1);
    }
    Some(((end + 1) << shift).max((u64::from(last) + 2) << shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
        [&(8 + content.len() as u32).to_be_bytes()[..], kind, content].concat()
    }

    #[test]
    fn each_ends_where_its_tables_say() {
        let film = [boxed(b"ftyp", b"isom\0\0\0\0"), boxed(b"mdat", &[7; 100])].concat();
        let sound =
            [&b"ID3\x03\0\0\0\0\0\x02zz"[..], &[&b"\xff\xfb\x90\x64"[..], &[0; 413]].concat().repeat(4)].concat();
        let page = |last: u8| [&b"OggS\0"[..], &[last], &[0; 20], b"\x01\x03abc"].concat();
        let ogg = [page(2), page(4)].concat();
        let mut database = vec![0; 1024];
        database[..18].copy_from_slice(b"SQLite format 3\0\x02\0");
        database[31] = 2;
        let film_of_elements = b"\x1a\x45\xdf\xa3\x84\x42\x86\x81\x01\x18\x53\x80\x67\x84abcd".to_vec();
        let icon = [&b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x04\0\0\0\x16\0\0\0"[..], b"abcd"].concat();
        let tiff = b"II\x2a\0\x0c\0\0\0abcd\x02\0\x11\x01\x04\0\x01\0\0\0\x2a\0\0\0\x17\x01\x03\0\x01\0\0\0\x05\0\0\0\0\0\0\0strip".to_vec();
        for (index, whole) in [film, sound, ogg, database, film_of_elements, icon, tiff].into_iter().enumerate() {
            assert!(is_one(&whole), "{index}");
            assert_eq!(end(&whole, &whole), None, "{index}: nothing is behind");
            let with = [&whole[..], b"\x01\x02behind, for some bytes"].concat();
            assert_eq!(end(&with, &with), Some(whole.len() as u64), "{index}");
            for length in 0..whole.len() {
                end(&whole[..length], &whole[..length].to_vec());
            }
        }
        assert!(!is_one(b"text that is none") && !is_one(b""));
        assert_eq!((frame(b"\xff\xfb\xf0\x64"), frame(b"\xff\xeb\x90\x64")), (None, None));
    }
}
