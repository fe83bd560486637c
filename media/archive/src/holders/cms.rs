//! Signed messages (CMS, RFC 5652; PKCS #7): the content, without the signature.

use super::super::member::plain_name;
use super::{ranged, wrong};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Failure, Nodes};
use std::ops::Range;
use std::sync::Arc;

/// The most pieces of one content.
const MOST: usize = 1 << 20;
/// Identifiers of contents, behind 1.2.840.113549.1.
const PKCS: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01";

/// An element of BER: its tag, where its content begins, and where that ends if it says so.
#[derive(Debug, Clone, Copy)]
struct Element {
    tag: u8,
    start: u64,
    end: Option<u64>,
}

/// Bytes that elements are read from.
struct Reader<'a> {
    bytes: &'a dyn Bytes,
}

impl Reader<'_> {
    fn element(&self, at: u64) -> Option<Element> {
        let head = read_some(self.bytes, at, 10).ok()?;
        let (tag, first) = (*head.first()?, *head.get(1)?);
        // Tags of several bytes are in none of these.
        if tag & 0x1f == 0x1f {
            return None;
        }
        Some(match first {
            0x80 => Element { tag, start: at + 2, end: None },
            0..=0x7f => Element { tag, start: at + 2, end: Some(at + 2 + u64::from(first)) },
            _ => {
                let count = usize::from(first & 0x7f);
                let raw = head.get(2..2 + count).filter(|_| count <= 8)?;
                let length = raw.iter().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
                let start = at + 2 + count as u64;
                Element { tag, start, end: Some(start.checked_add(length)?) }
            }
        })
    }

    fn expect(&self, at: u64, tag: u8) -> Option<Element> {
        self.element(at).filter(|element| element.tag == tag)
    }

    fn identifier(&self, at: u64) -> Option<(Vec<u8>, u64)> {
        let element = self.expect(at, 6)?;
        let end = element.end?;
        let length = usize::try_from(end - element.start).ok().filter(|length| *length <= 32)?;
        Some((read_some(self.bytes, element.start, length).ok()?, end))
    }
}

/// The content of a file.
enum Content {
    /// An octet string that begins there.
    Octets(u64),
    /// It is not read, for this reason.
    Named(&'static str),
}

fn content(bytes: &dyn Bytes) -> Option<Content> {
    let reader = Reader { bytes };
    let outer = reader.expect(0, 0x30)?;
    let (kind, at) = reader.identifier(outer.start)?;
    let inner = reader.expect(at, 0xa0)?;
    match kind.strip_prefix(PKCS)? {
        [7, 1] => Some(Content::Octets(inner.start)),
        [7, 2] => {
            let signed = reader.expect(inner.start, 0x30)?;
            let version = reader.expect(signed.start, 2)?;
            let digests = reader.expect(version.end?, 0x31)?;
            // Names of digests of a length that is not stated: two bytes of zero end them.
            let at = match digests.end {
                Some(end) => end,
                None => behind(&reader, digests.start, 0)?,
            };
            let held = reader.expect(at, 0x30)?;
            let (kind, at) = reader.identifier(held.start)?;
            // Catalogues, time stamps and signatures of programs hold no files.
            if kind.strip_prefix(PKCS) != Some(&[7, 1]) || held.end == Some(at) {
                return None;
            }
            Some(Content::Octets(reader.expect(at, 0xa0)?.start))
        }
        [7, 3] => Some(Content::Named("an encrypted message (CMS, S/MIME): not read")),
        [9, 16, 1, 23] => Some(Content::Named("an encrypted message (CMS, authenticated): not read")),
        [9, 16, 1, 9] => Some(Content::Named("a compressed message (CMS): not read")),
        _ => None,
    }
}

/// Where the elements end that begin there, behind the zeros that say so.
fn behind(reader: &Reader<'_>, mut at: u64, depth: u32) -> Option<u64> {
    for _ in 0..MOST {
        let element = reader.element(at).filter(|_| depth < 16)?;
        if (element.tag, element.end) == (0, Some(element.start)) {
            return Some(element.start);
        }
        at = match element.end {
            Some(end) => end,
            None => behind(reader, element.start, depth + 1)?,
        };
    }
    None
}

/// Whether a file that begins so holds a content.
pub fn is_one(start: &[u8]) -> bool {
    matches!(start, [0x30, 0x80..=0x88, ..]) && content(&start.to_vec()).is_some()
}

/// The ranges of an octet string, which may be in pieces.
fn octets(reader: &Reader<'_>, at: u64, depth: u32, ranges: &mut Vec<Range<u64>>) -> Option<u64> {
    let element = reader.element(at).filter(|_| depth < 16 && ranges.len() < MOST)?;
    match (element.tag, element.end) {
        (4, Some(end)) => {
            ranges.push(element.start..end);
            Some(end)
        }
        (0x24, end) => {
            let mut at = element.start;
            loop {
                if end.is_some_and(|end| at >= end) {
                    return end;
                }
                let next = reader.element(at)?;
                if (next.tag, next.end) == (0, Some(next.start)) {
                    return Some(next.start);
                }
                at = octets(reader, at, depth + 1, ranges)?;
            }
        }
        _ => None,
    }
}

/// The content.
///
/// # Errors
/// If it is encrypted or compressed, or not whole.
pub fn open(bytes: Arc<dyn Bytes>, name: &[u8]) -> Result<Nodes, Failure> {
    let at = match content(&*bytes) {
        Some(Content::Octets(at)) => at,
        Some(Content::Named(why)) => return Err(wrong(0, why)),
        None => return Err(wrong(0, "a signed message that contradicts itself")),
    };
    let mut ranges = Vec::new();
    let whole = octets(&Reader { bytes: &*bytes }, at, 0, &mut ranges);
    let end = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    if whole.is_none() || end > bytes.size() {
        return Err(wrong(at, "the content of a signed message does not end: it is cut off"));
    }
    let first = ranges.iter().find(|range| !range.is_empty());
    let start = first.and_then(|range| read_some(&*bytes, range.start, 8).ok()).unwrap_or_default();
    // A part of a message begins with its header.
    let is_part = [&b"Content-"[..], b"MIME-"].iter().any(|field| start.starts_with(field));
    let path = [&stem(name)[..], if is_part { b".eml" } else { b"" }].concat();
    Ok(Box::new(std::iter::once(ranged(&bytes, path, &ranges))))
}

/// The last part of a name without the ending of a signed file.
fn stem(name: &[u8]) -> Vec<u8> {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let endings: [&[u8]; 4] = [b".p7m", b".p7s", b".p7", b".pkcs7"];
    let ending = endings.iter().find(|ending| last.len() > ending.len() && last.to_ascii_lowercase().ends_with(ending));
    match ending {
        Some(ending) => plain_name(&last[..last.len() - ending.len()]),
        None => b"content".to_vec(),
    }
}
