//! The label of a physical volume, and the areas of metadata that it points to.

use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le32, le64, read, read_some};
use pfh_bytes::node::Failure;

const SECTOR: usize = 512;
/// The longest text of metadata: LVM2's own areas have 1 MiB by default.
const LONGEST: u64 = 16 << 20;
const MAGIC: &[u8] = b" LVM2 x[5A%r0N*>";
/// The text in an area is not in use.
const IGNORED: u32 = 1;

/// The metadata of a physical volume.
#[derive(Clone)]
pub struct Physical {
    /// Its identifier, 32 characters.
    pub id: String,
    /// The text of its group's metadata, if it holds one.
    pub text: Option<String>,
}

/// The checksum of LVM2: CRC-32 with a start of its own, and no inversion.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(!0xf597_a6cf);
    hasher.update(bytes);
    !hasher.finalize()
}

/// The place of the label among the first four sectors.
fn label(bytes: &dyn Bytes) -> Result<Option<(usize, Vec<u8>)>, Failure> {
    let head = read_some(bytes, 0, 4 * SECTOR)?;
    let is_label = |at: &usize| is_at(&head, *at, b"LABELONE") && is_at(&head, *at + 24, b"LVM2 001");
    let at = (0..4).map(|sector| sector * SECTOR).find(is_label);
    Ok(at.map(|at| (at, head)))
}

/// Whether these bytes begin as a physical volume of LVM2 does.
pub fn is_physical_volume(bytes: &dyn Bytes) -> bool {
    label(bytes).is_ok_and(|label| label.is_some())
}

impl Physical {
    /// Reads the label and the metadata.
    pub fn read(bytes: &Arc<dyn Bytes>) -> Result<Physical, Failure> {
        let (at, head) = label(&**bytes)?.ok_or_else(|| failure(Some(0), "no label of LVM2"))?;
        let wrong = |cause: &str| failure(Some(at as u64), cause);
        let label = head.get(at..at + SECTOR).ok_or_else(|| wrong("a label of LVM2 that is cut off"))?;
        if checksum(&label[20..]) != le32(label, 16) || le64(label, 8) != (at / SECTOR) as u64 {
            return Err(wrong("the label of LVM2 has a wrong checksum or place"));
        }
        let start = le32(label, 20) as usize;
        let header = label.get(start..).filter(|header| header.len() >= 40);
        let header = header.ok_or_else(|| wrong("the label of LVM2 leads nowhere"))?;
        let id = String::from_utf8_lossy(&header[..32]).into_owned();
        // Areas of data, then areas of metadata, each list with an end of zeros.
        let mut areas = header[40..].chunks_exact(16).map(|area| (le64(area, 0), le64(area, 8)));
        while areas.next().is_some_and(|area| area.0 != 0) {}
        let areas: Vec<(u64, u64)> = areas.take_while(|area| area.0 != 0).collect();
        let mut text = None;
        let mut failed = None;
        for (start, size) in areas {
            match area(&**bytes, start, size) {
                Ok(Some(found)) => {
                    text = Some(found);
                    break;
                }
                Ok(None) => {}
                Err(failure) => failed = Some(failure),
            }
        }
        match (text, failed) {
            (None, Some(failure)) => Err(failure),
            (text, _) => Ok(Physical { id, text }),
        }
    }
}

/// The text that an area of metadata holds: a ring behind a head of one sector.
fn area(bytes: &dyn Bytes, start: u64, size: u64) -> Result<Option<String>, Failure> {
    let wrong = |cause: &str| failure(Some(start), cause);
    let head = read(bytes, start, SECTOR)?;
    if checksum(&head[4..]) != le32(&head, 0) || !is_at(&head, 4, MAGIC) || le64(&head, 24) != start {
        return Err(wrong("the head of LVM2's metadata has a wrong checksum, name or place"));
    }
    let (offset, length) = (le64(&head, 40), le64(&head, 48));
    if offset == 0 || le32(&head, 60) & IGNORED != 0 {
        return Ok(None);
    }
    let ring = SECTOR as u64..size;
    if !ring.contains(&offset) || length > LONGEST || length > size - SECTOR as u64 {
        return Err(wrong("LVM2's metadata lead out of their area"));
    }
    let first = length.min(size - offset);
    let mut text = read(bytes, start.saturating_add(offset), first as usize)?;
    text.extend(read(bytes, start.saturating_add(SECTOR as u64), (length - first) as usize)?);
    if checksum(&text) != le32(&head, 56) {
        return Err(wrong("LVM2's metadata have a wrong checksum"));
    }
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    text.truncate(end);
    String::from_utf8(text).map(Some).map_err(|_| wrong("LVM2's metadata are not text"))
}
