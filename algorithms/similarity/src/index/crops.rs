//! Pictures that have places in common.

use super::{Hit, Pairs, Report, Share, Visitor, count};
use crate::Score;
use crate::crops::{self, Digest};
use crate::pdq::Orientation;
use std::ops::ControlFlow;

/// A point, in the order of one of its keys.
#[derive(Clone, Copy)]
struct Entry {
    form: u64,
    digest: u32,
    point: u16,
}

/// Hands out every pair with at least as many places in common, in any orientation, each once: as
/// [`crops::common`] counts them.
pub fn crops_share(
    digests: &[Digest],
    pairs: Pairs,
    least: u8,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    let mut entries = Vec::new();
    for (digest, place) in digests.iter().zip(0..count(digests)) {
        // A digest has few points.
        entries.extend((0..).zip(digest.points()).map(|(point, of)| Entry { form: of.form, digest: place, point }));
    }
    let by_key = crops::HALVES.map(|half| {
        let mut entries = entries.clone();
        entries.sort_unstable_by_key(|entry| (entry.form & half, entry.digest, entry.point));
        (half, entries)
    });
    drop(entries);
    let (mut report, all) = (Report::default(), u64::from(count(digests)));
    for b in (0..count(digests)).filter(|b| b % share.of == share.part) {
        visitor.progress(u64::from(b), all)?;
        let mut best: Vec<(u32, u8)> = Vec::new();
        for orientation in Orientation::ALL {
            let mut found = alike(&by_key, &digests[b as usize], (pairs, b), orientation);
            report.compared += found.len() as u64;
            found.sort_unstable();
            found.dedup();
            for of_one in found.chunk_by(|one, other| one.0 == other.0) {
                if of_one.len() >= usize::from(least.max(1)) {
                    let a = of_one[0].0;
                    let points = of_one.iter().map(|&(_, i, j)| (usize::from(i), usize::from(j)));
                    best.push((a, crops::count(&digests[a as usize], &digests[b as usize], orientation, points)));
                }
            }
        }
        best.sort_unstable();
        for of_one in best.chunk_by(|one, other| one.0 == other.0) {
            let (a, score) = of_one[of_one.len() - 1];
            if score >= least.max(1) {
                visitor.hit(Hit { a, b, score: Score::Similarity(score) })?;
            }
        }
    }
    ControlFlow::Continue(report)
}

/// The points of earlier digests that are alike to those of one as it is turned.
fn alike(
    by_key: &[(u64, Vec<Entry>); 2],
    digest: &Digest,
    (pairs, b): (Pairs, u32),
    orientation: Orientation,
) -> Vec<(u32, u16, u16)> {
    let mut found = Vec::new();
    for (j, point) in (0..).zip(digest.points()) {
        let form = crops::turned(orientation, point.form);
        for (half, entries) in by_key {
            let key = form & half;
            let start = entries.partition_point(|entry| entry.form & half < key);
            let of_key = entries[start..].iter().take_while(|entry| entry.form & half == key && entry.digest < b);
            let alike = of_key.filter(|entry| crops::is_alike(entry.form, form) && pairs.include(entry.digest, b));
            found.extend(alike.map(|entry| (entry.digest, entry.point, j)));
        }
    }
    found
}
