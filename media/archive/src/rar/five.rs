//! Headers of RAR 5 and later, by rarlab's "RAR 5.0 archive format": numbers of seven bits a byte,
//! and records behind the fields of a header.

use super::entry::{Entry, EntryKind, Volume, rest};
use super::solid::Method;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le32, le64, read, read_some};
use pfh_bytes::node::{Failure, Times};
use pfh_bytes::time::windows;

/// The first bytes of an archive.
pub const MAGIC: &[u8] = b"Rar!\x1a\x07\x01\0";

/// The largest header.
const LARGEST: u64 = 2 << 20;

/// Bytes that are taken from the front.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for at in 0..10 {
            let byte = *self.0.get(at)?;
            value |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
            if byte & 0x80 == 0 {
                self.0 = &self.0[at + 1..];
                return Some(value);
            }
        }
        None
    }

    fn bytes(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        self.bytes(4).map(|bytes| le32(bytes, 0))
    }
}

/// Whether an archive with these first bytes is one of several volumes.
pub fn is_volume(start: &[u8]) -> Option<bool> {
    let mut fields = Fields(start.get(MAGIC.len() + 4..)?);
    let _size = fields.number()?;
    let (kind, flags) = (fields.number()?, fields.number()?);
    if flags & 1 != 0 {
        fields.number()?;
    }
    (kind == 1).then_some(fields.number()? & 1 != 0)
}

/// A block; where the next one is, `None` behind the last.
pub fn block(bytes: &dyn Bytes, at: u64, end: u64, volume: &mut Volume) -> Result<Option<u64>, Failure> {
    let fail = |cause: &str| Failure { offset: Some(at), cause: cause.into(), ..Failure::default() };
    let start = read_some(bytes, at, 7)?;
    if start.iter().all(|byte| *byte == 0) {
        rest(bytes, at, end, volume);
        return Ok(None);
    }
    let cut = || fail("a header that is cut off, or of an impossible size: nothing behind it is read");
    let mut fields = Fields(start.get(4..).unwrap_or_default());
    let size = fields.number().filter(|size| *size > 0 && *size <= LARGEST).ok_or_else(cut)?;
    let before = start.len() - fields.0.len();
    let data = at + before as u64 + size;
    if data > end {
        return Err(cut());
    }
    let header = read(bytes, at, before + size as usize)?;
    if crc32fast::hash(&header[4..]) != le32(&header, 0) {
        return Err(fail("a header whose CRC does not hold: nothing behind it is read"));
    }
    let odd = || fail("a header whose fields lead out of it: nothing behind it is read");
    let mut fields = Fields(&header[before..]);
    let (kind, flags) = (fields.number().ok_or_else(odd)?, fields.number().ok_or_else(odd)?);
    let extra = if flags & 1 != 0 { fields.number().ok_or_else(odd)? } else { 0 };
    let stored = if flags & 2 != 0 { fields.number().ok_or_else(odd)? } else { 0 };
    let split = usize::try_from(extra).ok().and_then(|extra| header.len().checked_sub(extra)).ok_or_else(odd)?;
    let records = header.get(split..).filter(|_| split >= before).ok_or_else(odd)?;
    let next = data.checked_add(stored).filter(|next| *next <= end);
    match kind {
        2 | 3 => {
            let left = fields.0.len().checked_sub(records.len()).ok_or_else(odd)?;
            let fields = Fields(&fields.0[..left]);
            let found = entry(kind == 3, fields, Fields(records), volume).ok_or_else(odd)?;
            if let Some(mut entry) = found {
                entry.at = at;
                (entry.begins_before, entry.goes_on) = (flags & 8 != 0, flags & 0x10 != 0);
                if stored > 0 {
                    entry.packed.pieces.push((data, next.unwrap_or(end)));
                }
                if next.is_none() {
                    let cause = "a member that leads out of the archive: it is cut off".to_owned();
                    volume.entries.push(Err(Failure {
                        path: entry.path,
                        offset: Some(at),
                        cause,
                        ..Failure::default()
                    }));
                    return Ok(None);
                }
                volume.entries.push(Ok(entry));
            }
        }
        4 => return Err(fail("its headers are encrypted: not even names can be read")),
        5 => {
            volume.goes_on = fields.number().ok_or_else(odd)? & 1 != 0;
            rest(bytes, data, end, volume);
            return Ok(None);
        }
        _ => {}
    }
    next.map(Some).ok_or_else(|| fail("a block that leads out of the archive: it is cut off"))
}

