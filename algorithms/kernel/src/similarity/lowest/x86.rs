//! The search in 32-byte and 64-byte vectors.

use super::chains::{self, Vectors};
use super::links::{self, Compare};
use super::search::{NEIGHBOURS, Search};
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
        unsafe { u64::from(Avx2::half(words[0], words[1])) | u64::from(Avx2::half(words[2], words[3])) << 32 }
    }

    /// The same of two.
    ///
    /// # Safety
    /// AVX2.
    #[inline(always)]
    unsafe fn half(a: __m256i, b: __m256i) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b))) as u32 }
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

impl Vectors for Avx2 {
    const AHEAD: usize = 32;

    #[inline(always)]
    unsafe fn keys(ranks: *const u16, count: usize, keys: *mut u16) {
        // SAFETY: the caller's promise: nothing is read or written 192 places behind `count`.
        unsafe {
            let place = |i: i16| _mm256_set1_epi16(i);
            let load = |from: *const u16| _mm256_loadu_si256(from.cast());
            let store = |p: usize, key| _mm256_storeu_si256(keys.add(p).cast(), key);
            // A rank of 0 becomes the highest.
            let key = |ranks, i: i16| _mm256_add_epi16(_mm256_slli_epi16::<6>(ranks), place(i - 64));
            for p in (0..count + 96).step_by(16) {
                let own = load(ranks.add(p));
                // So does one that the next place has too.
                let again = _mm256_cmpeq_epi16(own, load(ranks.add(p + 1)));
                store(p, _mm256_or_si256(key(own, 0), _mm256_and_si256(again, place(-64))));
            }
            let later = |p: usize, i: i16| _mm256_add_epi16(load(keys.add(p + i as usize)), place(i));
            for p in (0..count + 80).step_by(16) {
                store(p, least([load(keys.add(p)), later(p, 1), later(p, 2), later(p, 3)]));
            }
            for p in (0..count + 48).step_by(16) {
                store(p, least([load(keys.add(p)), later(p, 4), later(p, 8), later(p, 12)]));
            }
            for p in (0..count).step_by(16) {
                let all = least([load(keys.add(p)), later(p, 16), later(p, 32), later(p, 48)]);
                // The last place counts, even if an equal rank follows.
                store(p, _mm256_min_epu16(all, key(load(ranks.add(p + NEIGHBOURS - 1)), 63)));
            }
        }
    }

    #[inline(always)]
    unsafe fn first(ranks: *const u16, least: u16) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            let all = _mm256_set1_epi16(least as i16);
            let up_to = |from: *const u16| {
                let ranks = _mm256_loadu_si256(from.cast());
                _mm256_cmpeq_epi16(_mm256_min_epu16(ranks, all), ranks)
            };
            Avx2::half(up_to(ranks), up_to(ranks.add(16))).trailing_zeros() as usize
        }
    }

    #[inline(always)]
    unsafe fn zeros(ranks: *const u16) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            let zero = |from: *const u16| _mm256_cmpeq_epi16(_mm256_loadu_si256(from.cast()), _mm256_setzero_si256());
            Avx2::half(zero(ranks), zero(ranks.add(16))).trailing_ones() as usize
        }
    }
}

/// The lowest of four.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn least(four: [__m256i; 4]) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_min_epu16(_mm256_min_epu16(four[0], four[1]), _mm256_min_epu16(four[2], four[3])) }
}

/// # Safety
/// AVX2; the lists reach behind `end` as [`Search::run`] asks.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub unsafe fn avx2(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        chains::run::<Avx2>(search, ranks, scores, end);
        links::run::<Avx2>(search, ranks, scores, end)
    }
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
            let places = u64::from(_mm512_cmpeq_epi16_mask(a, all)) | u64::from(_mm512_cmpeq_epi16_mask(b, all)) << 32;
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

impl Vectors for Avx512 {
    const AHEAD: usize = 32;

    #[inline(always)]
    unsafe fn keys(ranks: *const u16, count: usize, keys: *mut u16) {
        // SAFETY: the caller's promise: nothing is read or written 192 places behind `count`.
        unsafe {
            let place = |i: i16| _mm512_set1_epi16(i);
            let least = |four: [__m512i; 4]| {
                _mm512_min_epu16(_mm512_min_epu16(four[0], four[1]), _mm512_min_epu16(four[2], four[3]))
            };
            let load = |from: *const u16| _mm512_loadu_si512(from.cast());
            let store = |p: usize, key| _mm512_storeu_si512(keys.add(p).cast(), key);
            // A rank of 0 becomes the highest.
            let key = |ranks, i: i16| _mm512_add_epi16(_mm512_slli_epi16::<6>(ranks), place(i - 64));
            for p in (0..count + 128).step_by(32) {
                let own = load(ranks.add(p));
                // So does one that the next place has too.
                let again = _mm512_cmpeq_epi16_mask(own, load(ranks.add(p + 1)));
                store(p, _mm512_mask_mov_epi16(key(own, 0), again, place(-64)));
            }
            let later = |p: usize, i: i16| _mm512_add_epi16(load(keys.add(p + i as usize)), place(i));
            for p in (0..count + 96).step_by(32) {
                store(p, least([load(keys.add(p)), later(p, 1), later(p, 2), later(p, 3)]));
            }
            for p in (0..count + 64).step_by(32) {
                store(p, least([load(keys.add(p)), later(p, 4), later(p, 8), later(p, 12)]));
            }
            for p in (0..count).step_by(32) {
                let all = least([load(keys.add(p)), later(p, 16), later(p, 32), later(p, 48)]);
                // The last place counts, even if an equal rank follows.
                store(p, _mm512_min_epu16(all, key(load(ranks.add(p + NEIGHBOURS - 1)), 63)));
            }
        }
    }

    #[inline(always)]
    unsafe fn first(ranks: *const u16, least: u16) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            let ranks = _mm512_loadu_si512(ranks.cast());
            _mm512_cmple_epu16_mask(ranks, _mm512_set1_epi16(least as i16)).trailing_zeros() as usize
        }
    }

    #[inline(always)]
    unsafe fn zeros(ranks: *const u16) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            let ranks = _mm512_loadu_si512(ranks.cast());
            _mm512_test_epi16_mask(ranks, ranks).trailing_zeros() as usize
        }
    }
}

/// # Safety
/// AVX-512 F and BW; the lists reach behind `end` as [`Search::run`] asks.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
pub unsafe fn avx512(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        chains::run::<Avx512>(search, ranks, scores, end);
        links::run::<Avx512>(search, ranks, scores, end)
    }
}
