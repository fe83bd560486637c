//! Where a picture or a document ends, by its own marks.

use super::archives::size_of_bitmap;
use super::cursor::{Cursor, LONGEST};
use crate::Bytes;
use crate::field::{be32, le32};

/// Bytes from the end in which a document must have its mark.
const TAIL: u64 = 1 << 20;

/// Whether a picture or a document begins so.
pub fn is_one(start: &[u8]) -> bool {
    let magics = [&b"\xff\xd8\xff"[..], b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a", b"%PDF-", b"RIFF"];
    magics.iter().any(|magic| start.starts_with(magic)) || is_bitmap(start)
}

fn is_bitmap(start: &[u8]) -> bool {
    // Reserved fields, and the size of the header behind.
    start.starts_with(b"BM")
        && start.get(6..10) == Some(&[0; 4])
        && matches!(le32(start, 14), 12 | 40 | 56 | 64 | 108 | 124)
}

/// Where a picture or a document ends; `None` if that is the end of the file, or not known.
pub fn end(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    // Most end with their mark: the rest of them need not be looked through.
    let mut tail = vec![0; bytes.size().min(64) as usize];
    bytes.read_exact_at(bytes.size() - tail.len() as u64, &mut tail).ok()?;
    let is_whole = match start {
        [0xff, 0xd8, ..] => tail.ends_with(b"\xff\xd9"),
        [0x89, b'P', ..] => tail.ends_with(b"IEND\xaeB`\x82"),
        [b'%', b'P', ..] => tail.trim_ascii_end().ends_with(b"%%EOF"),
        _ => false,
    };
    if is_whole {
        return None;
    }
    let end = match start {
        [0xff, 0xd8, ..] => end_of_jpeg(bytes),
        [0x89, b'P', ..] => end_of_png(bytes),
        [b'G', b'I', ..] => end_of_gif(bytes),
        [b'B', b'M', ..] => Some(size_of_bitmap(start)),
        [b'R', b'I', ..] => Some(8 + u64::from(le32(start, 4)).next_multiple_of(2)),
        _ => end_of_pdf(bytes),
    };
    end.filter(|end| *end < bytes.size())
}

/// Segments by their lengths; coded data up to the next mark.
fn end_of_jpeg(bytes: &dyn Bytes) -> Option<u64> {
    let mut cursor = Cursor::new(bytes, 2);
    while cursor.at < LONGEST {
        let mark = cursor.rest(2)?;
        match [mark[0], mark[1]] {
            [0xff, 0xd9] => return Some(cursor.at + 2),
            [0xff, 0xff] => cursor.at += 1,
            [0xff, 0x01 | 0xd0..=0xd8] => cursor.at += 2,
            [0xff, 2..=0xff] => {
                let segment = cursor.rest(4)?;
                let (kind, length) = (segment[1], u64::from(be32(segment, 0) as u16));
                cursor.at += 2 + length.max(2);
                if kind == 0xda {
                    coded(&mut cursor)?;
                }
            }
            _ => return None,
        }
    }
    None
}

/// Goes behind coded data: to a mark that is none of a new start.
fn coded(cursor: &mut Cursor<'_>) -> Option<()> {
    loop {
        let rest = cursor.rest(2)?;
        match rest[..rest.len() - 1].iter().position(|byte| *byte == 0xff) {
            Some(at) if matches!(rest[at + 1], 0 | 0xd0..=0xd7) => cursor.at += at as u64 + 2,
            Some(at) => {
                cursor.at += at as u64;
                return Some(());
            }
            None => cursor.at += rest.len() as u64 - 1,
        }
    }
}

fn end_of_png(bytes: &dyn Bytes) -> Option<u64> {
    let mut at = 8_u64;
    loop {
        let mut chunk = [0; 8];
        bytes.read_exact_at(at, &mut chunk).ok()?;
        at = at.checked_add(12 + u64::from(be32(&chunk, 0)))?;
        if &chunk[4..] == b"IEND" {
            return Some(at);
        }
    }
}

fn end_of_gif(bytes: &dyn Bytes) -> Option<u64> {
    let table = |flags: u8| if flags & 0x80 != 0 { 3 << ((flags & 7) + 1) } else { 0 };
    let mut cursor = Cursor::new(bytes, 0);
    let flags = cursor.rest(13)?[10];
    cursor.at = 13 + table(flags);
    while cursor.at < LONGEST {
        match cursor.rest(1)?[0] {
            0x3b => return Some(cursor.at + 1),
            0x21 => cursor.at += 2,
            0x2c => {
                let flags = cursor.rest(10)?[9];
                cursor.at += 10 + table(flags) + 1;
            }
            _ => return None,
        }
        loop {
            let length = cursor.rest(1)?[0];
            cursor.at += 1 + u64::from(length);
            if length == 0 {
                break;
            }
        }
    }
    None
}

/// Behind the last mark of an end.
fn end_of_pdf(bytes: &dyn Bytes) -> Option<u64> {
    let from = bytes.size().saturating_sub(TAIL);
    let mut tail = vec![0; (bytes.size() - from) as usize];
    bytes.read_exact_at(from, &mut tail).ok()?;
    tail.windows(5).rposition(|mark| mark == b"%%EOF").map(|at| from + at as u64 + 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ends_at_its_own_mark() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x06\xff\xd9ab\xff\xda\0\x02x\xff\0y\xff\xd0z\xff\xd9".to_vec();
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x02ABCDxx....\0\0\0\0IEND....".to_vec();
        let gif = b"GIF89a\x01\0\x01\0\x80\0\0aaabbb\x21\xf9\x02xx\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x01x\0\x3b".to_vec();
        let pdf = b"%PDF-1.4 ... %%EOF".to_vec();
        let riff = b"RIFF\x04\0\0\0WEBP".to_vec();
        let mut bitmap = vec![0; 40];
        bitmap[..3].copy_from_slice(b"BM\x28");
        bitmap[14] = 40;
        for picture in [jpeg, png, gif, pdf, riff, bitmap] {
            assert!(is_one(&picture));
            assert_eq!(end(&picture, &picture), None, "nothing is behind");
            let with = [&picture[..], b"behind"].concat();
            assert_eq!(end(&with, &with), Some(picture.len() as u64), "{:?}", &picture[..3]);
            let cut = picture[..picture.len() - 3].to_vec();
            end(&cut, &cut);
        }
        assert!(!is_one(b"BMW and other words that begin so"));
    }
}
