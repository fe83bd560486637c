//! How often each window is the lowest-ranked of 64 neighbours.
//!
//! The definition depends on its own history: while the neighbourhood slides, the lowest rank seen
//! last is kept until it leaves or a lower one enters; then the neighbourhood is searched again,
//! from the left. It has to be followed exactly.

use super::WINDOW;

/// Where the search stands, counted from the start of the lists that it is handed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Popularity {
    /// The next neighbourhood.
    pub(super) next: usize,
    /// The lowest-ranked window of the last one, and its rank; a rank of 0 stands for none.
    at: usize,
    least: u16,
}

impl Popularity {
    /// Goes on through the neighbourhoods before `end`. `ranks` must reach 65 further than `end`,
    /// `scores` 64 further.
    pub(super) fn run(&mut self, ranks: &[u16], scores: &mut [u8], end: usize) {
        let Popularity { next: mut i, mut at, mut least } = *self;
        while i < end {
            if least > 0 {
                while i < at && i < end {
                    let entering = ranks[i + WINDOW];
                    if entering < least {
                        break;
                    }
                    if entering == least {
                        at = i + WINDOW;
                    }
                    scores[at] += 1;
                    i += 1;
                }
                if i == end {
                    break;
                }
            }
            least = ranks[i];
            at = i;
            if least > 0 {
                (least, at) = lowest(ranks[i..i + WINDOW].try_into().expect("a neighbourhood"), i);
                scores[at] += 1;
            }
            i += 1;
        }
        *self = Popularity { next: i, at, least };
    }

    /// The lists lose their first `count` places, none of which is still needed.
    pub(super) fn forget(&mut self, count: usize) {
        self.next -= count;
        // A place that was left behind counts as left all the same.
        self.at = self.at.saturating_sub(count);
    }
}

/// The leftmost lowest rank that is not zero, and the end of the run of equal ranks that it begins.
/// The first rank is not zero.
fn lowest(ranks: &[u16; WINDOW], base: usize) -> (u16, usize) {
    let least = ranks.iter().map(|rank| rank.wrapping_sub(1)).min().expect("64 ranks").wrapping_add(1);
    let mut at = ranks.iter().position(|&rank| rank == least).expect("the minimum");
    while at + 1 < WINDOW && ranks[at + 1] == least {
        at += 1;
    }
    (least, base + at)
}
