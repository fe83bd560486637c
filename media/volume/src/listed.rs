//! A set of numbers that may be far from one another: inodes that some directory lists.

use std::collections::BTreeMap;

/// Numbers, a bit for each, in pages of those that are near one another.
#[derive(Default)]
pub struct NumberSet(BTreeMap<u64, [u64; 8]>);

impl NumberSet {
    /// Takes a number up.
    pub fn insert(&mut self, number: u64) {
        let page = self.0.entry(number / 512).or_default();
        page[(number / 64 % 8) as usize] |= 1 << (number % 64);
    }

    /// Whether a number is in it.
    pub fn has(&self, number: u64) -> bool {
        self.0.get(&(number / 512)).is_some_and(|page| page[(number / 64 % 8) as usize] >> (number % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_and_nothing_else() {
        let mut listed = NumberSet::default();
        let numbers = [0, 63, 64, 511, 512, 1 << 40, u64::MAX];
        for number in numbers {
            listed.insert(number);
        }
        for number in numbers {
            assert!(listed.has(number) && !listed.has(number ^ 2), "{number}");
        }
    }
}
