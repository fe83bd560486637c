//! Whether a chunk is noise: encrypted or compressed bytes, which deflating would not shorten.

/// The least bytes of a chunk that is examined: the counts of fewer bytes say too little. This many
/// are examined first.
const LEAST: usize = 4096;
/// Bits of a place in the table of words that were seen.
const BITS: u32 = 11;
/// An odd number whose products spread (2^32 divided by the golden ratio).
const SPREAD: u32 = 0x9e37_79b1;

/// Whether all bytes are about as frequent as each other, and no words of four bytes come again
/// together. Such a chunk of 32 KiB loses less than 0.2 % by a Huffman code, which is less than the
/// code's own table takes.
///
/// Noise that repeats fewer than some 200 of its bytes passes as noise: it is stored, as any chunk
/// may be.
pub(super) fn is_noise(chunk: &[u8]) -> bool {
    let Some(first) = chunk.get(..LEAST) else { return false };
    is_even(first) && is_even(chunk) && !repeats(chunk)
}

/// Whether the sum of the squares of the counts is at most that of even counts, plus twice the
/// amount that chance adds to it.
fn is_even(bytes: &[u8]) -> bool {
    // Four tables: a byte that comes twice in a row waits for no count of itself.
    let mut counts = [[0u32; 256]; 4];
    let (fours, rest) = bytes.as_chunks::<4>();
    for [a, b, c, d] in fours {
        counts[0][usize::from(*a)] += 1;
        counts[1][usize::from(*b)] += 1;
        counts[2][usize::from(*c)] += 1;
        counts[3][usize::from(*d)] += 1;
    }
    for byte in rest {
        counts[0][usize::from(*byte)] += 1;
    }
    let square = |byte: usize| counts.iter().map(|counts| u64::from(counts[byte])).sum::<u64>().pow(2);
    let (sum, length) = ((0..256).map(square).sum::<u64>(), bytes.len() as u64);
    sum <= length * length / 256 + 2 * length
}

/// Whether more words of four bytes repeat than in noise. Only words that begin with one of four
/// bytes are compared, so that a repetition is found at any distance.
fn repeats(chunk: &[u8]) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let mut seen = [0u32; 1 << BITS];
    let mut again = 0;
    for (number, eight) in chunk.as_chunks::<8>().0.iter().enumerate() {
        // Marks the bytes that such a word begins with; a borrow marks a few more of them.
        let begins = u64::from_le_bytes(*eight) & (0x3f * EACH);
        let mut places = begins.wrapping_sub(EACH) & !begins & (0x80 * EACH);
        while places != 0 {
            let at = number * 8 + (places.trailing_zeros() / 8) as usize;
            places &= places - 1;
            let Some(word) = chunk[at..].first_chunk::<4>() else { break };
            let word = u32::from_le_bytes(*word);
            let place = &mut seen[(word.wrapping_mul(SPREAD) >> (32 - BITS)) as usize];
            again += u32::from(*place == word);
            *place = word;
        }
    }
    // A repetition of 200 bytes has three of them.
    again > 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ewf::{Compression, Compressor};

    fn noise(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn noise_is_noise() {
        for seed in 0..200 {
            for length in [4096, 32_768, 65_536, 1 << 20] {
                assert!(is_noise(&noise(seed, length)) || length > 65_536, "{seed} {length}");
            }
        }
        assert!(!is_noise(&noise(1, 4095)));
    }

    /// A chunk that libdeflate shortens by more than one percent is not taken for noise.
    #[test]
    fn what_can_be_shortened_is_no_noise() {
        let half = noise(3, 16_384);
        let every: Vec<u8> = (0..32_768u32).map(|n| (n * 7) as u8).collect();
        let mut skewed = noise(5, 32_768);
        skewed.iter_mut().step_by(20).for_each(|byte| *byte = b' ');
        let mut text = noise(7, 32_768);
        text[9_000..9_800].fill(b'x');
        let thirds = [&noise(9, 10_923)[..]; 3].concat();
        for (what, chunk) in [
            ("twice the same", [&half[..], &half].concat()),
            ("thrice, at an odd distance", thirds),
            ("a series", every),
            ("one byte in twenty", skewed),
            ("a run in it", text),
            ("base64", noise(11, 32_768).iter().map(|byte| b'0' + byte % 64).collect()),
            ("zeros", vec![0; 32_768]),
        ] {
            assert!(!is_noise(&chunk), "{what}");
            assert!(Compressor::new(Compression::Fast).pack(&chunk).is_compressed, "{what}");
        }
        // A file of repeated halves, at each distance.
        for distance in (64..16_384).step_by(331) {
            let part = noise(distance as u64, distance);
            let chunk: Vec<u8> = part.iter().copied().cycle().take(32_768).collect();
            assert!(!is_noise(&chunk), "{distance}");
        }
    }
}
