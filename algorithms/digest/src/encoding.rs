//! The codings of integers and strings that sponges absorb (NIST SP 800-185, section 2.3).

/// An integer most significant byte first, and the number of its bytes without leading zeros, at
/// least one.
fn significant(value: u64) -> ([u8; 8], usize) {
    (value.to_be_bytes(), value.checked_ilog2().map_or(1, |log| log as usize / 8 + 1))
}

/// `left_encode`: the number of bytes, then the bytes; there is at least one.
pub fn left_encode(value: u64) -> Vec<u8> {
    let (bytes, length) = significant(value);
    [&[length as u8], &bytes[8 - length..]].concat()
}

/// `right_encode`: the bytes, at least one, then their number.
pub fn right_encode(value: u64) -> Vec<u8> {
    let (bytes, length) = significant(value);
    [&bytes[8 - length..], &[length as u8]].concat()
}

/// `bytepad` over `encode_string` of each string: whole blocks of `rate` bytes.
pub fn padded(strings: &[&[u8]], rate: usize) -> Vec<u8> {
    let mut bytes = left_encode(rate as u64);
    for string in strings {
        bytes.extend(left_encode(8 * string.len() as u64));
        bytes.extend_from_slice(string);
    }
    bytes.resize(bytes.len().next_multiple_of(rate), 0);
    bytes
}
