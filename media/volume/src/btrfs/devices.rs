//! The devices of a file system: one after the other on the medium.

use std::sync::Arc;

use super::superblock::{self, OwnDevice, PLACES, Superblock};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, uuid};
use pfh_bytes::node::Failure;

/// The most devices that are looked for.
const MOST: usize = 1024;

/// A device that is present.
#[derive(Debug, Clone, Copy)]
pub struct Device {
    /// Where it begins on the medium.
    pub base: u64,
    /// Its number, size and identifier.
    pub own: OwnDevice,
}

/// All devices that are present.
#[derive(Clone)]
pub struct Devices {
    /// The medium.
    pub bytes: Arc<dyn Bytes>,
    /// In order of place.
    pub found: Vec<Device>,
}

impl Devices {
    /// The device of this superblock, and those of the same file system behind it.
    pub fn new(bytes: &Arc<dyn Bytes>, first: &Superblock) -> Devices {
        let mut found = vec![Device { base: 0, own: first.own }];
        let mut end = first.own.size;
        while (found.len() as u64) < first.devices && found.len() < MOST && end < bytes.size() {
            let Ok(next) = superblock::read(&**bytes, end, PLACES[0]) else { break };
            let is_known = found.iter().any(|device| device.own.id == next.own.id);
            let Some(behind) = end.checked_add(next.own.size).filter(|&behind| behind > end) else { break };
            if next.fsid != first.fsid || is_known {
                break;
            }
            found.push(Device { base: end, own: next.own });
            end = behind;
        }
        Devices { bytes: bytes.clone(), found }
    }

    /// How many bytes they have.
    pub fn size(&self) -> u64 {
        self.found.iter().map(|device| device.own.size).fold(0, u64::saturating_add)
    }

    /// Where a range of a device lies on the medium.
    ///
    /// # Errors
    /// If the device is missing, or ends before.
    pub fn place(&self, id: u64, of: [u8; 16], offset: u64, length: u64) -> Result<u64, Failure> {
        let device = self.found.iter().find(|device| device.own.id == id && device.own.uuid == of);
        let Some(device) = device else {
            return Err(failure(None, format!("it lies on the device {id} ({}), which is missing", uuid(of))));
        };
        let place = device.base.saturating_add(offset);
        match offset.checked_add(length) {
            Some(end) if end <= device.own.size => Ok(place),
            _ => Err(failure(Some(place), format!("a stripe leads out of the device {id}"))),
        }
    }
}
