//! TLSH: groups by length and quartile ratios.

use super::{Pairs, Report, Visitor, count, ordered};
use crate::Score;
use crate::tlsh::Digest;
use std::ops::ControlFlow;

/// Hands out every pair with a distance of at most `threshold`; breaks off when the visitor does.
///
/// The terms for the lengths and the ratios depend on a digest's group only and are part of the
/// distance, which has no negative terms; so two groups for which they exceed the threshold are
/// passed over.
pub fn tlsh(digests: &[Digest], pairs: Pairs, threshold: u32, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
    let key = |place: u32| {
        let digest = &digests[place as usize];
        (digest.length_code(), digest.ratios())
    };
    let mut places: Vec<u32> = (0..count(digests)).collect();
    places.sort_unstable_by_key(|&place| (key(place), place));
    let groups: Vec<&[u32]> = places.chunk_by(|&a, &b| key(a) == key(b)).collect();
    let mut report = Report::default();
    for (i, group) in groups.iter().enumerate() {
        visitor.progress(i as u64, groups.len() as u64)?;
        for (at, &a) in group.iter().enumerate() {
            compare(digests, a, &group[at + 1..], pairs, threshold, visitor, &mut report)?;
        }
        let one = &digests[group[0] as usize];
        for other in &groups[i + 1..] {
            if one.least_distance(&digests[other[0] as usize]) > threshold {
                continue;
            }
            for &a in *group {
                compare(digests, a, other, pairs, threshold, visitor, &mut report)?;
            }
        }
    }
    ControlFlow::Continue(report)
}

fn compare(
    digests: &[Digest],
    a: u32,
    others: &[u32],
    pairs: Pairs,
    threshold: u32,
    visitor: &mut impl Visitor,
    report: &mut Report,
) -> ControlFlow<()> {
    for &b in others.iter().filter(|&&b| pairs.include(a, b)) {
        report.compared += 1;
        let distance = digests[a as usize].distance(&digests[b as usize]);
        if distance <= threshold {
            visitor.hit(ordered(a, b, Score::Distance(distance)))?;
        }
    }
    ControlFlow::Continue(())
}
