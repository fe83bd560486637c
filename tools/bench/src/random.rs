//! A seeded generator of random numbers, so that a study's order, data and intervals can be
//! repeated exactly.

/// SplitMix64 (Steele, Lea & Flood, *Fast splittable pseudorandom number generators*, 2014): 64
/// bits of state, passes BigCrush, and is the same on every machine. Not for cryptography.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator whose whole sequence follows from `seed`.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound` (not 0), each with the same probability to within 2^-64 × `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// A normal deviate with mean 0 and standard deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        // 53 bits each; the first is never 0.
        let unit = |word: u64| ((word >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let (radius, angle) = (unit(self.word()), unit(self.word()));
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Puts the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// As many items as there are, each drawn from all of them.
    pub fn resample<T: Copy>(&mut self, items: &[T]) -> Vec<T> {
        (0..items.len()).map(|_| items[self.below(items.len())]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_published_sequence() {
        // The first outputs for seed 1234567, as given with the reference implementation's test
        // (Rosetta Code, SplitMix64).
        let mut random = Random::new(1234567);
        let first: Vec<u64> = (0..3).map(|_| random.word()).collect();
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_repeats() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            Random::new(seed).shuffle(&mut items);
            items
        };
        let mut sorted = shuffled(7);
        assert_eq!(sorted, shuffled(7));
        assert_ne!(sorted, shuffled(8));
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn normal_deviates_have_their_moments() {
        let mut random = Random::new(3);
        let values: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = values.iter().sum::<f64>() / 2e4;
        let square = values.iter().map(|v| v * v).sum::<f64>() / 2e4;
        let tail = values.iter().filter(|v| v.abs() > 1.96).count() as f64 / 2e4;
        assert!(
            mean.abs() < 0.03 && (square - 1.0).abs() < 0.05 && (tail - 0.05).abs() < 0.007,
            "{mean} {square} {tail}"
        );
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut random = Random::new(1);
        let mut seen = [0u32; 6];
        for _ in 0..6000 {
            seen[random.below(6)] += 1;
        }
        assert!(seen.iter().all(|&n| n > 800), "{seen:?}");
    }
}
