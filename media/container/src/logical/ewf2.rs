//! Lx01: segments and chunks as those of Ex01, and a tree of entries as that of L01. After J. Metz,
//! "EWF 2 specification", the sections on EWF2-Lx01.

use super::entry::Entries;
use super::listing::Listing;
use super::tree::{LONGEST_TREE, Tree};
use crate::Bytes;
use crate::disk::Failure;
use crate::disk::ex01::chunks::{Chunks, HEADER, Segment, method, within};
use crate::disk::ex01::described::Ex01Description;
use crate::disk::ex01::section::{self, Section};
use crate::disk::unpack::{LONGEST, Method, unpack_up_to};
use std::sync::Arc;

pub use crate::disk::ex01::ending;

/// The first bytes of a segment.
pub const MAGIC: &[u8] = b"LEF2\r\n\x81\0";

/// Opens an image.
pub fn open(files: Vec<Arc<dyn Bytes>>) -> Result<Entries, Failure> {
    let mut header = [0; HEADER];
    files.first().ok_or_else(|| Failure::malformed("no file"))?.read_exact_at(0, &mut header)?;
    let (method, count) = (method(&header)?, files.len());
    let mut segments = Vec::new();
    for (number, file) in (1..).zip(files) {
        let (segment, is_last) = Segment::open(file, number, &header)?;
        match (is_last, number as usize == count) {
            (false, true) => {
                return Err(Failure::refused(format!("segments behind the {count} that are there are missing")));
            }
            (true, false) => return Err(Failure::malformed("segments follow the last one")),
            _ => segments.push(segment),
        }
    }
    let (mut described, mut found) = (Ex01Description::default(), None);
    for (at, segment) in segments.iter().enumerate() {
        for section in &segment.sections {
            let within = |failure| within(at as u32 + 1, failure);
            let is_taken = described.take(&*segment.file, at, section, method).map_err(within)?;
            if is_taken || section.kind != section::FILES {
                continue;
            }
            if found.is_some() {
                return Err(within(Failure::at(section.at, "a second tree")));
            }
            found = Some(text(&*segment.file, section, method).map_err(within)?);
        }
    }
    let text = found.ok_or_else(|| Failure::malformed("no section holds the tree of entries"))?;
    let Ex01Description { device, case, tables } = described;
    let sector = device.and_then(|device| device.number("bp")).unwrap_or(512);
    let chunk = case.and_then(|case| case.number("sb")?.checked_mul(sector));
    let chunk = chunk.ok_or_else(|| Failure::malformed("no section states the size of chunks"))?;
    let (mut tree, total) = Tree::new(&text)?;
    tree.is_escaped = true;
    // The sectors that the device information counts are those of no disk.
    let media = Chunks::new(segments, tables, method, (None, chunk))?;
    if let Some(total) = total.filter(|total| *total > media.size()) {
        let most = media.size();
        return Err(Failure::malformed(format!("chunks of {most} bytes together for media data of {total}")));
    }
    Ok(Box::new(Listing { tree, media: Arc::new(media) }))
}

/// The text of the tree, compared with the digest of its section.
fn text(file: &dyn Bytes, section: &Section, method: Method) -> Result<Vec<u8>, Failure> {
    let wrong = |what: &str| Failure::at(section.at, what);
    if section.length > LONGEST_TREE {
        return Err(Failure::at(section.at, format!("a tree of {} bytes", section.length)));
    }
    let mut bytes = vec![0; section.length as usize];
    file.read_exact_at(section.at, &mut bytes)?;
    if section.stated.as_ref().is_some_and(|stated| stated.algorithm().digest(&bytes) != *stated) {
        return Err(wrong("the tree's digest differs from the stated one"));
    }
    if !is_text(&bytes) {
        bytes = unpack_up_to(method, &bytes, LONGEST).map_err(|failure| wrong(&format!("the tree: {failure}")))?;
    }
    if !is_text(&bytes) {
        return Err(wrong("the tree is not a text in little-endian UTF-16"));
    }
    Ok(bytes)
}

/// Whether a tree begins as a text does: with a byte-order mark or the number of its categories.
fn is_text(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [b'1'..=b'9', 0, ..])
}
