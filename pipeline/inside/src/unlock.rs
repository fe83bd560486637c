//! Encrypted volumes, by the keys at hand.

use super::detect::ContainerRefusal;
use pfh_encrypted::{ApfsVolume, Cipher, Failure, Keys, OpenedVolume, volume_cipher};
use pfh_volume::{Bytes, Decrypt, LockedVolume, VolumeContent};
use std::sync::Arc;

/// Opens the volume that has the magic of `format`.
///
/// # Errors
/// Why it stays closed. Damage is damage also where formats that are not read may be skipped.
pub fn open(format: &str, bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<OpenedVolume, ContainerRefusal> {
    match pfh_encrypted::open(bytes, keys) {
        Ok(Some(opened)) => Ok(opened),
        Ok(None) => Err(ContainerRefusal { why: format!("is encrypted ({format})"), is_damaged: false }),
        Err(failure) => Err(closed(format, &failure)),
    }
}

/// Decrypts a volume's files.
struct Sectors(Cipher);

impl Decrypt for Sectors {
    fn decrypt(&self, place: u64, data: &mut [u8]) {
        self.0.decrypt(place, data);
    }
}

/// Opens the volume that is locked, of the container in `bytes`.
///
/// # Errors
/// As [`open`].
pub fn open_locked(
    locked: &LockedVolume,
    bytes: &Arc<dyn Bytes>,
    keys: &Keys,
) -> Result<VolumeContent, ContainerRefusal> {
    let (bag, volume) = (locked.bag, locked.volume);
    let of = ApfsVolume { container: bag.container, volume, block_size: bag.block_size, bag: (bag.block, bag.count) };
    let (cipher, _) = volume_cipher(&**bytes, of, keys).map_err(|failure| closed(locked.format, &failure))?;
    locked.open(Arc::new(Sectors(cipher))).map_err(|failure| ContainerRefusal {
        why: format!("is encrypted ({}): {failure}", locked.format),
        is_damaged: true,
    })
}

/// Why a volume stays closed.
fn closed(format: &str, failure: &Failure) -> ContainerRefusal {
    let is_damaged = matches!(failure, Failure::Unreadable(..) | Failure::Damaged { .. });
    ContainerRefusal { why: format!("is encrypted ({format}): {failure}"), is_damaged }
}
