//! BitLocker Drive Encryption: Windows Vista (version 1) and Windows 7 to 11 (version 2), by
//! J. Metz, *BitLocker Drive Encryption (BDE) format specification*.

mod entry;
mod metadata;
mod protector;
mod wrapped;

use crate::decrypted::{Extent, Kind, PlainVolume};
use crate::failure::Failure;
use crate::field::{le16, le64, read_some};
use crate::key::Keys;
use crate::mode::Cipher;
use crate::opened::OpenedVolume;
use metadata::{Metadata, SIGNATURE, Version};
use pfh_container::Bytes;
use std::sync::Arc;

/// The boot sector's identifiers, little-endian GUIDs: of a volume; of one that is encrypted only
/// where something was written.
const VOLUME: [u8; 16] =
    [0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a, 0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01];
const ON_WRITE: [u8; 16] =
    [0x3b, 0x4d, 0xa8, 0x92, 0x80, 0xdd, 0x0e, 0x4d, 0x9e, 0x4e, 0xb1, 0xe3, 0x28, 0x4e, 0xae, 0xd8];
/// Where the identifier stands: of a volume, and of BitLocker To Go, which begins as FAT.
const PLACES: [usize; 2] = [0xa0, 0x1a8];
/// Windows Vista leaves these first bytes plain.
const VISTA_PLAIN: u64 = 16 * 512;

/// The fields of the boot sector.
struct Boot {
    sector: usize,
    metadata: [u64; 3],
    version: Version,
}

/// The boot sector of a BitLocker volume; `None` of any other.
fn boot(head: &[u8]) -> Result<Option<Boot>, Failure> {
    let sector = usize::from(le16(head, 11));
    let has = |at: usize, magic: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(magic));
    let place = PLACES.into_iter().find(|at| has(*at, &VOLUME));
    let is_whole = |boot: Boot| match sector {
        512 | 1024 | 2048 | 4096 => Ok(Some(boot)),
        other => Err(Failure::damaged(11, format!("sectors of {other} bytes"))),
    };
    if let Some(at) = place {
        let metadata = [16, 24, 32].map(|behind| le64(head, at + behind));
        return is_whole(Boot { sector, metadata, version: Version::Two });
    }
    if !has(3, SIGNATURE) {
        return Ok(None);
    }
    if has(PLACES[0], &ON_WRITE) {
        return Err(Failure::Unread("BitLocker while it is being encrypted on write".to_owned()));
    }
    // A signature alone is not a volume of version 1.
    if !matches!(sector, 512 | 1024 | 2048 | 4096) {
        return Ok(None);
    }
    // Version 1 has a cluster in place of NTFS's mirror of the file table.
    let cluster = u64::from(head.get(13).copied().unwrap_or(0)).saturating_mul(sector as u64);
    let first = le64(head, 0x38).saturating_mul(cluster);
    is_whole(Boot { sector, metadata: [first, 0, 0], version: Version::One })
}

/// Opens a BitLocker volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Option<OpenedVolume>, Failure> {
    let Some(boot) = boot(&read_some(&**bytes, 0, 512)?)? else { return Ok(None) };
    let (metadata, mut warnings) = metadata::find(&**bytes, boot.metadata, boot.version)?;
    let (volume_key, by) = protector::unlock(&metadata.protectors, keys)?;
    if let Some(warning) = metadata::authentic(&**bytes, &metadata, &volume_key) {
        warnings.push(warning);
    }
    let data_key = wrapped::data_key(metadata.data_key.as_ref(), metadata.at, &volume_key)?;
    let cipher = cipher(&metadata, &data_key, boot.sector)?;
    let plain = match metadata.version {
        Version::One => of_vista(bytes, &metadata, cipher)?,
        Version::Two => of_seven(bytes, &metadata, cipher, boot.sector as u64)?,
    };
    Ok(Some(OpenedVolume { format: "BitLocker", bytes: Arc::new(plain), by, warnings }))
}

