//! Generation, in one pass over an input of unknown length.

use super::digest::{Digest, MAXIMUM_LENGTH, MINIMUM_LENGTH};
use crate::{Hasher, NoDigest};
use ::tlsh as fast;
use fast::Tlsh as Inner;
use fast::length::FuzzyHashLengthEncoding;
use pfh_kernel::similarity::triplets::{self, BEFORE, BUCKETS};

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    counts: Box<Counts>,
    length: u64,
}

/// The counts and the checksum of the input so far.
#[derive(Clone, Debug)]
struct Counts {
    counts: [u32; 256],
    checksum: u8,
    /// The last bytes, as many as there are of four.
    last: [u8; BEFORE],
    known: usize,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        let counts = Counts { counts: [0; 256], checksum: 0, last: [0; BEFORE], known: 0 };
        Generator { counts: Box::new(counts), length: 0 }
    }
}

impl Default for Generator {
    fn default() -> Generator {
        Generator::new()
    }
}

impl Counts {
    fn update(&mut self, mut bytes: &[u8]) {
        if self.known < BEFORE {
            let (some, rest) = bytes.split_at(bytes.len().min(BEFORE - self.known));
            self.last[self.known..][..some.len()].copy_from_slice(some);
            self.known += some.len();
            bytes = rest;
        }
        // The windows that begin before these bytes; then those within them.
        let mut joined = [0; 2 * BEFORE];
        let some = bytes.len().min(BEFORE);
        joined[..BEFORE].copy_from_slice(&self.last);
        joined[BEFORE..][..some].copy_from_slice(&bytes[..some]);
        triplets::count(&joined[..BEFORE + some], &mut self.checksum, &mut self.counts);
        triplets::count(bytes, &mut self.checksum, &mut self.counts);
        let end = if bytes.len() < BEFORE { &joined[some..][..BEFORE] } else { &bytes[bytes.len() - BEFORE..] };
        self.last.copy_from_slice(end);
    }

    /// The digest, as TLSH 4.12 makes it of the counts.
    fn digest(&self, length: u64) -> Result<Digest, NoDigest> {
        if length < MINIMUM_LENGTH {
            return Err(NoDigest::TooShort(MINIMUM_LENGTH));
        }
        let length = u32::try_from(length).ok().and_then(FuzzyHashLengthEncoding::new);
        let length = length.ok_or(NoDigest::TooLong(MAXIMUM_LENGTH))?.value();
        let buckets = triplets::buckets(&self.counts);
        let mut sorted = buckets;
        sorted.sort_unstable();
        let [first, second, third] = [1, 2, 3].map(|quarter| sorted[quarter * BUCKETS / 4 - 1]);
        if third == 0 || buckets.iter().filter(|count| **count > 0).count() <= BUCKETS / 2 {
            return Err(NoDigest::LowEntropy);
        }
        // In the reference's own arithmetic: the product is of 32 bits, the ratio of single
        // precision.
        let ratio = |quartile: u32| (quartile.wrapping_mul(100) as f32 / third as f32) as u32 as u8 & 15;
        let mut bytes = [0; 3 + BUCKETS / 4];
        bytes[..3].copy_from_slice(&[self.checksum, length, ratio(first) | ratio(second) << 4]);
        let quarter = |count: u32| u8::from(count > first) + u8::from(count > second) + u8::from(count > third);
        for (byte, four) in bytes[3..].iter_mut().rev().zip(buckets.as_chunks::<4>().0) {
            *byte = four.iter().rev().fold(0, |byte, count| byte << 2 | quarter(*count));
        }
        Inner::try_from(&bytes).map(Digest).map_err(|_| NoDigest::LowEntropy)
    }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        // The counts have 32 bits.
        if self.length <= MAXIMUM_LENGTH {
            self.counts.update(bytes);
        }
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        if self.length > MAXIMUM_LENGTH {
            return Err(NoDigest::TooLong(MAXIMUM_LENGTH));
        }
        self.counts.digest(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fast::GeneratorType;

    /// The crate's own digest of the bytes, beside ours in pieces of these lengths again and again.
    fn holds(bytes: &[u8], pieces: &[usize]) {
        let mut theirs = fast::TlshGenerator::new();
        theirs.update(bytes);
        let mut generator = Generator::new();
        let (mut rest, mut lengths) = (bytes, pieces.iter().cycle());
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((*lengths.next().unwrap()).min(rest.len()));
            generator.update(piece);
            rest = after;
        }
        let ours = generator.finalize();
        assert_eq!(ours.ok(), theirs.finalize().ok().map(Digest), "{} bytes in {pieces:?}", bytes.len());
    }

    #[test]
    fn counts_give_the_digests_of_the_crate() {
        let mut seed = 2u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as u32
        };
        for values in [1, 2, 4, 20, 256] {
            for length in (0..300).chain([4096, 20_001, 300_000]) {
                let bytes: Vec<u8> = (0..length).map(|_| (next() % values * (next() % 3)) as u8).collect();
                holds(&bytes, &[usize::MAX]);
                holds(&bytes, &[3, 1, 70, 4, 5, 1000, 2]);
            }
        }
        // A checksum and quartiles over much of one kind.
        let text: Vec<u8> = (0..2_000_000u64).map(|i| b"the quick brown fox, "[((i * i) >> 9) as usize % 21]).collect();
        holds(&text, &[65_536, 7]);
    }
}
