//! Names in UTF-16 as bytes.

/// The UTF-8 of `units`, a lone surrogate as the three bytes of WTF-8, so that no two names become
/// one.
pub fn utf16(units: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len());
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(letter) => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                bytes.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
            }
        }
    }
    bytes
}

/// The units of little-endian UTF-16; a last odd byte is dropped.
pub fn units(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_stay_apart() {
        assert_eq!(utf16(&[0x61, 0xe9, 0xd83d, 0xde00]), "aé😀".as_bytes());
        assert_eq!(utf16(&[0xd83d, 0x61]), b"\xed\xa0\xbda");
        assert_ne!(utf16(&[0xd83d]), utf16(&[0xd83e]));
    }
}
