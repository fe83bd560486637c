//! The four checksums of the format.

use pfh_digest::Algorithm;

use pfh_bytes::field::array;

/// How bytes are summed up.
#[derive(Debug, Clone, Copy)]
pub enum Checksum {
    /// CRC-32C, in four bytes.
    Crc32c,
    /// xxHash with 64 bits, little-endian.
    Long(Algorithm),
    /// SHA-256, or BLAKE2b with 32 bytes.
    Digest(Algorithm),
}

impl Checksum {
    /// The checksum of this number in a superblock; `None` if there is none.
    pub fn of(number: u16) -> Option<Checksum> {
        let named = |name: &str| name.parse::<Algorithm>().ok();
        match number {
            0 => Some(Checksum::Crc32c),
            1 => named("xxhash64").map(Checksum::Long),
            2 => named("sha-256").map(Checksum::Digest),
            3 => named("blake2b:32").map(Checksum::Digest),
            _ => None,
        }
    }

    /// Bytes that it takes beside data.
    pub fn size(self) -> usize {
        match self {
            Checksum::Crc32c => 4,
            Checksum::Long(_) => 8,
            Checksum::Digest(_) => 32,
        }
    }

    /// Whether `stated` is the checksum of these bytes.
    pub fn is_of(self, bytes: &[u8], stated: &[u8]) -> bool {
        match self {
            Checksum::Crc32c => stated.starts_with(&(!pfh_container::crc32c(!0, bytes)).to_le_bytes()),
            Checksum::Long(algorithm) => {
                let mut sum: [u8; 8] = array(algorithm.digest(bytes).bytes(), 0);
                sum.reverse();
                stated.starts_with(&sum)
            }
            Checksum::Digest(algorithm) => stated.starts_with(algorithm.digest(bytes).bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_of_its_bytes_alone() {
        for (number, size) in [(0, 4), (1, 8), (2, 32), (3, 32)] {
            let sum = Checksum::of(number).unwrap();
            assert_eq!(sum.size(), size);
            assert!(!sum.is_of(b"abc", &[0; 32]) && !sum.is_of(b"abc", &[]));
        }
        // CRC-32C of RFC 3720's 32 zeros, and XXH64 of nothing.
        assert!(Checksum::of(0).unwrap().is_of(&[0; 32], &0x8a91_36aa_u32.to_le_bytes()));
        assert!(Checksum::of(1).unwrap().is_of(&[], &0xef46_db37_51d8_e999_u64.to_le_bytes()));
        assert!(Checksum::of(4).is_none());
    }
}
