//! The search from place to place, in one chain: near the end of a list.

use super::search::{NEIGHBOURS, Search};

/// The two searches of a form.
pub trait Compare {
    /// The lowest rank that is not 0, and the places that have it, a bit each. The first rank is
    /// not 0.
    ///
    /// # Safety
    /// The CPU has the form's instructions.
    unsafe fn lowest(ranks: &[u16; NEIGHBOURS]) -> (u16, u64);

    /// The places of the ranks that are not above `least`, a bit each.
    ///
    /// # Safety
    /// The CPU has the form's instructions.
    unsafe fn up_to(ranks: &[u16; NEIGHBOURS], least: u16) -> u64;
}

/// # Safety
/// The CPU has the instructions of `C`; the lists reach behind `end` as [`Search::run`] asks.
#[inline(always)]
pub unsafe fn run<C: Compare>(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    let Search { next: mut i, mut at, mut least } = *search;
    while i < end {
        if least > 0 {
            while i < at && i < end {
                // The neighbourhoods until the lowest leaves; none has another lowest until a rank
                // enters that is not above it.
                let most = (at - i).min(end - i);
                let entering = &ranks[i + NEIGHBOURS..];
                let first = match entering.first_chunk() {
                    // SAFETY: the caller's promise.
                    Some(entering) => unsafe { C::up_to(entering, least) }.trailing_zeros() as usize,
                    None => entering[..most].iter().position(|rank| *rank <= least).unwrap_or(most),
                };
                scores[at] += first.min(most) as u8;
                i += first.min(most);
                // One condition that is seldom true, so that the CPU predicts it. Otherwise the
                // lowest leaves or a lower one enters: the CPU could not predict which, and both
                // take the same way.
                let stays = (first < most) & (ranks[i + NEIGHBOURS] == least);
                if !stays {
                    break;
                }
                at = i + NEIGHBOURS;
                scores[at] += 1;
                i += 1;
            }
            if i >= end {
                break;
            }
        }
        least = ranks[i];
        at = i;
        if least > 0 {
            let neighbours = ranks[i..].first_chunk().expect("a neighbourhood");
            // SAFETY: the caller's promise.
            let (lowest, places) = unsafe { C::lowest(neighbours) };
            // The leftmost, and of a run of equal ranks that it begins the last.
            let leftmost = places.trailing_zeros();
            least = lowest;
            at = i + (leftmost + (places >> leftmost).trailing_ones() - 1) as usize;
            scores[at] += 1;
        }
        i += 1;
    }
    *search = Search { next: i, at, least };
}
