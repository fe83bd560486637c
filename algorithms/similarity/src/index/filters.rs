//! sdhash and mrsh-v2: every filter against every filter.
//!
//! The digests are put in an order in which, of any two, the first is the one that is looked for in
//! the second. Blocks of targets that fit the cache are compared with all filters that come before:
//! the kernel counts common bits, and only the few counts above those of chance are looked at.

use super::{Pairs, Report, Visitor, count, ordered};
use crate::mrsh_v2::{self, Base, MrshV2};
use crate::{Score, sdhash};
use pfh_kernel::similarity::bloom::{self, Bits};
use std::ops::ControlFlow;

/// Filters in a block: 256 bytes each, so that a block fills half of a small second-level cache.
const BLOCK: usize = 512;

/// A filter's number of elements and of bits set.
#[derive(Clone, Copy)]
struct Weight {
    elements: u32,
    ones: u32,
}

/// How two filters and two digests are scored.
trait Rule {
    /// Common bits below which two filters score nothing: a bound that no filter with these
    /// elements and at least as many ones goes below.
    fn least(&self, a: Weight, b: Weight) -> u32;
    /// The score of two filters that have at least that many bits in common.
    fn filters(&self, a: (&Bits, Weight), b: (&Bits, Weight), common: u32) -> f64;
    /// The score of two digests from the sum of the best scores of the sought one's filters, and
    /// the number of filters that count of the one sought and of the target.
    fn digests(&self, sum: f64, sought: u32, target: u32) -> u8;
}

/// The filters that can be compared of a list of digests, in order.
#[derive(Default)]
struct Packed {
    bits: Vec<Bits>,
    weights: Vec<Weight>,
    /// The digest that a filter is of, as its place in this order.
    owners: Vec<u32>,
    /// The filters of digest `d` are those from `starts[d]` to `starts[d + 1]`.
    starts: Vec<usize>,
    /// The digest's place in the caller's list, and the number of its filters that count.
    digests: Vec<(u32, u32)>,
}

impl Packed {
    fn add<'a>(&mut self, place: u32, filters: impl Iterator<Item = (&'a Bits, Weight)>) {
        let start = self.bits.len();
        self.starts.push(start);
        for (bits, weight) in filters {
            self.bits.push(bits.clone());
            self.weights.push(weight);
            self.owners.push(self.digests.len() as u32);
        }
        self.digests.push((place, (self.bits.len() - start) as u32));
    }
}

/// Which part of a search is done: several parts, each by a thread of its own, together hand out
/// the pairs of one whole search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of this part, below `of`.
    pub part: u32,
    /// The number of parts, 1 at least.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { part: 0, of: 1 };
}

/// The filters of many digests, packed for a search that can be shared out.
pub struct Filters {
    packed: Packed,
    rule: Either,
    pairs: Pairs,
    threshold: u8,
}

enum Either {
    Sdhash(SdhashRule),
    MrshV2(MrshRule),
}

impl Filters {
    /// Those of sdhash digests; see [`sdhash()`].
    ///
    /// # Panics
    /// If there are names, but not as many as digests.
    pub fn sdhash(digests: &[sdhash::Digest], names: Option<&[&[u8]]>, pairs: Pairs, threshold: u8) -> Filters {
        assert!(names.is_none_or(|names| names.len() == digests.len()), "a name for each digest");
        let mut places: Vec<u32> = (0..count(digests)).collect();
        places.sort_by_key(|&place| {
            let digest = &digests[place as usize];
            (digest.filters(), digest.elements(digest.filters() - 1), names.map(|names| names[place as usize]), place)
        });
        let mut packed = Packed::default();
        for place in places {
            let digest = &digests[place as usize];
            let comparable = |&filter: &usize| digest.elements(filter) >= sdhash::LEAST_ELEMENTS;
            let filters: Vec<usize> = (0..digest.filters()).filter(comparable).collect();
            let weight =
                |&i: &usize| (&digest.bits()[i], Weight { elements: digest.elements(i), ones: digest.ones()[i] });
            packed.add(place, filters.iter().map(weight));
        }
        Filters { packed, rule: Either::Sdhash(SdhashRule), pairs, threshold }
    }

    /// Those of mrsh-v2 digests; see [`mrsh_v2()`].
    pub fn mrsh_v2(method: &MrshV2, digests: &[mrsh_v2::Digest], base: Base, pairs: Pairs, threshold: u8) -> Filters {
        let mut places: Vec<u32> = (0..count(digests)).collect();
        // Of two with as many filters, the one that comes later is looked for in the other.
        places.sort_by_key(|&place| (digests[place as usize].filters(), std::cmp::Reverse(place)));
        let mut packed = Packed::default();
        for place in places {
            let digest = &digests[place as usize];
            let comparable = digest.comparable(method);
            let weight = |i: usize| (&digest.bits()[i], Weight { elements: digest.chunks(i), ones: digest.ones()[i] });
            packed.add(place, (0..comparable).map(weight));
        }
        Filters { packed, rule: Either::MrshV2(MrshRule { base }), pairs, threshold }
    }

