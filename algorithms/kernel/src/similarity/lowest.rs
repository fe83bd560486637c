//! How often each place of a list of ranks is the lowest of 64 neighbours, as sdhash counts it.
//!
//! The definition depends on its own history: while the neighbourhood slides, the lowest rank seen
//! last is kept until it leaves or a lower one enters; then the neighbourhood is searched again,
//! from the left. It has to be followed exactly. The forms go from one such event to the next, in
//! several chains at a time; near the end of the list, in one: there a comparison of 64 ranks with
//! the lowest finds its place, and another one the rank that enters and its place.

mod chains;
mod links;
mod portable;
mod search;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use search::{NEIGHBOURS, Search};

use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Goes on through the neighbourhoods before `end`, adding 1 to the score of the lowest-ranked
/// place of each. A rank of 0 is none, and all are below 1,024.
type Run = unsafe fn(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize);

/// The forms, best first.
pub static FORMS: &[Form<Run>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: nothing_more, function: x86::avx512 },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: nothing_more, function: x86::avx2 },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable::portable },
];

impl Form<Run> {
    /// [`Search::run`] in this form.
    ///
    /// # Panics
    /// As [`Search::run`], or if this machine lacks the form.
    pub fn run(&self, search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
        assert!(self.usable());
        check(ranks, scores, end);
        // SAFETY: the instruction set is there, and the lists are long enough, as asserted.
        unsafe { (self.function)(search, ranks, scores, end) }
    }
}

impl Search {
    /// Goes on through the neighbourhoods before `end`. No place is the lowest more than 65 times.
    /// Ranks are below 1,024.
    ///
    /// # Panics
    /// If `ranks` does not reach 65 further than `end`, or `scores` 64 further.
    pub fn run(&mut self, ranks: &[u16], scores: &mut [u8], end: usize) {
        static BEST: LazyLock<&Form<Run>> = LazyLock::new(|| best(FORMS));
        check(ranks, scores, end);
        // SAFETY: `best` returns usable forms only; the lists are long enough, as asserted.
        unsafe { (BEST.function)(self, ranks, scores, end) }
    }
}

fn check(ranks: &[u16], scores: &[u8], end: usize) {
    debug_assert!(ranks.iter().all(|rank| *rank < 1024), "ranks of ten bits");
    assert!(ranks.len() > end + NEIGHBOURS && scores.len() >= end + NEIGHBOURS, "lists behind the last neighbourhood");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, neighbourhood by neighbourhood, as the first version of this search had it.
    fn plain(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
        let Search { next: mut i, mut at, mut least } = *search;
        while i < end {
            if least > 0 {
                while i < at && i < end {
                    let entering = ranks[i + NEIGHBOURS];
                    if entering < least {
                        break;
                    }
                    if entering == least {
                        at = i + NEIGHBOURS;
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
                for (j, &rank) in ranks.iter().enumerate().take(i + NEIGHBOURS).skip(i + 1) {
                    if rank < least && rank != 0 {
                        (at, least) = (j, rank);
                    } else if at == j - 1 && rank == least {
                        at = j;
                    }
                }
                scores[at] += 1;
            }
            i += 1;
        }
        *search = Search { next: i, at, least };
    }

    #[test]
    fn every_form_follows_the_definition() {
        let mut seed = 3u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 44) as usize
        };
        // Lists in all: 240, or the number in `PFH_INPUTS`.
        let lists = std::env::var("PFH_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(240);
        for values in [1, 2, 3, 10, 100, 1024] {
            for round in 0..lists / 6 {
                let mut ranks: Vec<u16> = Vec::new();
                let length = 65 + next() % [900, 20_000][usize::from(round % 10 == 0)];
                while ranks.len() < length {
                    let (rank, run) = ((next() % values) as u16, if round % 3 == 0 { 1 + next() % 70 } else { 1 });
                    ranks.extend(vec![rank; run]);
                }
                let end = ranks.len() - NEIGHBOURS - 1;
                // In one go, and with a stop, after which the lists lose the ranks and scores
                // before it.
                let stop = next() % (end + 1);
                let mut expected = vec![0; ranks.len()];
                let mut search = Search::default();
                plain(&mut search, &ranks, &mut expected, end);
                for form in FORMS.iter().filter(|form| form.usable()) {
                    let (mut scores, mut own) = (vec![0; ranks.len()], Search::default());
                    form.run(&mut own, &ranks, &mut scores, end);
                    assert_eq!((own, &scores), (search, &expected), "{:?}: {ranks:?}", form.isa());
                    let (mut scores, mut own) = (vec![0; ranks.len()], Search::default());
                    form.run(&mut own, &ranks, &mut scores, stop);
                    let passed = own.next;
                    own.forget(passed);
                    form.run(&mut own, &ranks[passed..], &mut scores[passed..], end - passed);
                    assert_eq!(scores, expected, "{:?} with a stop at {stop}: {ranks:?}", form.isa());
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "behind the last neighbourhood")]
    fn short_lists_are_refused() {
        Search::default().run(&[1; 100], &mut [0; 100], 36);
    }
}