/// The cipher of the method that the key itself names.
fn cipher(metadata: &Metadata, key: &wrapped::DataKey, sector: usize) -> Result<Cipher, Failure> {
    let bytes = &key.bytes;
    let part = |from: usize, length: usize| bytes.get(from..from + length);
    let found = match key.method {
        0x8000 => part(0, 16).zip(part(32, 16)).and_then(|(key, tweak)| Cipher::bitlocker(key, Some(tweak), sector)),
        0x8001 => part(0, 32).zip(part(32, 32)).and_then(|(key, tweak)| Cipher::bitlocker(key, Some(tweak), sector)),
        0x8002 => part(0, 16).and_then(|key| Cipher::bitlocker(key, None, sector)),
        0x8003 => part(0, 32).and_then(|key| Cipher::bitlocker(key, None, sector)),
        0x8004 => part(0, 32).and_then(|key| Cipher::xts(key, sector)),
        0x8005 => part(0, 64).and_then(|key| Cipher::xts(key, sector)),
        other => return Err(Failure::Unread(format!("BitLocker with the encryption method {other:#06x}"))),
    };
    found.ok_or_else(|| Failure::damaged(metadata.at, "a key that is too short for its method"))
}

/// The metadata are files of the plain volume as well, whose content is zeros there.
fn without_metadata(metadata: &Metadata, size: u64, extents: &mut Vec<Extent>, from: u64) {
    let mut holes: Vec<(u64, u64)> = metadata.blocks.iter().map(|at| (*at, at.saturating_add(metadata.room))).collect();
    holes.extend(metadata.header);
    holes.retain(|(start, _)| *start < size);
    holes.sort_unstable();
    let encrypted_to = metadata.encrypted.min(size);
    // The range between two holes: encrypted up to `encrypted_to`, and plain behind it.
    let mut fill = |start: u64, end: u64| {
        if start < end.min(encrypted_to) {
            extents.push(Extent { start, kind: Kind::Encrypted { at: start, place: start } });
        }
        if start.max(encrypted_to) < end {
            let start = start.max(encrypted_to);
            extents.push(Extent { start, kind: Kind::Plain(start) });
        }
    };
    let mut at = from;
    let mut zeros = Vec::new();
    for (start, end) in holes {
        if start >= at {
            fill(at, start);
        }
        if end > at {
            zeros.push(Extent { start: start.max(at), kind: Kind::Zeros });
            at = end.min(size);
        }
    }
    fill(at, size);
    extents.extend(zeros);
    extents.sort_by_key(|extent| extent.start);
}

/// Windows 7 and later: the first sectors lie elsewhere, encrypted where they lie.
fn of_seven(bytes: &Arc<dyn Bytes>, metadata: &Metadata, cipher: Cipher, sector: u64) -> Result<PlainVolume, Failure> {
    let size = bytes.size() - bytes.size() % sector;
    let (start, end) = metadata.header.unwrap_or_default();
    let length = end - start;
    if !start.is_multiple_of(sector) || !length.is_multiple_of(sector) || end > size {
        return Err(Failure::damaged(metadata.at, "the first sectors lie outside of the volume"));
    }
    let mut extents = Vec::new();
    if length > 0 {
        // A volume that is decrypted up to here has them plain.
        let kind =
            if start < metadata.encrypted { Kind::Encrypted { at: start, place: start } } else { Kind::Plain(start) };
        extents.push(Extent { start: 0, kind });
    }
    without_metadata(metadata, size, &mut extents, length);
    Ok(PlainVolume::new(bytes.clone(), cipher, size, extents))
}

/// Windows Vista: the first sectors are plain, with two fields of the first one changed.
fn of_vista(bytes: &Arc<dyn Bytes>, metadata: &Metadata, cipher: Cipher) -> Result<PlainVolume, Failure> {
    let size = bytes.size() - bytes.size() % 512;
    let mut head = read_some(&**bytes, 0, 512)?;
    head.resize(512, 0);
    head[3..11].copy_from_slice(b"NTFS    ");
    head[0x38..0x40].copy_from_slice(&metadata.mirror.to_le_bytes());
    let mut extents = vec![Extent { start: 0, kind: Kind::Plain(0) }];
    without_metadata(metadata, size, &mut extents, VISTA_PLAIN.min(size));
    Ok(PlainVolume::new(bytes.clone(), cipher, size, extents).beginning(head))
}
