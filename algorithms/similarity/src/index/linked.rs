//! Groups of ssdeep digests without all of their pairs. Of 60,000 digests that are nearly equal
//! there are 1.8 billion pairs and one group: a digest that is linked to a group need not be
//! compared with the rest of it.

use super::grams::{Groups, identical_short_groups, plan};
use super::{Clusters, Pairs, Report, Share, Visitor, count};
use crate::ssdeep::{Digest, Target};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A sequence that this many digests have keeps them by the groups that they are in.
const MANY: usize = 64;
/// Comparisons between two reports of progress.
const STEP: u64 = 1 << 16;

/// The groups that the pairs of [`ssdeep`](super::ssdeep) link together: the same ones. The visitor
/// gets no pairs, only the progress.
///
/// `memory` bounds, in bytes, the memory beside the digests, a copy of them and 20 bytes for each;
/// two megabytes are always taken.
pub fn ssdeep_groups(
    digests: &[Digest],
    pairs: Pairs,
    threshold: u8,
    memory: usize,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), (Report, Clusters)> {
    let places = count(digests);
    let digests: Vec<Digest> = digests.iter().map(Digest::collapsed).collect();
    let (sizes, ranges) = plan(&digests, memory, Share::WHOLE);
    let mut report = Report { passes: ranges.len() as u32, ..Report::default() };
    let mut linking = Linking {
        digests: &digests,
        pairs,
        threshold: threshold.max(1),
        clusters: Clusters::new(places),
        seen: vec![u32::MAX; digests.len()],
        compared: 0,
    };
    for group in identical_short_groups(&digests) {
        let (first, last) = (group[0], group[group.len() - 1]);
        // Places ascend, so the first and the last are of both sets where any two are.
        if pairs.include(first, last) {
            group.iter().for_each(|&place| linking.clusters.join(first, place));
        }
    }
    let total = ranges.len() as u64 * u64::from(places);
    for (pass, range) in ranges.iter().enumerate() {
        let groups = Groups::new(&digests, &sizes, range.clone(), &mut report);
        visitor.hot(&report.hottest);
        linking.seen.fill(u32::MAX);
        let mut many: HashMap<u32, Vec<Part>> = HashMap::new();
        let mut said = 0;
        for place in 0..places {
            if place.is_multiple_of(4096) || linking.compared - said > STEP {
                said = linking.compared;
                visitor.progress(pass as u64 * u64::from(places) + u64::from(place), total)?;
            }
            linking.link(place, &groups, &mut many);
        }
    }
    report.compared = linking.compared;
    ControlFlow::Continue((report, linking.clusters))
}

/// Digests with a sequence that are in one group, and a place of that.
struct Part {
    root: u32,
    members: Vec<u32>,
}

struct Linking<'a> {
    digests: &'a [Digest],
    pairs: Pairs,
    threshold: u8,
    clusters: Clusters,
    /// The last place that a digest was compared with.
    seen: Vec<u32>,
    compared: u64,
}

impl Linking<'_> {
    /// Links a digest with those before it.
    fn link(&mut self, place: u32, groups: &Groups, many: &mut HashMap<u32, Vec<Part>>) {
        // In the first of two sets nothing that comes before is asked for.
        let alone = matches!(self.pairs, Pairs::Across(split) if place < split);
        let mut target = None;
        for &group in groups.of(place as usize) {
            let members = groups.members(group);
            if members.len() >= MANY {
                let parts = many.entry(group).or_default();
                for part in parts.iter().filter(|_| !alone) {
                    if self.clusters.root(part.root) != self.clusters.root(place) {
                        let _ = part.members.iter().any(|&other| self.joins(other, place, &mut target));
                    }
                }
                if alone {
                    // Nothing is linked yet, so there is nothing to be put together.
                    parts.push(Part { root: place, members: vec![place] });
                } else {
                    self.put(place, parts);
                }
            } else if !alone {
                for &other in members.iter().take_while(|&&other| other < place) {
                    if self.clusters.root(other) != self.clusters.root(place) {
                        self.joins(other, place, &mut target);
                    }
                }
            }
        }
    }

    /// Compares two digests, once, and says whether they are linked now.
    fn joins(&mut self, other: u32, place: u32, target: &mut Option<Target>) -> bool {
        let fresh = std::mem::replace(&mut self.seen[other as usize], place) != place;
        if !fresh || !self.pairs.include(other, place) {
            return false;
        }
        self.compared += 1;
        let target = target.get_or_insert_with(|| Target::new(&self.digests[place as usize]));
        let linked = target.score(&self.digests[other as usize]) >= self.threshold;
        if linked {
            self.clusters.join(other, place);
        }
        linked
    }

    /// Puts a digest to those of its group, and parts together whose groups became one.
    fn put(&mut self, place: u32, parts: &mut Vec<Part>) {
        let root = self.clusters.root(place);
        let mut into: Option<usize> = None;
        let mut at = 0;
        while at < parts.len() {
            if self.clusters.root(parts[at].root) != root {
                at += 1;
                continue;
            }
            match into {
                None => {
                    into = Some(at);
                    at += 1;
                }
                Some(first) => {
                    let members = parts.swap_remove(at).members;
                    parts[first].members.extend(members);
                }
            }
        }
        match into {
            Some(first) => parts[first].members.push(place),
            None => parts.push(Part { root, members: vec![place] }),
        }
    }
}