    /// Hands out the pairs of a share; breaks off when the visitor does.
    pub fn search(&self, share: Share, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
        match &self.rule {
            Either::Sdhash(rule) => search(&self.packed, rule, self.pairs, self.threshold, share, visitor),
            Either::MrshV2(rule) => search(&self.packed, rule, self.pairs, self.threshold, share, visitor),
        }
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

struct SdhashRule;

impl Rule for SdhashRule {
    fn least(&self, a: Weight, b: Weight) -> u32 {
        sdhash::cutoff(a.elements + b.elements) + 1
    }

    fn filters(&self, a: (&Bits, Weight), b: (&Bits, Weight), common: u32) -> f64 {
        sdhash::filter_score(a.0, b.0, a.1.elements + b.1.elements, a.1.ones.min(b.1.ones), common)
    }

    fn digests(&self, sum: f64, sought: u32, _: u32) -> u8 {
        (100.0 * sum / f64::from(sought)).round() as u8
    }
}

struct MrshRule {
    base: Base,
}

impl Rule for MrshRule {
    fn least(&self, a: Weight, b: Weight) -> u32 {
        mrsh_v2::cutoff(a.elements, b.elements, a.ones.min(b.ones))
    }

    fn filters(&self, a: (&Bits, Weight), b: (&Bits, Weight), common: u32) -> f64 {
        f64::from(mrsh_v2::filter_score(a.1.elements, b.1.elements, a.1.ones.min(b.1.ones), common))
    }

    fn digests(&self, sum: f64, sought: u32, target: u32) -> u8 {
        let divisor = if self.base == Base::Larger { target } else { sought };
        (sum as u64 / u64::from(divisor)) as u8
    }
}

fn search(
    packed: &Packed,
    rule: &impl Rule,
    pairs: Pairs,
    threshold: u8,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    let mut report = Report::default();
    let digests = packed.digests.len();
    let ends = |digest: usize| packed.starts.get(digest + 1).copied().unwrap_or(packed.bits.len());
    // Most filters are full: for those, the bounds are computed once for each block, for the one
    // with the fewest ones.
    let most = packed.weights.iter().map(|weight| weight.elements).max().unwrap_or(0);
    let full = packed.weights.iter().filter(|weight| weight.elements == most);
    let full = Weight { elements: most, ones: full.map(|weight| weight.ones).min().unwrap_or(0) };
    let (mut common, mut full_bounds, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    let mut number = 0;
    while first < digests {
        visitor.progress(packed.starts[first].pow(2) as u64, packed.bits.len().pow(2) as u64)?;
        // A digest is never split over two blocks.
        let start = packed.starts[first];
        let mut last = first;
        while last + 1 < digests && ends(last + 1) - start <= BLOCK {
            last += 1;
        }
        // Later blocks cost more: each share has some of all ages.
        number = (number + 1) % share.of;
        if number != share.part {
            first = last + 1;
            continue;
        }
        let end = ends(last);
        let (block, weights, owners) =
            (&packed.bits[start..end], &packed.weights[start..end], &packed.owners[start..end]);
        common.resize(block.len(), 0);
        full_bounds.clear();
        full_bounds.extend(weights.iter().map(|&weight| rule.least(full, weight)));
        // For each target the sum of the best scores of all filters of the digest that is looked
        // for, and the best score for the filter at hand.
        let mut sums = vec![0.0f64; last + 1 - first];
        let mut bests = vec![0.0f64; last + 1 - first];
        let mut touched: Vec<usize> = Vec::new();
        for sought in 0..=last {
            let (place, filters) = packed.digests[sought];
            let mut any = false;
            // Within the block, only the targets that come after.
            let skip = if sought >= first { ends(sought) - start } else { 0 };
            for filter in packed.starts[sought]..ends(sought) {
                let weight = packed.weights[filter];
                let bounds = if weight.elements == full.elements {
                    &full_bounds
                } else {
                    bounds.clear();
                    bounds.extend(weights.iter().map(|&other| rule.least(weight, other)));
                    &bounds
                };
                let bits = &packed.bits[filter];
                bloom::common(bits, &block[skip..], &mut common[skip..]);
                report.compared += (block.len() - skip) as u64;
                for (chunk, (counts, bounds)) in common[skip..].chunks(16).zip(bounds[skip..].chunks(16)).enumerate() {
                    if !counts.iter().zip(bounds).fold(false, |any, (count, bound)| any | (count >= bound)) {
                        continue;
                    }
                    for (i, (&count, &bound)) in counts.iter().zip(bounds).enumerate() {
                        let at = skip + 16 * chunk + i;
                        if count >= bound {
                            let score = rule.filters((bits, weight), (&block[at], weights[at]), count);
                            let target = owners[at] as usize - first;
                            if bests[target] == 0.0 && score > 0.0 {
                                touched.push(target);
                            }
                            bests[target] = bests[target].max(score);
                        }
                    }
                }
                for target in touched.drain(..) {
                    sums[target] += std::mem::take(&mut bests[target]);
                    any = true;
                }
            }
            if !any {
                continue;
            }
            for (i, sum) in sums.iter_mut().enumerate().filter(|(_, sum)| **sum > 0.0) {
                let (target, target_filters) = packed.digests[first + i];
                let score = rule.digests(std::mem::take(sum), filters, target_filters);
                if score >= threshold.max(1) && pairs.include(place, target) {
                    visitor.hit(ordered(place, target, Score::Similarity(score)))?;
                }
            }
        }
        first = last + 1;
    }
    ControlFlow::Continue(report)
}
