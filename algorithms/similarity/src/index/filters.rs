//! The filters of sdhash and mrsh-v2 digests, and the pairs of digests by them.
//!
//! The digests are put in an order in which, of any two, the first is the one that is looked for in
//! the second. Their score is the mean of its filters' best scores, so two that reach a threshold
//! have two filters that reach it. Those are found by [`Tiles`] among all filters; the digests that
//! have them are scored.

use super::rule::{MrshRule, Rule, SdhashRule, Weight};
use super::tiles::Tiles;
use super::{Pairs, Report, Share, Visitor, count, ordered};
use crate::mrsh_v2::{self, Base, MrshV2};
use crate::{Score, sdhash};
use pfh_kernel::similarity::bloom::{self, Bits};
use std::ops::ControlFlow;

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
pub(super) struct Packed<'a> {
    pub entries: Vec<Entry<'a>>,
    weights: Vec<Weight>,
}

impl<'a> Packed<'a> {
    /// Adds a digest. Filters that are not compared weigh [`Weight::NONE`].
    fn add(&mut self, place: u32, filters: &'a [Bits], weights: impl Iterator<Item = Weight>) {
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
    fn score(&self, rule: &impl Rule, sought: &Entry, target: &Entry) -> u8 {
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

/// The filters of many digests, ready for a search that can be shared out.
pub struct Filters<'a> {
    packed: Packed<'a>,
    rule: Either,
    threshold: u8,
    tiles: Tiles,
}

enum Either {
    Sdhash(SdhashRule),
    MrshV2(MrshRule),
}

impl<'a> Filters<'a> {
    /// Those of sdhash digests; see [`sdhash()`].
    ///
    /// # Panics
    /// If there are names, but not as many as digests.
    pub fn sdhash(digests: &'a [sdhash::Digest], names: Option<&[&[u8]]>, pairs: Pairs, threshold: u8) -> Filters<'a> {
        assert!(names.is_none_or(|names| names.len() == digests.len()), "a name for each digest");
        let mut places: Vec<u32> = (0..count(digests)).collect();
        places.sort_by_key(|&place| {
            let digest = &digests[place as usize];
            (digest.filters(), digest.elements(digest.filters() - 1), names.map(|names| names[place as usize]), place)
        });
        let mut packed = Packed::default();
        for place in places {
            let digest = &digests[place as usize];
            let weight = |(&elements, &ones): (&u32, &u32)| match elements >= sdhash::LEAST_ELEMENTS {
                true => Weight { elements, ones },
                false => Weight::NONE,
            };
            packed.add(place, digest.bits(), digest.counts().iter().zip(digest.ones()).map(weight));
        }
        Filters::new(packed, Either::Sdhash(SdhashRule), pairs, threshold)
    }

    /// Those of mrsh-v2 digests; see [`mrsh_v2()`].
    pub fn mrsh_v2(
        method: &MrshV2,
        digests: &'a [mrsh_v2::Digest],
        base: Base,
        pairs: Pairs,
        threshold: u8,
    ) -> Filters<'a> {
        let mut places: Vec<u32> = (0..count(digests)).collect();
        // Of two with as many filters, the one that comes later is looked for in the other.
        places.sort_by_key(|&place| (digests[place as usize].filters(), std::cmp::Reverse(place)));
        let mut packed = Packed::default();
        for place in places {
            let digest = &digests[place as usize];
            let comparable = digest.comparable(method);
            let weight = |i: usize| match i < comparable {
                true => Weight { elements: digest.chunks(i), ones: digest.ones()[i] },
                false => Weight::NONE,
            };
            packed.add(place, digest.bits(), (0..digest.filters()).map(weight));
        }
        Filters::new(packed, Either::MrshV2(MrshRule { base }), pairs, threshold)
    }

    fn new(packed: Packed<'a>, rule: Either, pairs: Pairs, threshold: u8) -> Filters<'a> {
        let tiles = Tiles::new(&packed, pairs);
        Filters { packed, rule, threshold: threshold.max(1), tiles }
    }

    /// Hands out the pairs of a share; breaks off when the visitor does.
    pub fn search(&self, share: Share, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
        match &self.rule {
            Either::Sdhash(rule) => self.search_by(rule, share, visitor),
            Either::MrshV2(rule) => self.search_by(rule, share, visitor),
        }
    }

    fn search_by(&self, rule: &impl Rule, share: Share, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
        let mut report = Report::default();
        let least = rule.least(self.threshold);
        for pair in self.tiles.pairs(share) {
            let scored = |visitor: &mut _, a: u32, b: u32| self.scored(rule, a.min(b), a.max(b), visitor);
            report.compared += self.tiles.each(&self.packed, pair, (rule, least), visitor, scored)?;
        }
        ControlFlow::Continue(report)
    }

    /// Hands out a pair, if the first is found in the second.
    fn scored(&self, rule: &impl Rule, sought: u32, target: u32, visitor: &mut impl Visitor) -> ControlFlow<()> {
        let [sought, target] = [sought, target].map(|number| &self.packed.entries[number as usize]);
        let score = self.packed.score(rule, sought, target);
        if score < self.threshold {
            return ControlFlow::Continue(());
        }
        visitor.hit(ordered(sought.place, target.place, Score::Similarity(score)))
    }
}

/// Hands out every pair of sdhash digests with a similarity of at least `threshold`, which counts
/// as 1 if it is 0; breaks off when the visitor does. `names`, where given, are the digests' names,
/// which decide some ties as in [`sdhash::compare`].
///
/// # Panics
/// If there are names, but not as many as digests.
pub fn sdhash(
    digests: &[sdhash::Digest],
    names: Option<&[&[u8]]>,
    pairs: Pairs,
    threshold: u8,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    Filters::sdhash(digests, names, pairs, threshold).search(Share::WHOLE, visitor)
}

/// Hands out every pair of mrsh-v2 digests with a similarity of at least `threshold`, which counts
/// as 1 if it is 0; breaks off when the visitor does. The score is that of [`mrsh_v2::compare`]
/// with the digest that comes first in the list as the first.
pub fn mrsh_v2(
    method: &MrshV2,
    digests: &[mrsh_v2::Digest],
    base: Base,
    pairs: Pairs,
    threshold: u8,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    Filters::mrsh_v2(method, digests, base, pairs, threshold).search(Share::WHOLE, visitor)
}
