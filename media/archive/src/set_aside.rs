//! Bytes of a compressed stream that decoders pass over: skippable frames of Zstandard (RFC 8878,
//! section 3.1.2) and LZ4, and the fields of a gzip header (RFC 1952, section 2.3.1) that hold more
//! than a program needs. Anything can be in them, and no member has it.

use super::decoder::Packing;
use super::limits::Limits;
use super::member::flawed;
use super::parts::{SKIPPABLE, frame_end};
use pfh_bytes::account::{residue, said};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Flaw, Nodes};
use std::ops::Range;
use std::sync::Arc;

/// The most bytes that a program writes beside its data: what it needs to find parts is shorter.
const USUAL: u64 = 512;
/// Ranges that are named one by one.
const MOST: usize = 100;
/// The end of the table of frames in Zstandard's seekable format.
const SEEK_TABLE: [u8; 4] = 0x8F92_EAB1_u32.to_le_bytes();

/// The members, and behind them the residue of the stream that they are in.
pub fn named(nodes: Nodes, packing: Packing, bytes: &Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let (mut ranges, mut named) = (ranges(packing, &**bytes), Vec::new());
    let others = ranges.split_off(ranges.len().min(MOST)).len();
    for range in ranges {
        match said(&**bytes, &range) {
            Ok(None) => {}
            Ok(Some(failure)) | Err(failure) => {
                named.push(Err(failure));
                named.extend(limits.salvage.then(|| Ok(residue(bytes, range))));
            }
        }
    }
    if others > 0 {
        named.push(flawed(Flaw::Residue, b"", format!("residue: {others} more ranges that decoders pass over")));
    }
    if named.is_empty() { nodes } else { Box::new(nodes.chain(named)) }
}

/// The ranges that decoders pass over, but for those that are usual.
fn ranges(packing: Packing, bytes: &dyn Bytes) -> Vec<Range<u64>> {
    let found = match packing {
        Packing::Gzip => fields(bytes),
        Packing::Zstd | Packing::Lz4 => frames(packing, bytes),
        _ => Vec::new(),
    };
    found.into_iter().filter(|range| range.end - range.start > USUAL).collect()
}

/// The content of skippable frames, up to the first frame that is damaged.
fn frames(packing: Packing, bytes: &dyn Bytes) -> Vec<Range<u64>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(end) = frame_end(packing, bytes, at).filter(|end| *end <= bytes.size()) {
        let magic = number(bytes, at);
        if magic & !0xF == SKIPPABLE && !(magic == 0x184D_2A5E && is_seek_table(bytes, end)) {
            found.push(at + 8..end);
        }
        at = end;
    }
    found
}

fn number(bytes: &dyn Bytes, at: u64) -> u32 {
    let read = read_some(bytes, at, 4).unwrap_or_default();
    <[u8; 4]>::try_from(read).map_or(0, u32::from_le_bytes)
}

fn is_seek_table(bytes: &dyn Bytes, end: u64) -> bool {
    read_some(bytes, end - 4, 4).is_ok_and(|last| last == SEEK_TABLE)
}

/// The extra field, the name and the remark of the first member.
fn fields(bytes: &dyn Bytes) -> Vec<Range<u64>> {
    // Most headers are short; an extra field has 64 KiB at most.
    let head = |length: usize| read_some(bytes, 0, length).unwrap_or_default();
    fields_of(&head(1 << 10)).or_else(|| fields_of(&head(256 << 10))).unwrap_or_default()
}

