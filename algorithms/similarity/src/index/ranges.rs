//! TLSH: groups by length and quartile ratios.

use super::{Pairs, Report, Share, Visitor, count, ordered};
use crate::Score;
use crate::tlsh::Digest;
use std::ops::ControlFlow;

/// Hands out every pair with a distance of at most `threshold`; breaks off when the visitor does.
///
/// The terms for the lengths and the ratios depend on a digest's group only and are part of the
/// distance, which has no negative terms; so two groups for which they exceed the threshold are
/// passed over.
pub fn tlsh(digests: &[Digest], pairs: Pairs, threshold: u32, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
    tlsh_share(digests, pairs, threshold, Share::WHOLE, visitor)
}

/// The part of [`tlsh()`] whose pairs have the first of their digests in this share of the places.
/// The shares together hand out the pairs of one whole search, each pair once.
pub fn tlsh_share(
    digests: &[Digest],
    pairs: Pairs,
    threshold: u32,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    // By places, not by groups: most digests may be of one group.
    let mine = |place: u32| place % share.of.max(1) == share.part;
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
        for (at, &a) in group.iter().enumerate().filter(|(_, place)| mine(**place)) {
            compare(digests, a, &group[at + 1..], pairs, threshold, visitor, &mut report)?;
        }
        let one = &digests[group[0] as usize];
        for other in &groups[i + 1..] {
            if one.least_distance(&digests[other[0] as usize]) > threshold {
                continue;
            }
            for &a in group.iter().filter(|place| mine(**place)) {
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
