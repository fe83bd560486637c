//! A set of numbers from 0 on: blocks that are claimed, records that were listed.

use std::ops::Range;

/// The set, a bit for each number up to the largest one.
#[derive(Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Takes a range of numbers up. The caller bounds them.
    pub fn set(&mut self, range: Range<u64>) {
        let Ok(words) = usize::try_from(range.end.div_ceil(64)) else { return };
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        let mut at = range.start;
        while at < range.end {
            let (word, bit) = ((at / 64) as usize, at % 64);
            let count = (64 - bit).min(range.end - at);
            self.0[word] |= (u64::MAX >> (64 - count)) << bit;
            at += count;
        }
    }

    /// Whether a number is in it.
    pub fn has(&self, number: u64) -> bool {
        let word = usize::try_from(number / 64).ok().and_then(|word| self.0.get(word));
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_and_nothing_else() {
        let mut bits = Bits::default();
        for range in [0..1, 5..5, 63..65, 100..300] {
            bits.set(range);
        }
        let has: Vec<u64> = (0..1000).filter(|&number| bits.has(number)).collect();
        let expected: Vec<u64> = [0, 63, 64].into_iter().chain(100..300).collect();
        assert_eq!(has, expected);
    }
}
