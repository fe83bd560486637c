//! CRC-16 of CCITT without inversion, as descriptors of UDF (ECMA-167 7.2), BinHex and MacBinary
//! have it.

/// The checksum of `bytes` behind bytes with the checksum `sum`; 0 at the start.
pub fn crc16(sum: u16, bytes: &[u8]) -> u16 {
    bytes.iter().fold(sum, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte) << 8, |sum, _| if sum & 0x8000 == 0 { sum << 1 } else { sum << 1 ^ 0x1021 })
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_check_value_of_the_catalogue() {
        assert_eq!(super::crc16(0, b"123456789"), 0x31c3);
        assert_eq!(super::crc16(super::crc16(0, b"1234"), b"56789"), 0x31c3);
    }
}
