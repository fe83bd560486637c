//! The account of a zip: what its directory lists, and the bytes between.

use super::zip_directory::{Place, Record, Records, u16_at, u32_at, u64_at};
use pfh_bytes::account::{Claims, Holds};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Failure, Flaw};
use std::ops::Range;
use std::sync::Arc;

const DESCRIPTOR: u16 = 8;
/// The end of Android's block of signatures in front of the directory.
const SIGNED: &[u8] = b"APK Sig Block 42";
/// Bytes that are too few for a member: descriptors of other forms are as long.
const LEAST: u64 = 30;

/// All that a zip accounts for; `None` if its directory is damaged.
///
/// # Errors
/// If it has none.
pub fn all(bytes: &Arc<dyn Bytes>) -> Result<Option<Claims>, Failure> {
    let parts: Arc<[u64]> = [0][..].into();
    let place = Place::find(&**bytes, &parts)?;
    let Some(mut found) = claims(bytes, &place, place.records(bytes, &parts)) else { return Ok(None) };
    let mut filled = Claims::default();
    let again = claims(bytes, &place, place.records(bytes, &parts)).unwrap_or_default();
    for gap in again.gaps(bytes.size()) {
        filled.add(gap.start..empty_headers(&**bytes, gap.start, gap.end), Holds::Padding, b"headers without members");
    }
    found.add_beneath(bytes.size(), filled);
    Ok(Some(found))
}

/// The ranges that the directory of a zip accounts for, with the names of members; `None` if the
/// directory is damaged.
pub fn claims(bytes: &Arc<dyn Bytes>, place: &Place, records: Records) -> Option<Claims> {
    let mut claims = Claims::default();
    if place.shift > 0 && is_own_header(&**bytes, place.shift) {
        claims.add(0..place.shift, Holds::Reserved, b"header of the format built on zip");
    }
    let start = read_some(&**bytes, place.shift, 4).unwrap_or_default();
    if start == b"PK\x07\x08" || start == b"PK00" {
        claims.add(place.shift..place.shift + 4, Holds::Structure, b"mark of a zip in parts");
    }
    for record in records {
        member(&**bytes, place, &record.ok()?, &mut claims);
    }
    let end = place.start.saturating_add(place.length);
    claims.add(place.start..end, Holds::Structure, b"central directory");
    claims.add(end..bytes.size().saturating_sub(place.behind), Holds::Structure, b"end records");
    let signatures = signatures(&**bytes, place.start);
    claims.add(signatures.start..signatures.end, Holds::Reserved, b"APK signing block");
    Some(claims)
}

/// Ranges between the members that nothing accounts for and that may be members, in order; and what
/// is said of those that are not all one byte.
pub fn hidden(claims: Claims, bytes: &Arc<dyn Bytes>, place: &Place) -> Vec<(Range<u64>, Failure)> {
    let gaps = claims.gaps(bytes.size()).into_iter().map(|gap| empty_headers(&**bytes, gap.start, gap.end)..gap.end);
    let within = gaps.filter(|gap| {
        // Bytes around the zip are named as such.
        gap.start >= place.shift && gap.end <= place.start && gap.end - gap.start >= LEAST
    });
    within
        .filter_map(|gap| match pfh_bytes::account::said(&**bytes, &gap) {
            Ok(said) => said.map(|failed| {
                let is_member = read_some(&**bytes, gap.start, 4).is_ok_and(|start| start == b"PK\x03\x04");
                let flaw = if is_member { Flaw::Unlisted } else { failed.flaw };
                (gap, Failure { flaw, ..failed })
            }),
            Err(failed) => Some((gap, failed)),
        })
        .collect()
}

/// Where the local headers without name and bytes end that begin at `start`: Android's tools fill
/// room with them.
fn empty_headers(bytes: &dyn Bytes, mut start: u64, end: u64) -> u64 {
    while start + 30 <= end {
        let Ok(header) = read_some(bytes, start, 30) else { break };
        let (is_nameless, extra) = (u16_at(&header, 26) == 0, usize::from(u16_at(&header, 28)));
        let is_empty = header.get(14..26).is_some_and(|fields| fields.iter().all(|byte| *byte == 0));
        let fill = read_some(bytes, start + 30, extra).unwrap_or_default();
        let is_filled = fill.len() == extra && fill.iter().all(|byte| *byte == 0);
        if !(header.starts_with(b"PK\x03\x04") && is_nameless && is_empty && is_filled) {
            break;
        }
        start += 30 + extra as u64;
    }
    start.min(end)
}

/// A member: its local header, its bytes and the descriptor behind them.
fn member(bytes: &dyn Bytes, place: &Place, record: &Record, claims: &mut Claims) {
    let start = record.offset.saturating_add(place.shift);
    let Ok(header) = read_some(bytes, start, 30) else { return };
    if !header.starts_with(b"PK\x03\x04") || header.len() < 30 {
        return;
    }
    let data = start + 30 + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
    let end = data.saturating_add(record.stored);
    claims.add(start..data, Holds::Structure, b"local header");
    claims.add(data..end, Holds::Content, &record.name);
    if record.flags & DESCRIPTOR != 0 || u16_at(&header, 6) & DESCRIPTOR != 0 {
        let behind = read_some(bytes, end, 24).unwrap_or_default();
        claims.add(end..end.saturating_add(descriptor(&behind, record)), Holds::Structure, b"descriptor");
    }
}

/// The length of the descriptor that begins here: with or without a mark, with sizes of 32 or of 64
/// bits; 0 if there is none of this member.
fn descriptor(behind: &[u8], record: &Record) -> u64 {
    let mark = if behind.starts_with(b"PK\x07\x08") { 4 } else { 0 };
    let is_wide = u64_at(behind, mark + 4) == record.stored && u64_at(behind, mark + 12) == record.size;
    let is_narrow = u32_at(behind, mark + 4) == record.stored as u32 && u32_at(behind, mark + 8) == record.size as u32;
    // Zeros fit both: the shorter one is meant if the next mark stands behind it.
    let is_followed = |length: usize| behind.get(length..length + 2).is_none_or(|next| next == b"PK");
    match mark as u64 {
        _ if u32_at(behind, mark) != record.crc && mark == 0 => 0,
        mark if is_wide && !(is_narrow && is_followed(mark as usize + 12)) => mark + 20,
        mark if is_narrow => mark + 12,
        4 => 16,
        _ => 0,
    }
}

/// Where Android's signatures stand, in front of the directory; empty if there are none.
fn signatures(bytes: &dyn Bytes, directory: u64) -> Range<u64> {
    let none = directory..directory;
    let Some(at) = directory.checked_sub(24) else { return none };
    let Ok(end) = read_some(bytes, at, 24) else { return none };
    if !end.ends_with(SIGNED) {
        return none;
    }
    directory.checked_sub(u64_at(&end, 0).saturating_add(8)).map_or(none, |start| start..directory)
}

/// Whether the bytes in front of a zip are a header that a format built on zip puts there: modules
/// of Java (JMOD) and extensions of Chromium (CRX, version 3).
pub fn is_own_header(bytes: &dyn Bytes, length: u64) -> bool {
    let mut start = [0; 12];
    if bytes.read_exact_at(0, &mut start).is_err() {
        return false;
    }
    match &start[..8] {
        [b'J', b'M', 1, 0, ..] => length == 4,
        [b'C', b'r', b'2', b'4', 3, 0, 0, 0] => u64::from(u32_at(&start, 8)) + 12 == length,
        _ => false,
    }
}
