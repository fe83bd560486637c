//! SSE2 and SSE4.1: four words of 32 bits or two of 64. The 4.1 types differ in having SSSE3's byte
//! shuffle.

use crate::vector::{Vector, instructions};
use core::arch::x86_64::*;

/// Four 32-bit lanes; `SHUFFLE` says that SSSE3 may be used.
#[derive(Clone, Copy)]
pub(crate) struct Sse32<const SHUFFLE: bool>(__m128i);
/// Two 64-bit lanes; `SHUFFLE` says that SSSE3 may be used.
#[derive(Clone, Copy)]
pub(crate) struct Sse64<const SHUFFLE: bool>(__m128i);

/// The order of bytes, as the halves of a register, in which words of `width` bytes are turned left
/// by `bytes`.
const fn turned(width: usize, bytes: usize) -> (i64, i64) {
    let mut halves = [0_i64; 2];
    let mut at = 0;
    while at < 16 {
        let from = at / width * width + (at % width + width - bytes) % width;
        halves[at / 8] |= (from as i64) << (8 * (at % 8));
        at += 1;
    }
    (halves[1], halves[0])
}

/// Shifts and rotations, which the two widths share.
macro_rules! common {
    ($word:ident, $srl:ident, $sll:ident) => {
        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            // SAFETY: SSE2 belongs to every x86-64.
            Self(unsafe { $srl::<N>(self.0) })
        }
        #[inline(always)]
        fn rotate_left<const L: i32, const R: i32>(self) -> Self {
            const { assert!(L + R == $word::BITS as i32) };
            // SAFETY: SSE2 belongs to every x86-64; the caller that made a value with SHUFFLE
            // promised SSSE3.
            Self(unsafe {
                // Whole bytes move in one shuffle instead of two shifts and an or.
                if SHUFFLE && L % 8 == 0 {
                    let (high, low) = const { turned(size_of::<$word>(), L as usize / 8) };
                    _mm_shuffle_epi8(self.0, _mm_set_epi64x(high, low))
                } else {
                    _mm_or_si128($sll::<L>(self.0), $srl::<R>(self.0))
                }
            })
        }
    };
}

impl<const SHUFFLE: bool> Vector for Sse32<SHUFFLE> {
    type Word = u32;
    const LANES: usize = 4;
    instructions!(u32 as i32; _mm_set1_epi32, _mm_loadu_si128, _mm_storeu_si128; add = _mm_add_epi32, sub = _mm_sub_epi32, xor = _mm_xor_si128, and = _mm_and_si128, or = _mm_or_si128, not_and = _mm_andnot_si128);
    common!(u32, _mm_srli_epi32, _mm_slli_epi32);

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller promises four slices with 16 bytes at `offset`; SSE2 belongs to every
        // x86-64.
        unsafe {
            let row = |lane: usize| _mm_loadu_si128((*messages.add(lane)).as_ptr().add(offset).cast());
            let (a, b, c, d) = (row(0), row(1), row(2), row(3));
            let (ab, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let (cd, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            [
                Self(_mm_unpacklo_epi64(ab, cd)),
                Self(_mm_unpackhi_epi64(ab, cd)),
                Self(_mm_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: SSE2 belongs to every x86-64; the caller that made a value with SHUFFLE promised
        // SSSE3.
        Self(unsafe {
            if SHUFFLE {
                _mm_shuffle_epi8(self.0, _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203))
            } else {
                let halves = _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(self.0));
                _mm_or_si128(_mm_slli_epi16::<8>(halves), _mm_srli_epi16::<8>(halves))
            }
        })
    }
}

impl<const SHUFFLE: bool> Vector for Sse64<SHUFFLE> {
    type Word = u64;
    const LANES: usize = 2;
    instructions!(u64 as i64; _mm_set1_epi64x, _mm_loadu_si128, _mm_storeu_si128; add = _mm_add_epi64, sub = _mm_sub_epi64, xor = _mm_xor_si128, and = _mm_and_si128, or = _mm_or_si128, not_and = _mm_andnot_si128);
    common!(u64, _mm_srli_epi64, _mm_slli_epi64);

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller promises two slices with 32 bytes at `offset`; SSE2 belongs to every
        // x86-64.
        unsafe {
            let row = |lane: usize, at: usize| _mm_loadu_si128((*messages.add(lane)).as_ptr().add(offset + at).cast());
            let (a, b, c, d) = (row(0, 0), row(1, 0), row(0, 16), row(1, 16));
            [
                Self(_mm_unpacklo_epi64(a, b)),
                Self(_mm_unpackhi_epi64(a, b)),
                Self(_mm_unpacklo_epi64(c, d)),
                Self(_mm_unpackhi_epi64(c, d)),
            ]
        }
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: SSE2 belongs to every x86-64; the caller that made a value with SHUFFLE promised
        // SSSE3.
        Self(unsafe {
            if SHUFFLE {
                _mm_shuffle_epi8(self.0, _mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607))
            } else {
                let halves = _mm_shufflehi_epi16::<0b00_01_10_11>(_mm_shufflelo_epi16::<0b00_01_10_11>(self.0));
                _mm_or_si128(_mm_slli_epi16::<8>(halves), _mm_srli_epi16::<8>(halves))
            }
        })
    }
}