/// The same of a header; `None` if it goes on behind these bytes.
fn fields_of(head: &[u8]) -> Option<Vec<Range<u64>>> {
    let Some([0x1F, 0x8B, 8, flags]) = head.first_chunk::<4>() else { return Some(Vec::new()) };
    let (mut found, mut at) = (Vec::new(), 10);
    if flags & 4 != 0 {
        let length = usize::from(u16::from_le_bytes([*head.get(at)?, *head.get(at + 1)?]));
        let field = head.get(at + 2..at + 2 + length)?;
        // A table of dictzip is as long as its file needs.
        if !field.starts_with(b"RA") {
            found.push(at as u64 + 2..(at + 2 + length) as u64);
        }
        at += 2 + length;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let length = head.get(at..)?.iter().position(|byte| *byte == 0)?;
            found.push(at as u64..(at + length) as u64);
            at += length + 1;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, open};

    const HIDDEN: &[u8] = b"a secret that goes on and on";

    fn secret(length: usize) -> Vec<u8> {
        HIDDEN.iter().copied().cycle().take(length).collect()
    }

    /// A skippable frame.
    fn skippable(magic: u32, content: &[u8]) -> Vec<u8> {
        [&magic.to_le_bytes()[..], &(content.len() as u32).to_le_bytes(), content].concat()
    }

    /// A frame of Zstandard with one block as it is.
    fn zstd(content: &[u8]) -> Vec<u8> {
        let length = content.len() as u8;
        [&[0x28, 0xB5, 0x2F, 0xFD, 0x20, length, length << 3 | 1, length >> 5, 0][..], content].concat()
    }

    /// The residue that is named, and the contents of all members.
    fn seen(format: Format, stream: Vec<u8>, salvage: bool) -> (Vec<u64>, Vec<Vec<u8>>) {
        let limits = Limits { salvage, ..Limits::default() };
        let (mut places, mut contents) = (Vec::new(), Vec::new());
        for node in open(format, Arc::new(stream), b"x", &limits).unwrap() {
            match node {
                Ok(node) => {
                    let mut content = Vec::new();
                    std::io::Read::read_to_end(&mut node.content.unwrap().open().unwrap(), &mut content).unwrap();
                    contents.push(content);
                }
                Err(failure) => {
                    assert_eq!(failure.flaw, Flaw::Residue, "{failure:?}");
                    places.extend(failure.offset);
                }
            }
        }
        (places, contents)
    }

    #[test]
    fn a_frame_that_decoders_skip_is_named_and_salvaged() {
        let hidden = secret(600);
        let stream = [zstd(b"one "), skippable(0x184D_2A53, &hidden), zstd(b"two")].concat();
        assert_eq!(seen(Format::Zstd, stream.clone(), false), (vec![13 + 8], vec![b"one two".to_vec()]));
        assert_eq!(seen(Format::Zstd, stream, true).1, [b"one two".to_vec(), hidden]);
        let short = [zstd(b"one"), skippable(0x184D_2A50, &secret(512))].concat();
        assert_eq!(seen(Format::Zstd, short, false), (vec![], vec![b"one".to_vec()]));
        let zeros = [zstd(b"one"), skippable(0x184D_2A50, &[0; 5000])].concat();
        assert!(seen(Format::Zstd, zeros, false).0.is_empty());
        let table = [&secret(800)[..], &SEEK_TABLE].concat();
        assert!(seen(Format::Zstd, [zstd(b"one"), skippable(0x184D_2A5E, &table)].concat(), false).0.is_empty());
        assert_eq!(seen(Format::Zstd, [zstd(b"one"), skippable(0x184D_2A5D, &table)].concat(), false).0, [12 + 8]);
    }

    #[test]
    fn so_is_one_of_lz4() {
        let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
        std::io::Write::write_all(&mut frame, &secret(200_000)).unwrap();
        let frame = frame.finish().unwrap();
        let stream = [&frame[..], &skippable(0x184D_2A55, &secret(900)), &frame].concat();
        let (places, contents) = seen(Format::Lz4, stream, false);
        assert_eq!((places, contents[0].len()), (vec![frame.len() as u64 + 8], 400_000));
    }

    #[test]
    fn long_fields_of_a_gzip_header_are_named() {
        let body = &[3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let hidden = secret(700);
        let extra = |id: &[u8; 2]| {
            let field = [&id[..], &(hidden.len() as u16).to_le_bytes(), &hidden].concat();
            [&[0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 3][..], &(field.len() as u16).to_le_bytes(), &field, body].concat()
        };
        assert_eq!(seen(Format::Gzip, extra(b"zz"), false), (vec![12], vec![Vec::new()]));
        assert!(seen(Format::Gzip, extra(b"RA"), false).0.is_empty());
        let remark = [&[0x1F, 0x8B, 8, 24, 0, 0, 0, 0, 0, 3][..], b"name\0", &hidden, &[0], body].concat();
        assert_eq!(seen(Format::Gzip, remark, false).0, [15]);
        assert!(seen(Format::Gzip, [&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3], &body[..]].concat(), false).0.is_empty());
    }
}
