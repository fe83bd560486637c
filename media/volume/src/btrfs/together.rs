//! Partitions that are devices of one file system.

use std::io;
use std::sync::Arc;

use super::superblock::{self, Superblock};
use crate::bytes::Bytes;

/// Several partitions as the devices of one file system.
pub struct JoinedVolume {
    /// `p1+p2`, by the numbers of the partitions.
    pub name: Vec<u8>,
    /// These numbers.
    pub numbers: Vec<u32>,
    /// The devices, one behind the other.
    pub bytes: Arc<dyn Bytes>,
}

/// Devices one behind the other, each as long as it says that it is.
struct Joined(Vec<(u64, u64, Arc<dyn Bytes>)>);

impl Bytes for Joined {
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

/// A partition by its number, its superblock and its bytes.
type Device = (u32, Superblock, Arc<dyn Bytes>);

/// The volumes among these partitions that are devices of one file system, with at least two of
/// them there.
pub fn joined_volumes(partitions: &[(u32, Arc<dyn Bytes>)]) -> Vec<JoinedVolume> {
    let mut sets: Vec<([u8; 16], Vec<Device>)> = Vec::new();
    for (number, bytes) in partitions {
        let Ok(Some((found, _))) = superblock::newest(&**bytes, 0) else { continue };
        if found.devices < 2 || found.own.size > bytes.size() {
            continue;
        }
        let device = (*number, found, bytes.clone());
        match sets.iter_mut().find(|(fsid, _)| *fsid == device.1.fsid) {
            // Two of one number may be older and newer states of a device.
            Some((_, set)) if set.iter().any(|other| other.1.own.id == device.1.own.id) => {}
            Some((_, set)) => set.push(device),
            None => sets.push((device.1.fsid, vec![device])),
        }
    }
    sets.retain(|(_, set)| set.len() > 1);
    sets.into_iter().map(|(_, set)| join(set)).collect()
}

fn join(mut set: Vec<Device>) -> JoinedVolume {
    let numbers: Vec<u32> = set.iter().map(|(number, _, _)| *number).collect();
    let name = numbers.iter().map(|number| format!("p{number}")).collect::<Vec<_>>().join("+").into_bytes();
    // The newest first: what it says counts.
    set.sort_by_key(|(number, found, _)| (std::cmp::Reverse(found.generation), *number));
    let (mut devices, mut end) = (Vec::new(), 0_u64);
    for (_, found, bytes) in set {
        devices.push((end, found.own.size, bytes));
        end = end.saturating_add(found.own.size);
    }
    JoinedVolume { name, numbers, bytes: Arc::new(Joined(devices)) }
}
