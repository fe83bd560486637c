//! Hexadecimal digits.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};

/// Two lower-case digits per byte.
pub fn encode(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// Fills `digits` with two lower-case digits per byte. Panics if there is room for another number
/// of digits.
pub(crate) fn fill(digits: &mut [u8], bytes: &[u8]) {
    HEXLOWER.encode_mut(bytes, digits);
}

/// Appends two lower-case digits per byte.
pub fn push(out: &mut Vec<u8>, bytes: &[u8]) {
    let from = out.len();
    out.resize(from + HEXLOWER.encode_len(bytes.len()), 0);
    HEXLOWER.encode_mut(bytes, &mut out[from..]);
}

/// The bytes that `digits` of either case stand for; `None` for an odd number or anything else.
pub fn decode(digits: &[u8]) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(digits).ok()
}

/// Fills `bytes` from exactly twice as many digits; `None` for anything else.
pub fn decode_into(digits: &[u8], bytes: &mut [u8]) -> Option<()> {
    let fits = digits.len() == 2 * bytes.len();
    fits.then(|| HEXLOWER_PERMISSIVE.decode_mut(digits, bytes).ok())?.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_either_case_are_read_back_and_nothing_else() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut out = b"x".to_vec();
        push(&mut out, &bytes);
        assert_eq!(out[1..], *encode(&bytes).as_bytes());
        assert!(out[1..].starts_with(b"000102") && out.ends_with(b"fdfeff"));
        assert_eq!(decode(&out[1..].to_ascii_uppercase()), Some(bytes));
        for wrong in [&b"0"[..], b"0g", b"00 ", b"0x00", b"\xc3\xa9"] {
            assert_eq!(decode(wrong), None, "{wrong:?}");
        }
        let mut four = [0; 4];
        assert_eq!(decode_into(b"DEADbeef", &mut four), Some(()));
        assert_eq!(four, [0xde, 0xad, 0xbe, 0xef]);
        for wrong in [&b"deadbe"[..], b"deadbeef00", b"deadbeeg"] {
            assert_eq!(decode_into(wrong, &mut four), None, "{wrong:?}");
        }
    }
}
