//! The filters of sdhash and mrsh-v2 digests, and the pairs of digests by them.
//!
//! The digests are put in an order in which, of any two, the first is the one that is looked for in
//! the second. Their score is the mean of its filters' best scores, so two that reach a threshold
//! have two filters that reach it. Those are found by [`Tiles`] among all filters; the digests that
//! have them are scored.

use super::packed::PackedFilters;
use super::rule::{MrshRule, Rule, SdhashRule, Weight};
use super::tiles::Tiles;
use super::{Pairs, Report, Share, Visitor, count, ordered};
use crate::mrsh_v2::{self, Base, MrshV2};
use crate::{Score, sdhash};
use std::ops::ControlFlow;

/// The filters of many digests, ready for a search that can be shared out.
pub struct Filters<'a> {
    packed: PackedFilters<'a>,
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
        let mut packed = PackedFilters::default();
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
        let mut packed = PackedFilters::default();
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

    fn new(packed: PackedFilters<'a>, rule: Either, pairs: Pairs, threshold: u8) -> Filters<'a> {
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
