//! Reads numbers and ranges from structures on a medium.

use std::io;

use crate::bytes::Bytes;
use crate::node::Failure;
pub use pfh_container::field::{array, be16, be32, be64, le16, le32, le64};

/// One byte, zero beyond the end.
pub fn byte(bytes: &[u8], at: usize) -> u8 {
    array::<1>(bytes, at)[0]
}

/// Whether `magic` stands at `at`.
pub fn is_at(bytes: &[u8], at: usize, magic: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(magic))
}

/// Exactly `length` bytes of the medium from `offset` on. `length` is a constant of the format or
/// was bounded by the caller.
pub fn read(bytes: &dyn Bytes, offset: u64, length: usize) -> Result<Vec<u8>, Failure> {
    let mut buffer = vec![0; length];
    let mut filled = 0;
    while filled < length {
        let place = offset.saturating_add(filled as u64);
        match bytes.read_at(place, &mut buffer[filled..]) {
            Ok(0) => return Err(unreadable(place, &io::ErrorKind::UnexpectedEof.into())),
            Ok(got) => filled += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(place, &error)),
        }
    }
    Ok(buffer)
}

/// The bytes from `offset` on: `length` of them, or fewer where the medium ends before.
pub fn read_some(bytes: &dyn Bytes, offset: u64, length: usize) -> Result<Vec<u8>, Failure> {
    let there = bytes.size().saturating_sub(offset);
    read(bytes, offset, length.min(usize::try_from(there).unwrap_or(usize::MAX)))
}

/// The failure of a medium that cannot be read, with the place.
pub fn unreadable(offset: u64, error: &io::Error) -> Failure {
    let cause = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the medium ends before".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    failure(Some(offset), cause)
}

/// A failure of the volume itself.
pub fn failure(offset: Option<u64>, cause: impl Into<String>) -> Failure {
    Failure { offset, cause: cause.into(), ..Failure::default() }
}

/// The hexadecimal digits of a UUID whose bytes stand in the order of its text.
pub fn uuid(bytes: [u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The text of a GUID, whose first three fields are little-endian.
pub fn guid(mut bytes: [u8; 16]) -> String {
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    uuid(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_the_end_are_zero() {
        assert_eq!((le16(&[1, 2], 0), le16(&[1, 2], 1), le32(&[1; 4], usize::MAX)), (0x201, 0, 0));
        let efi = [0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b];
        assert_eq!(guid(efi), "c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
    }

    #[test]
    fn a_medium_that_ends_is_named() {
        let failed = read(&vec![0; 8], 4, 8).unwrap_err();
        assert_eq!((failed.offset, failed.cause.as_str()), (Some(8), "the medium ends before"));
        assert_eq!(read_some(&vec![0; 8], 4, 8).unwrap().len(), 4);
    }
}
