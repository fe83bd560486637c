//! Digests of filters in their order: of any two, the first is the one that is looked for in the
//! second.

use super::rule::{Rule, Weight};
use pfh_kernel::similarity::bloom::{self, Bits};

/// Filters that one is compared with at a time.
const BATCH: usize = 64;

/// A digest among others.
pub(super) struct Entry<'a> {
    /// Its place in the caller's list.
    pub place: u32,
    /// Its filters.
    pub filters: &'a [Bits],
    /// Where their weights begin.
    pub start: usize,
    /// The number of them that are compared.
    pub compared: u32,
}

/// Digests in their order, each with its filters.
#[derive(Default)]
pub(super) struct PackedFilters<'a> {
    pub entries: Vec<Entry<'a>>,
    weights: Vec<Weight>,
}

impl<'a> PackedFilters<'a> {
    /// Adds a digest. Filters that are not compared weigh [`Weight::NONE`].
    pub fn add(&mut self, place: u32, filters: &'a [Bits], weights: impl Iterator<Item = Weight>) {
        let start = self.weights.len();
        self.weights.extend(weights);
        let compared = self.weights[start..].iter().filter(|weight| weight.is_compared()).count() as u32;
        self.entries.push(Entry { place, filters, start, compared });
    }

    /// The weights of a digest's filters.
    pub fn weights(&self, entry: &Entry) -> &[Weight] {
        &self.weights[entry.start..entry.start + entry.filters.len()]
    }

    /// The number of filters of a digest.
    pub fn filters(&self, number: u32) -> usize {
        self.entries[number as usize].filters.len()
    }

    /// A filter of a digest.
    pub fn filter(&self, number: u32, filter: u32) -> &'a Bits {
        &self.entries[number as usize].filters[filter as usize]
    }

    /// The filters of digests with these numbers that are compared: the place of their digest among
    /// those, their own place in it, and their weights.
    pub fn compared(&self, numbers: &[u32]) -> impl Iterator<Item = (usize, usize, Weight)> {
        let of = |(at, number): (usize, &u32)| {
            let weights = self.weights(&self.entries[*number as usize]).iter().enumerate();
            weights.map(move |(filter, weight)| (at, filter, *weight))
        };
        numbers.iter().enumerate().flat_map(of).filter(|(.., weight)| weight.is_compared())
    }

    /// The score of a digest that is looked for in another one.
    pub fn score(&self, rule: &impl Rule, sought: &Entry, target: &Entry) -> u8 {
        let mut common = [0; BATCH];
        let mut sum = 0.0;
        for (bits, &weight) in
            sought.filters.iter().zip(self.weights(sought)).filter(|(_, weight)| weight.is_compared())
        {
            let mut best = 0.0f64;
            for (others, weights) in target.filters.chunks(BATCH).zip(self.weights(target).chunks(BATCH)) {
                bloom::common(bits, others, &mut common);
                for ((other, &others), &common) in others.iter().zip(weights).zip(&common) {
                    if others.is_compared() && common >= rule.needed(weight, others, 0) {
                        best = best.max(rule.filters((bits, weight), (other, others), common));
                    }
                }
            }
            sum += best;
        }
        if sum > 0.0 { rule.digests(sum, sought.compared, target.compared) } else { 0 }
    }
}
