//! Archives whose bytes stand in a text as base64, where no line says so: in a `data:` URI, a
//! here-document, a string of a script. Each is decoded before it counts.

use super::super::mail::base64;
use super::file::{Code, File};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read_some;
use pfh_container::sfx::Pairs;
use std::ops::Range;
use std::sync::LazyLock;

/// How the first bytes of gzip, zip, 7z, xz, bzip2, Zstandard, LZ4, lzip, RAR, CAB and cpio are
/// written.
const WORDS: [&[u8]; 11] = [
    b"H4sI",
    b"UEsDB",
    b"N3q8rycc",
    b"/Td6WFoA",
    b"Qlpo",
    b"KLUv/",
    b"BCJNG",
    b"TFpJU",
    b"UmFyIRoH",
    b"TVNDRgAA",
    b"MDcwNz",
];
/// Bytes of a text that are looked through, and at once.
const ROOM: u64 = 16 << 20;
const WINDOW: usize = 256 << 10;
/// The longest body, in letters.
const LONGEST: usize = 8 << 20;
/// Bytes of a body that tell whether it is decoded whole.
const HEAD: usize = 4096;
/// Bodies that are decoded to try them.
const TRIED: usize = 256;

/// The fewest bytes of an archive.
const LEAST: usize = 16;

/// Whether decoded bytes are an archive.
pub type IsArchive = fn(Vec<u8>) -> bool;

fn is_letter(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// The places where a body may begin, in order.
fn places(text: &[u8]) -> impl Iterator<Item = usize> {
    static PAIRS: LazyLock<Pairs> = LazyLock::new(|| Pairs::of(WORDS));
    let is_here = |at: &usize| {
        let is_within = at.checked_sub(1).is_some_and(|before| is_letter(&text[before]));
        !is_within && WORDS.iter().any(|word| text[*at..].starts_with(word))
    };
    PAIRS.places(text).filter(is_here)
}

/// Whether a body may begin in these bytes of a text.
pub fn may_begin(text: &[u8]) -> bool {
    places(text).next().is_some()
}

/// The letters of a body that begins with this text, and where it may end, with the number of
/// letters there: behind its last line first, and behind the two before, since words that end a
/// here-document are letters as well.
fn ends(text: &[u8]) -> (Vec<u8>, Vec<(usize, usize)>) {
    let (mut letters, mut at, mut width, mut ends) = (Vec::new(), 0, usize::MAX, Vec::new());
    for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let indent = line.iter().take_while(|byte| index > 0 && matches!(byte, b' ' | b'\t')).count();
        let own = line[indent..].iter().take_while(|byte| is_letter(byte)).count();
        if own == 0 || own > width {
            break;
        }
        let rest = &line[indent + own..];
        let filled = rest.iter().take(2).take_while(|byte| **byte == b'=').count();
        letters.extend_from_slice(&line[indent..indent + own]);
        ends.push((at + indent + own + filled, letters.len()));
        if filled > 0 || !rest.trim_ascii().is_empty() || own < width && index > 1 {
            break;
        }
        // The first line may begin behind something else, and be shorter.
        width = if index == 0 { usize::MAX } else { own };
        at += line.len();
    }
    ends.reverse();
    ends.truncate(3);
    (letters, ends)
}

/// The body that begins at `at`: where it ends.
fn body(bytes: &dyn Bytes, at: u64, is_archive: IsArchive) -> Option<u64> {
    let (head, few) = ends(&read_some(bytes, at, HEAD).ok()?);
    let few = few.first().map_or(0, |(_, count)| count - count % 4);
    base64(&head[..few]).filter(|start| start.len() > LEAST)?;
    let text = read_some(bytes, at, LONGEST).ok()?;
    let (letters, ends) = ends(&text);
    ends.into_iter().find_map(|(end, count)| {
        let decoded = base64(&letters[..count])?;
        is_archive(decoded).then_some(at + end as u64)
    })
}

/// Where the bodies in a text stand, in order.
fn bodies(bytes: &dyn Bytes, is_archive: IsArchive) -> impl Iterator<Item = Range<u64>> {
    let (end, mut at, mut tried, mut behind) = (bytes.size().min(ROOM), 0, 0, 0);
    let windows = std::iter::from_fn(move || {
        let window = read_some(bytes, at, WINDOW).ok().filter(|window| at < end && !window.is_empty())?;
        let start = at;
        // A word lies in one of them.
        at += if start + (window.len() as u64) < bytes.size() { window.len() as u64 - 16 } else { window.len() as u64 };
        let found: Vec<u64> = places(&window).map(|place| start + place as u64).collect();
        Some(found)
    });
    windows.flatten().filter_map(move |place| {
        tried += 1;
        if place < behind || tried > TRIED {
            return None;
        }
        let end = body(bytes, place, is_archive)?;
        behind = end;
        Some(place..end)
    })
}

/// Whether a text has a body.
pub fn is_in(bytes: &dyn Bytes, is_archive: IsArchive) -> bool {
    bodies(bytes, is_archive).next().is_some()
}

/// The bodies in a text, as files without a name.
pub fn files(bytes: &dyn Bytes, is_archive: IsArchive) -> Vec<File> {
    let file = |range: Range<u64>| File {
        name: Vec::new(),
        code: Code::Base64,
        range: (range.start, range.end),
        size: None,
        crc: None,
    };
    bodies(bytes, is_archive).map(file).collect()
}
