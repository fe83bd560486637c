//! Pairs of pictures in any of the eight orientations.

use pfh_similarity::Score;
use pfh_similarity::index::{self, Hit, Pairs, Report, Share, Visitor};
use pfh_similarity::pdq::{self, Digest, Orientation};
use std::ops::ControlFlow;

/// Hands out every pair with an orientation in which they differ in at most `most` bits, each once,
/// with the least distance.
pub fn share(
    digests: &[Digest],
    pairs: Pairs,
    most: u32,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    let mut report = Report::default();
    for (pass, orientation) in (0..).zip(Orientation::ALL) {
        let mut nearest = Nearest { digests, pairs, orientation, pass, visitor: &mut *visitor };
        let found = if pass == 0 {
            index::bits_share(digests, pairs, most, share, &mut nearest)?
        } else {
            let turned = digests.iter().map(|digest| orientation.of(digest));
            let both: Vec<Digest> = digests.iter().copied().chain(turned).collect();
            // Fits: a collection has fewer than 2^31.
            index::bits_share(&both, Pairs::Across(digests.len() as u32), most, share, &mut nearest)?
        };
        report.compared += found.compared;
    }
    ControlFlow::Continue(report)
}

/// Takes the pairs of one orientation that are nearest in it.
struct Nearest<'a, V> {
    digests: &'a [Digest],
    pairs: Pairs,
    orientation: Orientation,
    pass: u64,
    visitor: &'a mut V,
}

impl<V: Visitor> Visitor for Nearest<'_, V> {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        // Behind the digests stand the turned ones.
        let (a, b) = (hit.a, hit.b % self.digests.len() as u32);
        if a >= b || !self.pairs.include(a, b) {
            return ControlFlow::Continue(());
        }
        let (distance, orientation) = pdq::nearest(&self.digests[a as usize], &self.digests[b as usize]);
        if orientation != self.orientation {
            return ControlFlow::Continue(());
        }
        self.visitor.hit(Hit { a, b, score: Score::Distance(distance) })
    }

    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        let passes = Orientation::ALL.len() as u64;
        self.visitor.progress(self.pass * total + done, passes * total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn each_pair_comes_once_with_its_least_distance() {
        let mut state = 7_u64;
        let mut word = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut digests: Vec<Digest> =
            (0..20).map(|_| pfh_similarity::pictures::Bits([(); 4].map(|()| word()))).collect();
        // Each again in some orientation, and some bits off.
        for at in 0..20 {
            let mut turned = Orientation::ALL[at % 8].of(&digests[at]);
            turned.0[at % 4] ^= 0x11 << at;
            digests.push(turned);
        }
        for (pairs, wanted) in [(Pairs::All, 20), (Pairs::Across(20), 20), (Pairs::Across(30), 10)] {
            let mut found: Vec<Hit> = Vec::new();
            for part in 0..3 {
                assert!(share(&digests, pairs, 31, Share { part, of: 3 }, &mut found).is_continue());
            }
            let found: BTreeMap<(u32, u32), Score> = found.iter().map(|hit| ((hit.a, hit.b), hit.score)).collect();
            let mut naive = BTreeMap::new();
            for b in 0..40_u32 {
                for a in (0..b).filter(|&a| pairs.include(a, b)) {
                    let of =
                        |orientation: &Orientation| digests[a as usize].distance(&orientation.of(&digests[b as usize]));
                    let least = Orientation::ALL.iter().map(of).min().unwrap();
                    if least <= 31 {
                        naive.insert((a, b), Score::Distance(least));
                    }
                }
            }
            assert_eq!(found, naive);
            assert_eq!(naive.len(), wanted, "{pairs:?}");
        }
    }
}