/// The member of a header, `Some(None)` for another header, and `None` if its fields lead out of
/// it.
fn entry(is_service: bool, mut fields: Fields<'_>, mut records: Fields<'_>, volume: &Volume) -> Option<Option<Entry>> {
    let mut entry = Entry::new(0);
    let flags = fields.number()?;
    let size = fields.number()?;
    let _attributes = fields.number()?;
    if flags & 2 != 0 {
        entry.times.modified = Some(i128::from(fields.word()?) * 1_000_000_000);
    }
    if flags & 4 != 0 {
        entry.crc = Some(fields.word()?);
    }
    let packing = fields.number()?;
    let _host = fields.number()?;
    let length = fields.number()?;
    entry.path = fields.bytes(length)?.to_vec();
    entry.packed.size = (flags & 8 == 0).then_some(size);
    if flags & 1 != 0 {
        entry.what = EntryKind::Directory;
    }
    let version = packing & 0x3f;
    entry.packed.method = match (packing >> 7 & 7, version) {
        (0, 0 | 1) => Method::Stored,
        (1..=5, 0) => Method::Five,
        (1..=5, 1) if packing & 0x10_0000 != 0 => Method::Five,
        (1..=5, 1) => Method::Seven,
        _ => Method::Unread((packing & 0x3ff) as u32),
    };
    let base = (128_u64 << 10) << (packing >> 10 & 0x1f);
    entry.packed.window = if version == 0 { base } else { base + base / 32 * (packing >> 15 & 0x1f) };
    entry.is_solid = packing & 0x40 != 0 && !is_service;
    let mut stream = None;
    while !records.0.is_empty() {
        let size = records.number()?;
        let mut record = Fields(records.bytes(size)?);
        match record.number()? {
            1 => entry.is_encrypted = true,
            2 if record.number()? == 0 => entry.blake = record.bytes(32)?.try_into().ok(),
            3 => times(&mut record, &mut entry.times)?,
            4 => {
                let _flags = record.number()?;
                let number = record.number()?;
                if number > 0 {
                    entry.path.extend(format!(";{number}").into_bytes());
                }
            }
            5 => {
                let (kind, _flags, length) = (record.number()?, record.number()?, record.number()?);
                let target = record.bytes(length)?.to_vec();
                entry.what = if matches!(kind, 4 | 5) { EntryKind::Same(target) } else { EntryKind::Link(target) };
            }
            7 if is_service => stream = Some(record.0),
            _ => {}
        }
    }
    if is_service {
        if entry.path != b"STM" {
            return Some(None);
        }
        // A further stream of the file before.
        let Some(of) = volume.entries.iter().rev().flatten().find(|entry| entry.what != EntryKind::Stream) else {
            return Some(None);
        };
        let name = stream.unwrap_or_default();
        entry.path = [&of.path[..], b":", name.strip_prefix(b":").unwrap_or(name)].concat();
        entry.what = EntryKind::Stream;
    }
    Some(Some(entry))
}

fn times(record: &mut Fields<'_>, times: &mut Times) -> Option<()> {
    let flags = record.number()?;
    let (is_unix, is_fine) = (flags & 1 != 0, flags & 0x11 == 0x11);
    let mut found = [None; 3];
    for (number, time) in found.iter_mut().enumerate().filter(|(number, _)| flags >> (number + 1) & 1 == 1) {
        *time = if is_unix {
            Some(i128::from(record.word()?) * 1_000_000_000)
        } else {
            windows(record.bytes(8).map(|bytes| le64(bytes, 0))?)
        };
        debug_assert!(number < 3);
    }
    for time in found.iter_mut().flatten().filter(|_| is_fine) {
        let more = record.word()? & 0x3fff_ffff;
        *time += if more < 1_000_000_000 { i128::from(more) } else { 0 };
    }
    let [modified, born, accessed] = found;
    times.modified = modified.or(times.modified);
    (times.born, times.accessed) = (born, accessed);
    Some(())
}
