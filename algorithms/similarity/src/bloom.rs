//! The Bloom filter of sdhash and mrsh-v2: 2,048 bits, five of them set per element.

use pfh_kernel::similarity::bloom::Bits;

/// A filter of 256 bytes, bit `b` in byte `b / 8`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Filter(pub(crate) Bits);

impl Filter {
    /// Bytes of a filter.
    pub const LENGTH: usize = 256;

    /// A filter without elements.
    pub const fn new() -> Filter {
        Filter(Bits([0; 32]))
    }

    /// A filter with these bytes.
    pub fn from_bytes(bytes: &[u8; Filter::LENGTH]) -> Filter {
        let (words, _) = bytes.as_chunks::<8>();
        Filter(Bits(std::array::from_fn(|i| u64::from_le_bytes(words[i]))))
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; Filter::LENGTH] {
        let mut bytes = [0; Filter::LENGTH];
        for (out, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.0.0) {
            *out = word.to_le_bytes();
        }
        bytes
    }

    /// Sets five bits, each given by the low eleven bits of its number, and says whether one of
    /// them was not set before.
    #[inline]
    pub(crate) fn insert(&mut self, bits: [u32; 5]) -> bool {
        let mut missing = 0;
        for bit in bits {
            let bit = bit & 0x7ff;
            let word = &mut self.0.0[bit as usize >> 6];
            let mask = 1u64 << (bit & 63);
            missing |= mask & !*word;
            *word |= mask;
        }
        missing != 0
    }

    /// Number of bits set.
    pub fn ones(&self) -> u32 {
        self.0.0.iter().map(|word| word.count_ones()).sum()
    }
}

impl Default for Filter {
    fn default() -> Filter {
        Filter::new()
    }
}

/// The bits alone, in a row as the kernel wants them.
pub(crate) fn bits(filters: impl Iterator<Item = Filter>) -> Vec<Bits> {
    filters.map(|filter| filter.0).collect()
}
