//! Which `<volume>` a file object stands in, in the order of the stream.
//!
//! The schema wants all volumes in front of the file objects that are in none, and a volume's file
//! objects behind all volumes in it. The records of images come in another order: an image is a
//! file in front of its volumes, and so is an image in one of them. File objects outside of any
//! volume are therefore held back until the end; a volume that another one interrupts is written in
//! several elements; all but the first have `pfh:continued`.

use std::sync::Arc;

use data_encoding::BASE64;
use pfh_source::{Passage, Volume, Volumes};

use super::text::{is_exact, text};

/// Bytes of file objects outside of any volume that are held back. More are written into a
/// volume without offset, so that memory is bounded.
const HELD: usize = 1 << 20;

/// The elements of volumes that a file object is written in.
#[derive(Default)]
pub(super) struct Sections {
    volumes: Option<Arc<Volumes>>,
    /// The volumes that the source is in, and whether an element was written of each.
    within: Vec<(Arc<Volume>, bool)>,
    open: Open,
    held: Vec<u8>,
}

/// The element that is open.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Open {
    #[default]
    None,
    /// That of the innermost volume.
    Volume,
    /// One without offset, for file objects outside of any volume.
    Outside,
}

impl Sections {
    pub(super) fn new(volumes: Option<&Arc<Volumes>>) -> Sections {
        Sections { volumes: volumes.cloned(), ..Sections::default() }
    }

    /// The volume that the next object is in.
    pub(super) fn volume(&self) -> Option<Arc<Volume>> {
        self.within.last().map(|(volume, _)| volume.clone())
    }

    /// Ends and begins volumes for the record of this number.
    pub(super) fn pass(&mut self, out: &mut Vec<u8>, number: u64) {
        let Some(volumes) = self.volumes.clone() else { return };
        while let Some(passage) = volumes.take(number) {
            match passage {
                Passage::Into(volume) => {
                    self.close(out);
                    self.within.push((volume, false));
                }
                Passage::Out => {
                    // One without a file object is a volume all the same.
                    if self.within.last().is_some_and(|(_, written)| !written) {
                        self.begin(out);
                    }
                    if self.open == Open::Volume {
                        self.close(out);
                    }
                    self.within.pop();
                }
            }
        }
    }

    /// Takes the object of a record.
    pub(super) fn put(&mut self, out: &mut Vec<u8>, object: &[u8]) {
        if self.volumes.is_none() || self.open == Open::Outside && self.within.is_empty() {
            return out.extend_from_slice(object);
        }
        if !self.within.is_empty() {
            self.begin(out);
            return out.extend_from_slice(object);
        }
        self.held.extend_from_slice(object);
        if self.held.len() > HELD {
            out.extend_from_slice(b"  <volume>\n");
            out.append(&mut self.held);
            self.open = Open::Outside;
        }
    }

    /// Ends all volumes, and writes the file objects that were held back.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.pass(out, u64::MAX);
        self.close(out);
        out.append(&mut self.held);
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        if self.open != Open::None {
            out.extend_from_slice(b"  </volume>\n");
        }
        self.open = Open::None;
    }

    /// Opens the element of the innermost volume, if it is not open.
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.open == Open::Volume {
            return;
        }
        self.close(out);
        let Some((volume, written)) = self.within.last_mut() else { return };
        head(out, volume, *written);
        *written = true;
        self.open = Open::Volume;
    }
}

/// The start of a volume, with its elements in the order of fiwalk and the schema.
fn head(out: &mut Vec<u8>, volume: &Volume, continued: bool) {
    out.extend_from_slice(b"  <volume");
    if let Some(offset) = volume.offset {
        out.extend_from_slice(format!(" offset='{offset}'").as_bytes());
    }
    out.extend_from_slice(b" pfh:name='");
    text(out, &volume.name);
    if !is_exact(&volume.name) {
        out.extend_from_slice(format!("' pfh:base64='{}", BASE64.encode(&volume.name)).as_bytes());
    }
    if let Some(partition) = volume.partition.filter(|partition| *partition > 0) {
        out.extend_from_slice(format!("' pfh:partition='{partition}").as_bytes());
    }
    if continued {
        out.extend_from_slice(b"' pfh:continued='1");
    }
    out.extend_from_slice(b"'>\n");
    let mut line = |text: String| out.extend_from_slice(format!("    {text}\n").as_bytes());
    if let Some(offset) = volume.offset {
        if volume.size > 0 {
            let size = volume.size;
            line(format!("<byte_runs><byte_run img_offset='{offset}' len='{size}'/></byte_runs>"));
        }
        line(format!("<partition_offset>{offset}</partition_offset>"));
    }
    if volume.block_size > 0 {
        line(format!("<block_size>{}</block_size>", volume.block_size));
    }
    if !volume.kind.is_empty() {
        let (number, name) = kind(volume.kind);
        number.into_iter().for_each(|number| line(format!("<ftype>{number}</ftype>")));
        line(format!("<ftype_str>{name}</ftype_str>"));
    }
    if !volume.kind.is_empty() {
        line(format!("<allocated_only>{}</allocated_only>", u8::from(volume.allocated_only)));
    }
}

/// The number and the name by which The Sleuth Kit, and so fiwalk, knows a file system; no number
/// for one that it does not know.
fn kind(kind: &str) -> (Option<u32>, String) {
    let number = match kind {
        "NTFS" => Some(0x1),
        "FAT12" => Some(0x2),
        "FAT16" => Some(0x4),
        "FAT32" => Some(0x8),
        "exFAT" => Some(0xA),
        "ext2" => Some(0x80),
        "ext3" => Some(0x100),
        "ISO 9660" => Some(0x800),
        "ext4" => Some(0x2000),
        "HFS+" | "HFSX" => Some(0x1000),
        "APFS" => Some(0x1_0000),
        _ => None,
    };
    (number, kind.to_lowercase().replace(' ', ""))
}
