//! Reads numbers from structures of an image or a medium. Bytes behind the end are zero: callers
//! check lengths, and a length that was not checked must not become a panic.

/// The `N` bytes at `at`; zeros where the structure ends before.
pub fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    at.checked_add(N).and_then(|end| bytes.get(at..end)).and_then(|found| found.try_into().ok()).unwrap_or([0; N])
}

/// A little-endian number of 16 bits.
pub fn le16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

/// A little-endian number of 32 bits.
pub fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

/// A little-endian number of 64 bits.
pub fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// A big-endian number of 16 bits.
pub fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(array(bytes, at))
}

/// A big-endian number of 32 bits.
pub fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(array(bytes, at))
}

/// A big-endian number of 64 bits.
pub fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(array(bytes, at))
}
