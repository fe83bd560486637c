//! Reparse points: links, and files whose bytes are elsewhere.

use super::attribute::{Attribute, REPARSE_POINT};
use super::stream::Stream;
use super::volume::Ntfs;
use pfh_bytes::field::{le16, le32};
use pfh_bytes::text::{units, utf16};

/// The meaning of a reparse point for the content of its file.
pub enum Reparse {
    /// A link with its target.
    Link(Vec<u8>),
    /// The unnamed stream is not the file's content: the reason.
    Elsewhere(&'static str),
    /// Nothing that concerns the content.
    None,
}

/// Reads the reparse point of a file, if it has one.
pub fn reparse(volume: &Ntfs, attributes: &[Attribute]) -> Reparse {
    let Ok(Some(stream)) = Stream::of(attributes, REPARSE_POINT, &[]) else { return Reparse::None };
    let raw = match &stream.resident {
        Some(raw) => raw.to_vec(),
        // Windows writes no more than 16 KiB.
        None => {
            let length = usize::try_from(stream.size.min(1 << 14)).unwrap_or(0);
            volume.layout(&stream).and_then(|layout| volume.read(&layout, 0, length)).unwrap_or_default()
        }
    };
    let name = |at: usize, buffer: usize| {
        let (start, length) = (buffer + usize::from(le16(&raw, at)), usize::from(le16(&raw, at + 2)));
        raw.get(start..start + length).map(|name| utf16(&units(name)))
    };
    // The printed name, or the one that the system goes by.
    let target = |buffer: usize| name(12, buffer).filter(|name| !name.is_empty()).or_else(|| name(8, buffer));
    match le32(&raw, 0) {
        0xa000_000c => Reparse::Link(target(20).unwrap_or_default()),
        0xa000_0003 => Reparse::Link(target(16).unwrap_or_default()),
        // Links of the Windows subsystem for Linux.
        0xa000_001d => Reparse::Link(raw.get(12..).unwrap_or_default().to_vec()),
        0x8000_0017 => Reparse::Elsewhere("compressed by Windows (WOF): not read"),
        0x8000_0013 => Reparse::Elsewhere("deduplicated: its bytes are in the chunk store, which is not read"),
        tag if tag & 0xffff_0fff == 0x9000_001a => {
            Reparse::Elsewhere("a placeholder: its bytes may be in the cloud only")
        }
        _ => Reparse::None,
    }
}
