//! CRC-32C, which guards the headers of VHDX and the metadata of ext4.

/// What eight steps make of each byte (polynomial 0x1EDC6F41, reflected).
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut step = 0;
        while step < 8 {
            value = if value & 1 == 1 { value >> 1 ^ 0x82f6_3b78 } else { value >> 1 };
            step += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// The register after `bytes`, that had the value `sum` before: without the inversions at the start
/// and the end, as the kernel runs it.
pub fn crc32c(sum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(sum, |sum, &byte| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue() {
        assert_eq!(!crc32c(!0, b"123456789"), 0xe306_9283);
    }
}
