//! AVX2: eight words of 32 bits or four of 64.

use crate::vector::{Vector, instructions};
use core::arch::x86_64::*;

/// Eight 32-bit lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx2x32(__m256i);
/// Four 64-bit lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx2x64(__m256i);

/// A byte shuffle, the same in both halves: byte `i` of a half is taken from byte `order[i]` of
/// that half.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn shuffle(value: __m256i, high: i64, low: i64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_shuffle_epi8(value, _mm256_set_epi64x(high, low, high, low)) }
}

/// Sixteen bytes of lane `low` and of lane `high` at `offset`, as the halves of one register. The
/// second is inserted from memory, which costs no shuffle.
///
/// # Safety
/// The CPU has AVX2; both slices have 16 bytes at `offset`.
#[inline(always)]
unsafe fn halves(messages: *const &[u8], low: usize, high: usize, offset: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm_loadu_si128((*messages.add(low)).as_ptr().add(offset).cast());
        let high = _mm_loadu_si128((*messages.add(high)).as_ptr().add(offset).cast());
        _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
    }
}

impl Vector for Avx2x32 {
    type Word = u32;
    const LANES: usize = 8;
    instructions!(u32 as i32; _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256; add = _mm256_add_epi32, sub = _mm256_sub_epi32, xor = _mm256_xor_si256, and = _mm256_and_si256, or = _mm256_or_si256, not_and = _mm256_andnot_si256);
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value proves AVX2.
        Self(unsafe { _mm256_srli_epi32::<N>(self.0) })
    }

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            // Lane 4 belongs beside lane 0: then a 4 × 4 transposition within the halves puts every
            // lane in its place.
            let a = halves(messages, 0, 4, offset);
            let b = halves(messages, 1, 5, offset);
            let c = halves(messages, 2, 6, offset);
            let d = halves(messages, 3, 7, offset);
            let (ab, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            [
                Self(_mm256_unpacklo_epi64(ab, cd)),
                Self(_mm256_unpackhi_epi64(ab, cd)),
                Self(_mm256_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm256_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: a value proves AVX2.
        Self(unsafe { shuffle(self.0, 0x0c0d0e0f_08090a0b, 0x04050607_00010203) })
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        // SAFETY: a value proves AVX2.
        Self(unsafe {
            // Whole bytes move in one shuffle instead of two shifts and an or.
            match L {
                8 => shuffle(self.0, 0x0e0d0c0f_0a09080b, 0x06050407_02010003),
                16 => shuffle(self.0, 0x0d0c0f0e_09080b0a, 0x05040706_01000302),
                24 => shuffle(self.0, 0x0c0f0e0d_080b0a09, 0x04070605_00030201),
                _ => _mm256_or_si256(_mm256_slli_epi32::<L>(self.0), _mm256_srli_epi32::<R>(self.0)),
            }
        })
    }
}

impl Vector for Avx2x64 {
    type Word = u64;
    const LANES: usize = 4;
    instructions!(u64 as i64; _mm256_set1_epi64x, _mm256_loadu_si256, _mm256_storeu_si256; add = _mm256_add_epi64, sub = _mm256_sub_epi64, xor = _mm256_xor_si256, and = _mm256_and_si256, or = _mm256_or_si256, not_and = _mm256_andnot_si256);
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        // SAFETY: a value proves AVX2.
        Self(unsafe { _mm256_srli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (halves(messages, 0, 2, offset), halves(messages, 1, 3, offset));
            let (c, d) = (halves(messages, 0, 2, offset + 16), halves(messages, 1, 3, offset + 16));
            [
                Self(_mm256_unpacklo_epi64(a, b)),
                Self(_mm256_unpackhi_epi64(a, b)),
                Self(_mm256_unpacklo_epi64(c, d)),
                Self(_mm256_unpackhi_epi64(c, d)),
            ]
        }
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: a value proves AVX2.
        Self(unsafe { shuffle(self.0, 0x08090a0b_0c0d0e0f, 0x00010203_04050607) })
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 64) };
        // SAFETY: a value proves AVX2.
        Self(unsafe {
            match L {
                8 => shuffle(self.0, 0x0e0d0c0b_0a09080f, 0x06050403_02010007),
                56 => shuffle(self.0, 0x080f0e0d_0c0b0a09, 0x00070605_04030201),
                32 => _mm256_shuffle_epi32::<0b10_11_00_01>(self.0),
                40 => shuffle(self.0, 0x0a09080f_0e0d0c0b, 0x02010007_06050403),
                48 => shuffle(self.0, 0x09080f0e_0d0c0b0a, 0x01000706_05040302),
                _ => _mm256_or_si256(_mm256_slli_epi64::<L>(self.0), _mm256_srli_epi64::<R>(self.0)),
            }
        })
    }
}
