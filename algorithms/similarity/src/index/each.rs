//! Each digest with each later one, where no index helps.

use super::{Hit, Pairs, Report, Share, Visitor};
use crate::Score;
use std::ops::ControlFlow;

/// Digests between two reports of progress.
const STEP: u32 = 1 << 6;

/// Hands out every pair that has a score, of `places` digests, whose first one is in this share of
/// the places; breaks off when the visitor does. `score`: that of the digests at two places, the
/// earlier one first, or none if it is too low.
pub fn each_share(
    places: u32,
    pairs: Pairs,
    share: Share,
    visitor: &mut impl Visitor,
    score: impl Fn(u32, u32) -> Option<Score>,
) -> ControlFlow<(), Report> {
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
            if let Some(score) = score(a, b) {
                visitor.hit(Hit { a, b, score })?;
            }
        }
    }
    ControlFlow::Continue(report)
}
