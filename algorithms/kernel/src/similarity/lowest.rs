//! How often each place of a list of ranks is the lowest of 64 neighbours, as sdhash counts it.
//!
//! The definition depends on its own history: while the neighbourhood slides, the lowest rank seen
//! last is kept until it leaves or a lower one enters; then the neighbourhood is searched again,
//! from the left. It has to be followed exactly. The fast forms go from one such event to the next:
//! a comparison of 64 ranks with the lowest finds where it is, another one what enters and when.

use super::{Form, best, nothing_more};
use crate::Isa;
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
/// place of each. A rank of 0 is none.
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

/// # Safety
/// The lists reach behind `end` as [`Search::run`] asks.
unsafe fn portable(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    // SAFETY: the caller's promise; the form needs no instructions of its own.
    unsafe { run::<Portable>(search, ranks, scores, end) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Compare, NEIGHBOURS, Search};
    use std::arch::x86_64::*;

    struct Avx2;

    impl Avx2 {
        /// Bit `i` is set if the words `i` are, which are all ones or all zeros.
        ///
        /// # Safety
        /// AVX2.
        #[inline(always)]
        unsafe fn places(words: [__m256i; 4]) -> u64 {
            // SAFETY: the caller's promise.
            unsafe {
                let half = |a, b| {
                    let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b));
                    u64::from(_mm256_movemask_epi8(bytes) as u32)
                };
                half(words[0], words[1]) | half(words[2], words[3]) << 32
            }
        }

        /// # Safety
        /// AVX2.
        #[inline(always)]
        unsafe fn load(ranks: &[u16; NEIGHBOURS]) -> [__m256i; 4] {
            // SAFETY: the four loads cover the 64 words.
            std::array::from_fn(|i| unsafe { _mm256_loadu_si256(ranks.as_ptr().add(16 * i).cast()) })
        }
    }

    impl Compare for Avx2 {
        #[inline(always)]
        unsafe fn lowest(ranks: &[u16; NEIGHBOURS]) -> (u16, u64) {
            // SAFETY: the caller's promise.
            unsafe {
                // A rank of 0 becomes the highest.
                let ranks = Avx2::load(ranks).map(|ranks| _mm256_sub_epi16(ranks, _mm256_set1_epi16(1)));
                let four = _mm256_min_epu16(_mm256_min_epu16(ranks[0], ranks[1]), _mm256_min_epu16(ranks[2], ranks[3]));
                let eight = _mm_min_epu16(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
                let least = _mm_minpos_epu16(eight);
                let all = _mm256_broadcastw_epi16(least);
                let places = Avx2::places(ranks.map(|ranks| _mm256_cmpeq_epi16(ranks, all)));
                ((_mm_cvtsi128_si32(least) as u16).wrapping_add(1), places)
            }
        }

        #[inline(always)]
        unsafe fn up_to(ranks: &[u16; NEIGHBOURS], least: u16) -> u64 {
            // SAFETY: the caller's promise.
            unsafe {
                let all = _mm256_set1_epi16(least as i16);
                let ranks = Avx2::load(ranks);
                Avx2::places(ranks.map(|ranks| _mm256_cmpeq_epi16(_mm256_min_epu16(ranks, all), ranks)))
            }
        }
    }

    /// # Safety
    /// AVX2; the lists reach behind `end` as [`Search::run`] asks.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub unsafe fn avx2(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
        // SAFETY: the caller's promise.
        unsafe { super::run::<Avx2>(search, ranks, scores, end) }
    }

    struct Avx512;

    impl Compare for Avx512 {
        #[inline(always)]
        unsafe fn lowest(ranks: &[u16; NEIGHBOURS]) -> (u16, u64) {
            // SAFETY: the caller's promise; the two loads cover the 64 words.
            unsafe {
                let one = _mm512_set1_epi16(1);
                // A rank of 0 becomes the highest.
                let a = _mm512_sub_epi16(_mm512_loadu_si512(ranks.as_ptr().cast()), one);
                let b = _mm512_sub_epi16(_mm512_loadu_si512(ranks.as_ptr().add(32).cast()), one);
                let both = _mm512_min_epu16(a, b);
                let four = _mm256_min_epu16(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64::<1>(both));
                let eight = _mm_min_epu16(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
                let least = _mm_minpos_epu16(eight);
                let all = _mm512_broadcastw_epi16(least);
                let places =
                    u64::from(_mm512_cmpeq_epi16_mask(a, all)) | u64::from(_mm512_cmpeq_epi16_mask(b, all)) << 32;
                ((_mm_cvtsi128_si32(least) as u16).wrapping_add(1), places)
            }
        }

        #[inline(always)]
        unsafe fn up_to(ranks: &[u16; NEIGHBOURS], least: u16) -> u64 {
            // SAFETY: the caller's promise; the two loads cover the 64 words.
            unsafe {
                let all = _mm512_set1_epi16(least as i16);
                let a = _mm512_cmple_epu16_mask(_mm512_loadu_si512(ranks.as_ptr().cast()), all);
                let b = _mm512_cmple_epu16_mask(_mm512_loadu_si512(ranks.as_ptr().add(32).cast()), all);
                u64::from(a) | u64::from(b) << 32
            }
        }
    }

    /// # Safety
    /// AVX-512 F and BW; the lists reach behind `end` as [`Search::run`] asks.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
    pub unsafe fn avx512(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
        // SAFETY: the caller's promise.
        unsafe { super::run::<Avx512>(search, ranks, scores, end) }
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
        for values in [1, 2, 3, 10, 100, 1000, 65_536] {
            for round in 0..40 {
                let mut ranks: Vec<u16> = Vec::new();
                let length = 65 + next() % 900;
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
