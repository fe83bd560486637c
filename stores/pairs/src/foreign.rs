//! Pairs by a method that has nothing but its own comparison: each is compared with each.

use pfh_similarity::index::{Hit, Pairs, Report, Share, Visitor};
use pfh_similarity::{Foreign, Score};
use std::ops::ControlFlow;

/// Digests between two looks at progress and interruption.
const STEP: u32 = 64;

/// Hands out every pair of this share that reaches the threshold.
pub fn share(
    digests: &[Foreign],
    pairs: Pairs,
    threshold: Score,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    // Fits: a collection has fewer than 2^31.
    let places = digests.len() as u32;
    let mut report = Report::default();
    for a in 0..places {
        if a.is_multiple_of(STEP) {
            visitor.progress(a.into(), places.into())?;
        }
        if a % share.of.max(1) != share.part {
            continue;
        }
        for b in (a + 1..places).filter(|&b| pairs.include(a, b)) {
            report.compared += 1;
            let Some(compared) = digests[a as usize].compare(&digests[b as usize]) else { continue };
            // As with all methods, inputs with nothing in common make no pair.
            if compared.score != Score::Similarity(0) && compared.score.reaches(threshold) {
                visitor.hit(Hit { a, b, score: compared.score })?;
            }
        }
    }
    ControlFlow::Continue(report)
}
