//! SplitMix64 (Steele, Lea and Flood 2014): numbers that follow from a seed. Not for secrets.

/// A row of numbers.
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// That many bytes, the words in little-endian order.
    #[cfg(any(feature = "inside", test))]
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| self.word().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix;

    /// The first numbers from the seed 1234567 of the authors' program in C.
    #[test]
    fn the_numbers_are_those_of_the_authors() {
        let mut row = SplitMix(1_234_567);
        assert_eq!([row.word(), row.word()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(SplitMix(1_234_567).bytes(9)[..8], 6_457_827_717_110_365_317_u64.to_le_bytes());
    }
}
