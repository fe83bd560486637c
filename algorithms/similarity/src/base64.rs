//! Base64 of RFC 4648 section 4, with padding, strict: one text for each value.

use crate::ParseError;

/// The alphabet, which ssdeep's digests use too.
pub(crate) const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each character; 64 for all that are not of the alphabet.
const VALUES: [u8; 256] = {
    let mut values = [64; 256];
    let mut i = 0;
    while i < 64 {
        values[ALPHABET[i] as usize] = i as u8;
        i += 1;
    }
    values
};

/// The value of a character, if it is one of the alphabet.
pub(crate) fn value(character: u8) -> Option<u8> {
    Some(VALUES[usize::from(character)]).filter(|&value| value < 64)
}

/// Characters that `bytes` bytes take.
pub(crate) const fn encoded_length(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Appends the text of `bytes`.
pub(crate) fn encode(bytes: &[u8], out: &mut String) {
    out.reserve(encoded_length(bytes.len()));
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| word << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let sextet = (word >> (18 - 6 * i) & 63) as usize;
            out.push(if i <= three.len() { char::from(ALPHABET[sextet]) } else { '=' });
        }
    }
}

/// Reads text that stands for exactly `out.len()` bytes.
pub(crate) fn decode(text: &[u8], out: &mut [u8]) -> Result<(), ParseError> {
    if text.len() != encoded_length(out.len()) {
        return Err(ParseError::Length);
    }
    for (four, three) in text.chunks_exact(4).zip(out.chunks_mut(3)) {
        let (letters, padding) = four.split_at(three.len() + 1);
        if padding.iter().any(|&c| c != b'=') {
            return Err(ParseError::Character);
        }
        let mut word = 0u32;
        for &letter in letters {
            word = word << 6 | u32::from(value(letter).ok_or(ParseError::Character)?);
        }
        word <<= 6 * padding.len();
        let bytes = word.to_be_bytes();
        if bytes[1 + three.len()..].iter().any(|&b| b != 0) {
            return Err(ParseError::Character);
        }
        three.copy_from_slice(&bytes[1..1 + three.len()]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            let mut encoded = String::new();
            encode(bytes.as_bytes(), &mut encoded);
            assert_eq!(encoded, text);
            let mut decoded = vec![0; bytes.len()];
            decode(text.as_bytes(), &mut decoded).unwrap();
            assert_eq!(decoded, bytes.as_bytes());
        }
        for bad in ["Zh==", "Z===", "Zm8", "Zm9", "Zg=A", "====", "Z*=="] {
            assert!(decode(bad.as_bytes(), &mut [0; 1]).is_err(), "{bad}");
        }
    }
}
