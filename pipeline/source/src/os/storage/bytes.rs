//! Fields of an answer: little-endian, and refused where the answer ends before them.

use super::Fault;

fn at<const N: usize>(answer: &[u8], from: usize, name: &'static str) -> Result<[u8; N], Fault> {
    let field = from.checked_add(N).and_then(|until| answer.get(from..until));
    field.and_then(|bytes| bytes.try_into().ok()).ok_or(Fault::Answer(name))
}

/// A number of one byte.
pub(super) fn u8_at(answer: &[u8], from: usize, name: &'static str) -> Result<u8, Fault> {
    at::<1>(answer, from, name).map(|[byte]| byte)
}

/// A number of two bytes.
pub(super) fn u16_at(answer: &[u8], from: usize, name: &'static str) -> Result<u16, Fault> {
    at(answer, from, name).map(u16::from_le_bytes)
}

/// A number of four bytes.
pub(super) fn u32_at(answer: &[u8], from: usize, name: &'static str) -> Result<u32, Fault> {
    at(answer, from, name).map(u32::from_le_bytes)
}

/// A length or place (LARGE_INTEGER): negative ones are refused.
pub(super) fn length_at(answer: &[u8], from: usize, name: &'static str) -> Result<u64, Fault> {
    let number = i64::from_le_bytes(at(answer, from, name)?);
    u64::try_from(number).map_err(|_| Fault::Answer(name))
}

/// Text of ASCII up to its NUL or the end of the answer, without blanks around it and without
/// control characters; empty where the offset is 0 or outside.
pub(super) fn text_at(answer: &[u8], from: u32) -> String {
    let bytes = answer.get(from as usize..).filter(|_| from != 0).unwrap_or_default();
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text: String = String::from_utf8_lossy(text).chars().filter(|letter| !letter.is_control()).collect();
    text.trim().to_owned()
}
