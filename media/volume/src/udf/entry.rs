//! File entries: size, times, and where a file lies.

use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, le16, le32, le64, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Failure, Times};

use super::descriptor::Place;
use super::partition::Partitions;
use super::tag::{descriptor, identifier, time};

const ENTRY: u16 = 261;
const EXTENDED: u16 = 266;
const CONTINUED: u16 = 258;
/// The most extents of allocation descriptors of one file.
const MOST: usize = 1 << 16;

/// How allocation descriptors are written.
const SHORT: u16 = 0;
const LONG: u16 = 1;
const INLINE: u16 = 3;

/// A file entry.
pub struct Entry {
    /// The kind of the file, as ECMA-167 numbers them.
    pub kind: u8,
    /// Bytes of the file.
    pub size: u64,
    /// Its times.
    pub times: Times,
    flags: u16,
    place: Place,
    /// Allocation descriptors, or the content itself.
    area: Vec<u8>,
}

impl Entry {
    /// Reads the entry at a place.
    pub fn read(bytes: &Arc<dyn Bytes>, partitions: &Partitions, place: Place) -> Result<Entry, Failure> {
        let offset = partitions.offset(place)?;
        let (found, raw) = descriptor(&**bytes, offset, partitions.block as usize, place.block)?;
        let (head, accessed, modified, born, changed) = match found {
            ENTRY => (176, 72, 84, None, 96),
            EXTENDED => (216, 80, 92, Some(104), 116),
            _ => return Err(failure(Some(offset), "no file entry where one is referred to")),
        };
        if le16(&raw, 20) != 4 {
            return Err(failure(
                Some(offset),
                format!("a file entry of strategy {}, which is not read", le16(&raw, 20)),
            ));
        }
        let (attributes, area) = (le32(&raw, head - 8) as usize, le32(&raw, head - 4) as usize);
        let start = head.checked_add(attributes);
        let area = start.and_then(|start| raw.get(start..start.checked_add(area)?));
        let area = area.ok_or_else(|| failure(Some(offset), "a file entry that leads out of its block"))?.to_vec();
        let at = |place: usize| time(raw.get(place..).unwrap_or_default());
        let times = Times {
            modified: at(modified),
            accessed: at(accessed),
            changed: at(changed),
            born: born.and_then(at),
            deleted: None,
        };
        Ok(Entry { kind: byte(&raw, 27), size: le64(&raw, 56), times, flags: le16(&raw, 34) & 7, place, area })
    }

    /// The content, if it is in the entry itself.
    pub fn inline(&self) -> Option<Result<Vec<u8>, Failure>> {
        let held = || {
            let size = usize::try_from(self.size).ok()?;
            self.area.get(..size).map(<[u8]>::to_vec)
        };
        let wrong = || failure(None, "the content in the file entry is shorter than its size");
        (self.flags == INLINE).then(|| held().ok_or_else(wrong))
    }

    /// Where the content lies.
    pub fn layout(&self, bytes: &Arc<dyn Bytes>, partitions: &Partitions) -> Result<Layout, Failure> {
        let width = match self.flags {
            SHORT => 8,
            LONG => 16,
            other => return Err(failure(None, format!("allocation descriptors of kind {other}, which are not read"))),
        };
        let mut layout = Layout::new(partitions.size);
        let (mut area, mut extents) = (self.area.clone(), 0);
        'areas: loop {
            for raw in area.chunks_exact(width) {
                let (length, kind) = (u64::from(le32(raw, 0) & 0x3fff_ffff), le32(raw, 0) >> 30);
                if length == 0 {
                    break 'areas;
                }
                let block = le32(raw, 4);
                let partition = if width == 8 { self.place.partition } else { le16(raw, 8) };
                let place = Place { partition, block };
                match kind {
                    0 => partitions.push(&mut layout, place, length)?,
                    // Not written, or not there: zeros.
                    1 | 2 => layout.push(None, length)?,
                    _ => {
                        extents += 1;
                        if extents > MOST {
                            return Err(failure(None, "allocation descriptors without an end"));
                        }
                        area = continued(bytes, partitions, place)?;
                        continue 'areas;
                    }
                }
            }
            break;
        }
        // The last extent may be rounded up; a file that is longer than its extents is not whole.
        if layout.end() < self.size {
            return Err(failure(None, format!("the file has {} bytes, and its extents {}", self.size, layout.end())));
        }
        Ok(layout)
    }
}

/// Further allocation descriptors.
fn continued(bytes: &Arc<dyn Bytes>, partitions: &Partitions, place: Place) -> Result<Vec<u8>, Failure> {
    let offset = partitions.offset(place)?;
    let raw = read(&**bytes, offset, partitions.block as usize)?;
    let wrong = || failure(Some(offset), "no allocation descriptors where they are referred to");
    if identifier(&raw) != Some(CONTINUED) {
        return Err(wrong());
    }
    let length = le32(&raw, 20) as usize;
    raw.get(24..).and_then(|rest| rest.get(..length)).map(<[u8]>::to_vec).ok_or_else(wrong)
}
