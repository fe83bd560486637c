//! CoreStorage, the volumes of OS X 10.7 to macOS 10.15, with FileVault 2 or without (J. B. Metz,
//! *FileVault Drive Encryption (FVDE)*, 0.0.17).

mod context;
mod header;
mod metadata;

use crate::decrypted::{Extent, Kind, PlainVolume};
use crate::failure::Failure;
use crate::field::{le16, le32, le64};
use crate::key::Keys;
use crate::mode::Cipher;
use crate::opened::OpenedVolume;
use context::{Context, values};
use header::Header;
use metadata::{BASE, FAMILY, Objects, SEGMENTS, VOLUME};
use pfh_container::Bytes;
use std::sync::Arc;

/// The most segments of a logical volume.
const MOST_SEGMENTS: usize = 200;

/// Opens the logical volume of a group; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Option<OpenedVolume>, Failure> {
    let Some((header, warning)) = Header::find(&**bytes)? else { return Ok(None) };
    let encrypted = metadata::find(&**bytes, &header)?;
    let (objects, mut warnings) = Objects::read(&**bytes, &header, &encrypted)?;
    warnings.extend(warning);
    let wrong = |what: &str| Failure::damaged(0, format!("CoreStorage: {what}"));
    let mut volumes = objects.of(VOLUME);
    let volume = volumes.next().ok_or_else(|| wrong("no logical volume"))?;
    if volumes.next().is_some() {
        return Err(Failure::Unread("a CoreStorage group of several logical volumes".to_owned()));
    }
    let about = Objects::volume_text(volume).ok_or_else(|| wrong("the properties of its volume are damaged"))?;
    let family = values(&about, "com.apple.corestorage.lv.familyUUID", "string").find_map(uuid);
    let family = family.ok_or_else(|| wrong("its volume has no family"))?;
    let size = values(&about, "com.apple.corestorage.lv.size", "integer").find_map(number);
    let extents = extents(&objects, volume, (&header, encrypted.medium))?;
    let end = extents.1;
    let size = size.map_or(end, |size| size.min(end));

    let texts: Vec<String> = objects.of(FAMILY).filter_map(|raw| objects.family_text(raw)).collect();
    let of_family = texts.iter().filter(|text| {
        values(text, "com.apple.corestorage.lvf.uuid", "string").find_map(uuid).is_none_or(|found| found == family)
    });
    let of_family: Vec<&String> = of_family.collect();
    for text in &of_family {
        let status = values(text, "ConversionStatus", "string").next().unwrap_or("Complete");
        if !["Complete", "NoConversion"].contains(&status) {
            return Err(Failure::Unread(format!("CoreStorage whose encryption is in the state {status:?}")));
        }
    }
    let is_plain = |text: &&&String| {
        let kind = values(text, "com.apple.corestorage.lvf.encryption.type", "string").next();
        let mut methods = values(text, "BlockAlgorithm", "string").peekable();
        kind == Some("None") || kind.is_none() && methods.peek().is_some() && methods.all(|method| method == "None")
    };
    if of_family.iter().any(|text| is_plain(&text)) {
        let plain = extents.0.iter().map(|&(start, at)| Extent { start, kind: Kind::Plain(at) }).collect();
        let cipher = Cipher::xts(&[0; 32], 512).ok_or_else(|| wrong("no cipher"))?;
        let plain = Arc::new(PlainVolume::new(bytes.clone(), cipher, size, plain));
        return Ok(Some(OpenedVolume { format: "CoreStorage", bytes: plain, by: "no key".to_owned(), warnings }));
    }
    let mut contexts: Vec<Context> = of_family.iter().filter_map(|text| Context::new(text)).collect();
    let inside = contexts.len();
    contexts.extend(keys.iter().filter_map(|key| Context::of_file(key, header.id())));
    for context in &contexts {
        let key = context.open(keys.iter().map(crate::key::Key::bytes));
        let Some(cipher) = key.and_then(|key| context::cipher(&key, family)) else { continue };
        let extents = extents.0.iter();
        let extents = extents.map(|&(start, at)| Extent { start, kind: Kind::Encrypted { at, place: start } });
        let plain = Arc::new(PlainVolume::new(bytes.clone(), cipher, size, extents.collect()));
        return Ok(Some(OpenedVolume { format: "FileVault 2", bytes: plain, by: "password".to_owned(), warnings }));
    }
    let hint = contexts.iter().find_map(|context| context.hint.as_ref());
    let password = hint.map_or("a password".to_owned(), |hint| format!("a password (its hint: {hint:?})"));
    let needs = match inside {
        0 => format!("{password} together with EncryptedRoot.plist.wipekey of its recovery volume as a key file"),
        _ => password,
    };
    Err(Failure::NoKey { needs: vec![needs], tried: keys.iter().count() })
}

/// Where the logical volume lies: starts in it, and on the medium; and its end.
fn extents(objects: &Objects, volume: &[u8], of: (&Header, u64)) -> Result<(Vec<(u64, u64)>, u64), Failure> {
    let (header, medium) = of;
    let wrong = |what: &str| Failure::damaged(0, format!("CoreStorage: {what}"));
    let number = |raw: &[u8], at: usize| le64(raw, at) & ((1 << 48) - 1);
    let is_here = |raw: &[u8], at: usize| match u64::from(le16(raw, at + 6)) == medium {
        true => Ok(()),
        false => Err(Failure::Unread("a CoreStorage volume over several disks (Fusion)".to_owned())),
    };
    let behind = |at: usize| le64(volume, 64 + at);
    // Segments count from a base where there is one: in volumes that start a Mac.
    let base = match objects.get(behind(48), BASE) {
        Some(raw) if le32(raw, 0) == 1 => {
            is_here(raw, 16)?;
            number(raw, 16)
        }
        Some(_) => return Err(Failure::Unread("a CoreStorage volume with several bases of segments".to_owned())),
        None => 0,
    };
    let raw = objects.get(behind(8), SEGMENTS).ok_or_else(|| wrong("its volume has no segments"))?;
    let count = le32(raw, 0) as usize;
    if count == 0 || count > MOST_SEGMENTS {
        return Err(Failure::Unread(format!("a CoreStorage volume of {count} segments")));
    }
    let mut found: Vec<(u64, u64, u64)> = Vec::new();
    for raw in raw[8..].chunks_exact(40).take(count) {
        is_here(raw, 32)?;
        let bytes = |blocks: u64| blocks.checked_mul(header.block_size).ok_or_else(|| wrong("a segment beyond 2^64"));
        found.push((
            bytes(le64(raw, 8))?,
            bytes(u64::from(le32(raw, 16)))?,
            bytes(base.saturating_add(number(raw, 32)))?,
        ));
    }
    found.sort_unstable();
    let mut end = 0;
    for &(start, length, at) in &found {
        if start != end || length == 0 || at.checked_add(length).is_none() {
            return Err(wrong("the segments of its volume leave a gap or overlap"));
        }
        end = start.checked_add(length).ok_or_else(|| wrong("a segment beyond 2^64"))?;
    }
    Ok((found.iter().map(|&(start, _, at)| (start, at)).collect(), end))
}

/// The bytes of a UUID in text.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let digits = text.replace('-', "").to_ascii_lowercase();
    data_encoding::HEXLOWER.decode(digits.as_bytes()).ok()?.try_into().ok()
}

/// A number in text, with `0x` in front or in decimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
