//! Volumes that are devices of one file system.

use std::io;
use std::sync::Arc;

use super::superblock::{self, Superblock};
use pfh_bytes::bytes::Bytes;

/// Several volumes as the devices of one file system.
pub struct JoinedVolume {
    /// The labels of the volumes, with a plus sign between them.
    pub name: Vec<u8>,
    /// The file system's identifier.
    pub id: [u8; 16],
    /// Whether all its devices are there.
    pub is_complete: bool,
    /// The label of its only device, if no other is there.
    pub alone: Option<Vec<u8>>,
    /// The devices, one behind the other.
    pub bytes: Arc<dyn Bytes>,
    /// Devices that came a second time.
    pub seconds: Vec<u64>,
}

/// Devices one behind the other, each as long as it says that it is.
struct JoinedDevices(Vec<(u64, u64, Arc<dyn Bytes>)>);

impl Bytes for JoinedDevices {
    fn size(&self) -> u64 {
        self.0.last().map_or(0, |(start, length, _)| start + length)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let index = self.0.partition_point(|(start, _, _)| *start <= offset);
        let Some((start, length, bytes)) = index.checked_sub(1).and_then(|index| self.0.get(index)) else {
            return Ok(0);
        };
        let left = usize::try_from(length.saturating_sub(offset - start)).unwrap_or(usize::MAX);
        let room = left.min(buffer.len());
        bytes.read_at(offset - start, &mut buffer[..room])
    }
}

/// A volume by its label, its superblock and its bytes.
type Device = (Vec<u8>, Superblock, Arc<dyn Bytes>);

/// The superblock of a volume that is one of several devices of a file system.
pub fn of_several(bytes: &Arc<dyn Bytes>) -> Option<Superblock> {
    let (found, _) = superblock::newest(&**bytes, 0).ok()??;
    // Several may lie one behind the other in one image.
    (found.devices > 1 && found.own.size <= bytes.size() && !has_more(bytes, &found)).then_some(found)
}

/// Whether another device of the same file system begins behind this one.
fn has_more(bytes: &Arc<dyn Bytes>, found: &Superblock) -> bool {
    let next = superblock::newest(&**bytes, found.own.size);
    found.own.size < bytes.size() && matches!(next, Ok(Some((next, _))) if next.fsid == found.fsid)
}

/// The file systems on these devices.
pub fn joined_volumes(devices: Vec<Device>) -> Vec<JoinedVolume> {
    let mut sets: Vec<([u8; 16], Vec<Device>, Vec<u64>)> = Vec::new();
    for device in devices {
        match sets.iter_mut().find(|(fsid, ..)| *fsid == device.1.fsid) {
            // Two of one number may be older and newer states of a device.
            Some((_, set, seconds)) if set.iter().any(|other| other.1.own.id == device.1.own.id) => {
                seconds.push(device.1.own.id);
            }
            Some((_, set, _)) => set.push(device),
            None => sets.push((device.1.fsid, vec![device], Vec::new())),
        }
    }
    sets.into_iter().map(|(fsid, set, seconds)| JoinedVolume { seconds, ..join(fsid, set) }).collect()
}

fn join(id: [u8; 16], mut set: Vec<Device>) -> JoinedVolume {
    let labels: Vec<&[u8]> = set.iter().map(|(label, _, _)| &label[..]).filter(|label| !label.is_empty()).collect();
    let name = labels.join(&b'+');
    // The newest first: its statements count.
    set.sort_by(|(a_label, a, _), (b_label, b, _)| (b.generation, a_label).cmp(&(a.generation, b_label)));
    let is_complete = set.first().is_none_or(|(_, newest, _)| newest.devices <= set.len() as u64);
    let alone = if let [(label, _, _)] = &set[..] { Some(label.clone()) } else { None };
    let (mut devices, mut end) = (Vec::new(), 0_u64);
    for (_, found, bytes) in set {
        devices.push((end, found.own.size, bytes));
        end = end.saturating_add(found.own.size);
    }
    JoinedVolume { name, id, is_complete, alone, bytes: Arc::new(JoinedDevices(devices)), seconds: Vec::new() }
}
