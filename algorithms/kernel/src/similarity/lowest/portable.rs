//! The search in plain integers, four ranks to a word.

use super::chains::{self, Vectors};
use super::links::{self, Compare};
use super::search::{NEIGHBOURS, Search};

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
            // The last place counts, even if an equal rank follows.
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
pub unsafe fn portable(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    // SAFETY: the caller's promise; the form needs no instructions of its own.
    unsafe {
        chains::run::<Portable>(search, ranks, scores, end);
        links::run::<Portable>(search, ranks, scores, end)
    }
}
