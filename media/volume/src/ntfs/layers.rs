//! All clusters of a volume by their use: indexes and lists of its files, their streams, and the
//! copy of the boot sector.

use std::sync::Arc;

use super::attribute::{ATTRIBUTE_LIST, BITMAP, DATA, INDEX_ALLOCATION};
use super::stream::Stream;
use super::volume::Ntfs;
use pfh_bytes::account::{Claims, Holds, Layers};
use pfh_bytes::field::{le16, le64, read};

/// The claims of all records in use. The streams are content as far as they reach, and slack
/// behind it.
pub fn layers(volume: &Arc<Ntfs>) -> Layers {
    let (mut own, mut beneath) = (Claims::default(), Claims::default());
    copies(volume, &mut own);
    let most = volume.bytes.size() / volume.record_size as u64;
    for number in 0..volume.records.min(most) {
        let Some(record) = volume.record(number).ok().filter(|record| record.is_used && record.base == 0) else {
            continue;
        };
        // A fault of these is one of the walk.
        let Ok(attributes) = volume.all_attributes(&record) else { continue };
        let mut seen = Vec::new();
        for attribute in attributes.iter().filter(|found| found.resident().is_none()) {
            let key = (attribute.kind, &attribute.name);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let Ok(Some(stream)) = Stream::of(&attributes, attribute.kind, &attribute.name) else { continue };
            let Ok(layout) = volume.layout(&stream) else { continue };
            let name: &[u8] = match attribute.kind {
                DATA => b"allocated beyond the content",
                INDEX_ALLOCATION => b"index",
                BITMAP => b"map",
                ATTRIBUTE_LIST => b"list of attributes",
                _ => b"attribute",
            };
            for run in layout.runs() {
                let Some(start) = run.medium_offset else { continue };
                let end = (start + run.length).next_multiple_of(volume.cluster_size);
                match attribute.kind {
                    DATA => beneath.add(start..end, Holds::Slack, name),
                    _ => own.add(start..end, Holds::Structure, name),
                }
            }
        }
    }
    Layers { own, beneath, is_itemised: true }
}

/// The copy of the boot sector, behind the last cluster: in the last sector of the partition, and
/// where the volume says that it ends.
fn copies(volume: &Arc<Ntfs>, own: &mut Claims) {
    let bytes = &*volume.bytes;
    let Ok(boot) = read(bytes, 0, 512) else { return };
    let sector = u64::from(le16(&boot, 11));
    let ends = [bytes.size().checked_sub(sector), le64(&boot, 40).checked_mul(sector)];
    for at in ends.into_iter().flatten().filter(|at| *at >= volume.size()) {
        if read(bytes, at, 512).is_ok_and(|copy| copy[..11] == boot[..11]) {
            own.add_once(at..at + sector, Holds::Structure, b"copy of the boot sector");
        }
    }
}
