//! The checksum of APFS's objects.

/// The checksum of an object: Fletcher's with 64 bits, over all words behind the eight bytes where
/// it stands (*Apple File System Reference*, "Objects").
pub fn fletcher64(raw: &[u8]) -> u64 {
    const MODULUS: u64 = 0xffff_ffff;
    let (mut low, mut high) = (0_u64, 0_u64);
    // The sums of a thousand words fit into 64 bits.
    for part in raw.get(8..).unwrap_or_default().chunks(4096) {
        for word in part.chunks_exact(4) {
            low += u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            high += low;
        }
        (low, high) = (low % MODULUS, high % MODULUS);
    }
    let first = MODULUS - (low + high) % MODULUS;
    let second = MODULUS - (low + first) % MODULUS;
    second << 32 | first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::le32;

    #[test]
    fn checksums_make_the_sums_zero() {
        for seed in 0..50_u64 {
            let mut raw: Vec<u8> = (0..4096_u64).map(|at| ((at * at * (seed + 3)) >> 5) as u8).collect();
            if seed == 0 {
                raw[8..].fill(0xff);
            }
            let sum = fletcher64(&raw);
            // The definition: with the checksum behind the words both sums are zero.
            let words = raw[8..].chunks_exact(4).map(|word| u64::from(le32(word, 0)));
            let (low, high) = words.chain([sum & 0xffff_ffff, sum >> 32]).fold((0_u64, 0_u64), |(low, high), word| {
                let low = (low + word) % 0xffff_ffff;
                (low, (high + low) % 0xffff_ffff)
            });
            assert_eq!((low, high), (0, 0), "{seed}");
        }
    }
}
