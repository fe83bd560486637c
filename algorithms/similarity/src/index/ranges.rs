//! TLSH: groups by length and quartile ratios, and bodies eight at a time.

use super::{Pairs, Report, Share, Visitor, count, ordered};
use crate::Score;
use crate::tlsh::Digest;
use pfh_kernel::similarity::bodies::{self, EIGHT, Eight};
use std::ops::{ControlFlow, Range};

/// Eights of bodies that stay in the first cache while a group is compared with them.
const BLOCK: usize = 64;
/// Comparisons between two reports of progress, about.
const STEP: u64 = 1 << 22;

/// Hands out every pair with a distance of at most `threshold`; breaks off when the visitor does.
pub fn tlsh(digests: &[Digest], pairs: Pairs, threshold: u32, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
    Ranges::new(digests, pairs, threshold).search(Share::WHOLE, visitor)
}

/// Digests with the same length and ratios.
struct Group {
    /// Of those in `places`.
    places: Range<usize>,
    /// Where their bodies begin, eight by eight.
    eights: Range<usize>,
    /// Whether they belong to the second set of two.
    is_second: bool,
}

/// TLSH digests in groups, ready for a search that can be shared out.
///
/// A distance is the sum of terms for the lengths, the ratios, the checksum and the bodies, none of
/// them negative (Oliver, Cheng & Chen, *TLSH – a locality sensitive hash*, 2013, section 3). The
/// first two depend on the groups of two digests alone. Groups whose terms exceed the threshold are
/// passed over; of others, the bodies may differ by the rest.
pub struct Ranges<'a> {
    digests: &'a [Digest],
    pairs: Pairs,
    threshold: u32,
    places: Vec<u32>,
    eights: Vec<Eight>,
    groups: Vec<Group>,
}

impl<'a> Ranges<'a> {
    /// Those of digests, for the pairs with a distance of at most `threshold`.
    pub fn new(digests: &'a [Digest], pairs: Pairs, threshold: u32) -> Ranges<'a> {
        let is_second = |place: u32| matches!(pairs, Pairs::Across(split) if place >= split);
        let key = |place: u32| {
            let digest = &digests[place as usize];
            (digest.length_code(), digest.ratios(), is_second(place))
        };
        let mut places: Vec<u32> = (0..count(digests)).collect();
        places.sort_unstable_by_key(|&place| (key(place), place));
        let (mut eights, mut groups, mut start) = (Vec::new(), Vec::new(), 0);
        for group in places.chunk_by(|&a, &b| key(a) == key(b)) {
            let first = eights.len();
            let body = |place: &u32| digests[*place as usize].body();
            eights.extend(group.chunks(EIGHT).map(|eight| Eight::new(eight.iter().map(body))));
            let places = start..start + group.len();
            start = places.end;
            groups.push(Group { places, eights: first..eights.len(), is_second: is_second(group[0]) });
        }
        Ranges { digests, pairs, threshold, places, eights, groups }
    }

    /// Hands out the pairs whose first digests, in the order of the groups, have their places in
    /// this share. The shares together hand out the pairs of one whole search, each pair once.
    /// Breaks off when the visitor does.
    pub fn search(&self, share: Share, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
        let mut course =
            Course { share, visitor, done: 0, all: self.groups.len() as u64, report: Report::default(), said: 0 };
        for (i, group) in self.groups.iter().enumerate() {
            course.done = i as u64;
            course.visitor.progress(course.done, course.all)?;
            for other in &self.groups[i..] {
                if matches!(self.pairs, Pairs::Across(_)) && group.is_second == other.is_second {
                    continue;
                }
                let [a, b] = [group, other].map(|group| &self.digests[self.places[group.places.start] as usize]);
                if let Some(rest) = self.threshold.checked_sub(a.least_distance(b)) {
                    self.compare((group, other), rest, &mut course)?;
                }
            }
        }
        ControlFlow::Continue(course.report)
    }

    /// Compares two groups, or one with itself, whose bodies may differ by `rest`.
    fn compare(
        &self,
        (group, other): (&Group, &Group),
        rest: u32,
        course: &mut Course<'_, impl Visitor>,
    ) -> ControlFlow<()> {
        let is_same = group.places == other.places;
        let Share { part, of } = course.share;
        // By places, not by groups: most digests may be of one group.
        let mine = |(_, place): &(usize, &u32)| *place % of.max(1) == part;
        let (own, others) = (&self.places[group.places.clone()], &self.places[other.places.clone()]);
        let own_eights = &self.eights[group.eights.clone()];
        let mut near = Vec::new();
        for (number, block) in self.eights[other.eights.clone()].chunks(BLOCK).enumerate() {
            let start = number * BLOCK * EIGHT;
            let end = others.len().min(start + BLOCK * EIGHT);
            for (at, &a) in own.iter().enumerate().filter(mine) {
                // Within a group, only those behind.
                let from = if is_same { start.max(at + 1) } else { start };
                if from >= end {
                    continue;
                }
                course.report.compared += (end - from) as u64;
                let skipped = (from - start) / EIGHT;
                near.clear();
                bodies::near(&own_eights[at / EIGHT].body(at % EIGHT), &block[skipped..], rest, &mut near);
                for number in &near {
                    let found = start + skipped * EIGHT + *number as usize;
                    // Others of the first eight may stand before them, bodies of zeros behind.
                    if !(from..end).contains(&found) {
                        continue;
                    }
                    let b = others[found];
                    let distance = self.digests[a as usize].distance(&self.digests[b as usize]);
                    if distance <= self.threshold {
                        course.visitor.hit(ordered(a, b, Score::Distance(distance)))?;
                    }
                }
            }
            course.tell()?;
        }
        ControlFlow::Continue(())
    }
}

/// A search under way.
struct Course<'v, V> {
    share: Share,
    visitor: &'v mut V,
    /// Groups.
    done: u64,
    all: u64,
    report: Report,
    /// Comparisons at the last report of progress.
    said: u64,
}

impl<V: Visitor> Course<'_, V> {
    /// Reports the progress, if there was enough.
    fn tell(&mut self) -> ControlFlow<()> {
        if self.report.compared - self.said < STEP {
            return ControlFlow::Continue(());
        }
        self.said = self.report.compared;
        self.visitor.progress(self.done, self.all)
    }
}
