//! How often each place of a list of ranks is the lowest of 64 neighbours, as sdhash counts it.
//!
//! The definition depends on its own history: while the neighbourhood slides, the lowest rank seen
//! last is kept until it leaves or a lower one enters; then the neighbourhood is searched again,
//! from the left. It has to be followed exactly. The forms go from one such event to the next, in
//! [several chains](chains) at a time; near the end of the list, in one: there a comparison of 64
//! ranks with the lowest finds where it is, another one what enters and when.

mod chains;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::{Form, best, nothing_more};
use crate::Isa;
use chains::Vectors;
use std::sync::LazyLock;

/// Places of a neighbourhood.
pub const NEIGHBOURS: usize = 64;

/// Where the search stands, counted from the start of the lists that it is handed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The next neighbourhood.
    pub next: usize,
    /// The lowest-ranked place of the last one, and its rank; a rank of 0 stands for none.
    at: usize,
    least: u16,
}

/// Goes on through the neighbourhoods before `end`, adding 1 to the score of the lowest-ranked
/// place of each. A rank of 0 is none, and all are below 1,024.
type Run = unsafe fn(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize);

/// The forms, best first.
pub static FORMS: &[Form<Run>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: nothing_more, function: x86::avx512 },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: nothing_more, function: x86::avx2 },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
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

    /// The lists lose their first `count` places, none of which is still needed.
    pub fn forget(&mut self, count: usize) {
        self.next -= count;
        // A place that was left behind counts as left all the same.
        self.at = self.at.saturating_sub(count);
    }
}

fn check(ranks: &[u16], scores: &[u8], end: usize) {
    debug_assert!(ranks.iter().all(|rank| *rank < 1024), "ranks of ten bits");
    assert!(ranks.len() > end + NEIGHBOURS && scores.len() >= end + NEIGHBOURS, "lists behind the last neighbourhood");
}

/// The two searches of a form.
trait Compare {
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
unsafe fn run<C: Compare>(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
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
                // One condition, seldom true, so that it is foreseen. Otherwise the lowest leaves
                // or a lower one enters: which of them, nobody can foresee, and it makes no
                // difference.
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

struct Portable;

impl Compare for Portable {
    #[inline(always)]
    unsafe fn lowest(ranks: &[u16; NEIGHBOURS]) -> (u16, u64) {
        // A rank of 0 becomes the highest.
        let least = ranks.iter().map(|rank| rank.wrapping_sub(1)).min().expect("64 ranks").wrapping_add(1);
        (least, ranks.iter().enumerate().fold(0, |places, (i, rank)| places | u64::from(*rank == least) << i))
    }

    #[inline(always)]
    unsafe fn up_to(ranks: &[u16; NEIGHBOURS], least: u16) -> u64 {
        // The callers ask for the first alone.
        ranks.iter().position(|rank| *rank <= least).map_or(0, |first| 1 << first)
    }
}

impl Vectors for Portable {
    const AHEAD: usize = 8;

    #[inline(always)]
    unsafe fn keys(ranks: *const u16, count: usize, keys: *mut u16) {
        // SAFETY: the caller's promise: nothing is read or written 192 places behind `count`.
        let (ranks, keys) = unsafe {
            keys.write_bytes(0, count + 191);
            (std::slice::from_raw_parts(ranks, count + 191), std::slice::from_raw_parts_mut(keys, count + 191))
        };
        // A rank of 0 becomes the highest.
        let key = |rank: u16, i: u16| (rank << 6).wrapping_sub(64 - i);
        for ((to, own), next) in keys.iter_mut().zip(ranks).zip(&ranks[1..]) {
            // So does one that the next place has too.
            *to = key(*own, 0) | if own == next { chains::NONE } else { 0 };
        }
        for (step, count) in
            [(1, count + 62), (2, count + 60), (4, count + 56), (8, count + 48), (16, count + 32), (32, count)]
        {
            for p in 0..count {
                keys[p] = keys[p].min(keys[p + step] + step as u16);
            }
        }
        for (to, last) in keys.iter_mut().zip(&ranks[NEIGHBOURS - 1..]).take(count) {
            // The last place counts, whatever follows.
            *to = key(*last, 63).min(*to);
        }
    }

    #[inline(always)]
    unsafe fn first(ranks: *const u16, least: u16) -> usize {
        const TOPS: u64 = 0x8000_8000_8000_8000;
        // SAFETY: the caller's promise.
        let rank = |i: usize| u64::from(unsafe { *ranks.add(i) });
        let four = |i: usize| rank(4 * i) | rank(4 * i + 1) << 16 | rank(4 * i + 2) << 32 | rank(4 * i + 3) << 48;
        let all = (u64::from(least) * 0x0001_0001_0001_0001) | TOPS;
        // The highest bit of each rank that is not above.
        let places = |i| (all - four(i)) & TOPS;
        let (a, b) = (places(0), places(1));
        if a != 0 { a.trailing_zeros() as usize / 16 } else { 4 + b.trailing_zeros() as usize / 16 }
    }

    #[inline(always)]
    unsafe fn zeros(ranks: *const u16) -> usize {
        // SAFETY: the caller's promise.
        (0..Self::AHEAD).find(|i| unsafe { *ranks.add(*i) } != 0).unwrap_or(Self::AHEAD)
    }
}

/// # Safety
/// The lists reach behind `end` as [`Search::run`] asks.
unsafe fn portable(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    // SAFETY: the caller's promise; the form needs no instructions of its own.
    unsafe {
        chains::run::<Portable>(search, ranks, scores, end);
        run::<Portable>(search, ranks, scores, end)
    }
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
        for values in [1, 2, 3, 10, 100, 1024] {
            for round in 0..40 {
                let mut ranks: Vec<u16> = Vec::new();
                let length = 65 + next() % [900, 20_000][usize::from(round % 10 == 0)];
                while ranks.len() < length {
                    let (rank, run) = ((next() % values) as u16, if round % 3 == 0 { 1 + next() % 70 } else { 1 });
                    ranks.extend(vec![rank; run]);
                }
                let end = ranks.len() - NEIGHBOURS - 1;
                // In one go and with a stop, after which the lists lose what is behind.
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
