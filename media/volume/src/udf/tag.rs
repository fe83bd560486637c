//! Descriptor tags: which descriptor it is, and whether it is whole.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::crc16::crc16;
use pfh_bytes::field::{byte, failure, le16, le32, read};
use pfh_bytes::node::Failure;
use pfh_bytes::text::utf16;

/// Bytes of a tag.
pub const LENGTH: usize = 16;

/// The number of the descriptor at the start of `raw`, if its tag and its CRC hold.
pub fn identifier(raw: &[u8]) -> Option<u16> {
    let sum = raw.get(..LENGTH)?.iter().enumerate().filter(|(at, _)| *at != 4);
    let sum = sum.fold(0_u8, |sum, (_, byte)| sum.wrapping_add(*byte));
    let covered = raw.get(LENGTH..LENGTH + usize::from(le16(raw, 10)))?;
    (sum == byte(raw, 4) && crc16(0, covered) == le16(raw, 8)).then(|| le16(raw, 0))
}

/// Reads the descriptor in the block at `offset`, which says that it is number `location`.
pub fn descriptor(bytes: &dyn Bytes, offset: u64, block: usize, location: u32) -> Result<(u16, Vec<u8>), Failure> {
    let raw = read(bytes, offset, block)?;
    match identifier(&raw) {
        Some(found) if le32(&raw, 12) == location => Ok((found, raw)),
        Some(_) => Err(failure(Some(offset), "a descriptor of UDF that belongs elsewhere")),
        None => Err(failure(Some(offset), "a descriptor of UDF with a wrong checksum")),
    }
}

/// A text of OSTA's compressed Unicode, without the byte of its length.
pub fn text(raw: &[u8]) -> Option<Vec<u8>> {
    let (&kind, rest) = raw.split_first()?;
    let units: Vec<u16> = match kind {
        8 | 254 => rest.iter().map(|&byte| u16::from(byte)).collect(),
        16 | 255 => rest.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect(),
        _ => return None,
    };
    Some(utf16(&units))
}

/// A text in a field of fixed length, whose last byte says how much of it is used.
pub fn fixed(raw: &[u8]) -> Vec<u8> {
    let used = raw.last().map_or(0, |&used| usize::from(used));
    raw.get(..used).and_then(text).unwrap_or_default()
}

/// Nanoseconds since 1970 of a time in 12 bytes.
pub fn time(raw: &[u8]) -> Option<i128> {
    let raw = raw.get(..12)?;
    let days = pfh_bytes::time::days(i64::from(le16(raw, 2).cast_signed()), byte(raw, 4).into(), byte(raw, 5).into())?;
    // Twelve bits with a sign: minutes east of UTC; the least stands for none.
    let zone = i64::from((le16(raw, 0) << 4).cast_signed() >> 4);
    let zone = if zone == -2047 { 0 } else { zone };
    let minutes = i64::from(byte(raw, 6)) * 60 + i64::from(byte(raw, 7)) - zone;
    let seconds = days * 86_400 + minutes * 60 + i64::from(byte(raw, 8));
    let micros = i128::from(byte(raw, 9)) * 10_000 + i128::from(byte(raw, 10)) * 100 + i128::from(byte(raw, 11));
    Some(i128::from(seconds) * 1_000_000_000 + micros * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values_texts_and_times() {
        assert_eq!(crc16(0, b"123456789"), 0x31c3);
        assert_eq!(text(b"\x08a\xe9"), Some("aé".as_bytes().to_vec()));
        assert_eq!(text(b"\x10\0a\xd8\x3d\xde\0"), Some("a😀".as_bytes().to_vec()));
        assert_eq!((text(b""), text(b"\x07a"), fixed(b"\x08ab\0\0\x03")), (None, None, b"ab".to_vec()));
        // 2026-11-22 01:00:00 an hour east of Greenwich.
        let raw = [0x3c, 0x10, 0xea, 0x07, 11, 22, 1, 0, 0, 0, 0, 0];
        assert_eq!(time(&raw), Some(20_779 * 86_400_000_000_000));
    }
}
