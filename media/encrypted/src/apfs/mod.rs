//! FileVault of APFS: one key for all files of a volume, which the container keeps, wrapped by
//! keys that the passwords of its users open.

mod bag;
mod wrapped;

use crate::failure::Failure;
use crate::key::Keys;
use crate::mode::Cipher;
use bag::{HINT, OF_CONTAINER, OF_VOLUME, Place, RECORDS, VOLUME_KEY, entries};
use pfh_container::Bytes;
use wrapped::WrappedKey;

/// The most wrapped keys of a volume.
const MOST_RECORDS: usize = 256;

/// A volume of a container, and where the container keeps its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApfsVolume {
    /// The UUID of the container.
    pub container: [u8; 16],
    /// The UUID of the volume.
    pub volume: [u8; 16],
    /// Bytes of a block of the container.
    pub block_size: u64,
    /// The first block of the container's bag of keys, 0 if it has none, and how many blocks.
    pub bag: (u64, u64),
}

/// The cipher of a volume of the container in `bytes`, and the key that opened it. The cipher
/// counts places in bytes, in sectors of 512.
///
/// # Errors
/// If the medium cannot be read, the bags of keys contradict themselves, or no key fits.
pub fn volume_cipher(bytes: &dyn Bytes, of: ApfsVolume, keys: &Keys) -> Result<(Cipher, String), Failure> {
    let ApfsVolume { container, volume, block_size, bag: (block, count) } = of;
    let place = Place { block, count };
    if block == 0 {
        return Err(Failure::Unread("APFS whose keys the device itself keeps".to_owned()));
    }
    let at = place.block.saturating_mul(block_size);
    let there = entries(bytes, block_size, place, (OF_CONTAINER, container))?;
    let of = |tag: u16| there.iter().find(|entry| (entry.tag, entry.id) == (tag, volume));
    let wrong = |what: &str| Failure::damaged(at, what);
    let own = of(VOLUME_KEY).ok_or_else(|| wrong("an APFS container without the key of a volume"))?;
    let own = WrappedKey::read(&own.data).map_err(wrong)?;
    let records = of(RECORDS).ok_or_else(|| wrong("an APFS container without the records of a volume"))?;
    let records = Place::read(&records.data, 0);
    let users = entries(bytes, block_size, records, (OF_VOLUME, volume))?;
    let (mut closed, mut damaged) = (0, None);
    for (index, entry) in users.iter().filter(|entry| entry.tag == RECORDS).take(MOST_RECORDS).enumerate() {
        let record = match WrappedKey::read(&entry.data) {
            Ok(record) => record,
            Err(what) => {
                damaged = damaged.or(Some(Failure::damaged(records.block.saturating_mul(block_size), what)));
                continue;
            }
        };
        closed += 1;
        for key in keys.iter() {
            let opened = record.by_password(key.bytes()).and_then(|key| own.volume_key(&key));
            if let Some(cipher) = opened.and_then(|key| Cipher::xts(&key, 512)) {
                return Ok((cipher, format!("password of record {}", index + 1)));
            }
        }
    }
    if closed == 0
        && let Some(damaged) = damaged
    {
        return Err(damaged);
    }
    let hint =
        users.iter().find(|entry| entry.tag == HINT).map(|entry| String::from_utf8_lossy(&entry.data).into_owned());
    let needs = match hint.filter(|hint| !hint.is_empty()) {
        Some(hint) => format!("a password (its hint: {hint:?})"),
        None => "a password".to_owned(),
    };
    Err(Failure::NoKey { needs: vec![needs], tried: keys.iter().count() })
}
