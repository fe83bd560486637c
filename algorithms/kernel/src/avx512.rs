//! AVX-512 (F, BW): sixteen words of 32 bits or eight of 64, rotations and any function of three
//! words in one instruction.

use crate::vector::{Vector, instructions};
use core::arch::x86_64::*;

/// Sixteen 32-bit lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx512x32(__m512i);
/// Eight 64-bit lanes.
#[derive(Clone, Copy)]
pub(crate) struct Avx512x64(__m512i);
// Truth tables for `vpternlog`: bit 4a + 2b + c of the constant is the result.
const XOR3: i32 = 0x96;
const SELECT: i32 = 0xca;
const MAJORITY: i32 = 0xe8;
const CHI: i32 = 0xd2;

/// Sixteen bytes at `offset` of lanes `first`, `first + step`, …, as the quarters of one register.
/// Three of them are inserted from memory, which costs no shuffle.
///
/// # Safety
/// The CPU has AVX-512 F; the four slices have 16 bytes at `offset`.
#[inline(always)]
unsafe fn quarters(messages: *const &[u8], first: usize, step: usize, offset: usize) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let piece = |i: usize| _mm_loadu_si128((*messages.add(first + i * step)).as_ptr().add(offset).cast());
        let value = _mm512_castsi128_si512(piece(0));
        let value = _mm512_inserti32x4::<1>(value, piece(1));
        let value = _mm512_inserti32x4::<2>(value, piece(2));
        _mm512_inserti32x4::<3>(value, piece(3))
    }
}

/// See [`Vector::opaque`].
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn opaque(mut value: __m512i) -> __m512i {
    // SAFETY: no instruction.
    unsafe { core::arch::asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags)) };
    value
}

/// The operations that both types share.
macro_rules! common {
    ($word:ident, $srl:ident, $rol:ident, $ternary:ident) => {
        #[inline(always)]
        fn rotate_left<const L: i32, const R: i32>(self) -> Self {
            const { assert!(L + R == $word::BITS as i32) };
            // SAFETY: a value proves the instruction set.
            Self(unsafe { $rol::<L>(self.0) })
        }
        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            // SAFETY: a value proves the instruction set. The count is a constant, so this becomes
            // the immediate form.
            Self(unsafe { $srl(self.0, _mm_cvtsi32_si128(N)) })
        }
        #[inline(always)]
        fn xor3(self, b: Self, c: Self) -> Self {
            // SAFETY: a value proves the instruction set.
            Self(unsafe { $ternary::<XOR3>(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn select(self, b: Self, c: Self) -> Self {
            // SAFETY: a value proves the instruction set.
            Self(unsafe { $ternary::<SELECT>(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn majority(self, b: Self, c: Self) -> Self {
            // SAFETY: a value proves the instruction set.
            Self(unsafe { $ternary::<MAJORITY>(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn chi(self, b: Self, c: Self) -> Self {
            // SAFETY: a value proves the instruction set.
            Self(unsafe { $ternary::<CHI>(self.0, b.0, c.0) })
        }
    };
}

impl Vector for Avx512x32 {
    type Word = u32;
    const LANES: usize = 16;
    const TERNARY: bool = true;
    const WAITS: bool = true;

    #[inline(always)]
    fn opaque(self) -> Self {
        // SAFETY: a value proves the instruction set.
        Self(unsafe { opaque(self.0) })
    }
    instructions!(u32 as i32; _mm512_set1_epi32, _mm512_loadu_si512, _mm512_storeu_si512; add = _mm512_add_epi32, sub = _mm512_sub_epi32, xor = _mm512_xor_si512, and = _mm512_and_si512, or = _mm512_or_si512, not_and = _mm512_andnot_si512);
    common!(u32, _mm512_srl_epi32, _mm512_rol_epi32, _mm512_ternarylogic_epi32);

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            // Register i holds lanes i, i + 4, i + 8, i + 12: a 4 × 4 transposition within the
            // quarters puts every lane in its place.
            let (a, b) = (quarters(messages, 0, 4, offset), quarters(messages, 1, 4, offset));
            let (c, d) = (quarters(messages, 2, 4, offset), quarters(messages, 3, 4, offset));
            let (ab, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let (cd, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            [
                Self(_mm512_unpacklo_epi64(ab, cd)),
                Self(_mm512_unpackhi_epi64(ab, cd)),
                Self(_mm512_unpacklo_epi64(ab_high, cd_high)),
                Self(_mm512_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        const HIGH: i64 = 0x0c0d0e0f_08090a0b;
        const LOW: i64 = 0x04050607_00010203;
        // SAFETY: a value proves the instruction set.
        Self(unsafe { _mm512_shuffle_epi8(self.0, _mm512_set_epi64(HIGH, LOW, HIGH, LOW, HIGH, LOW, HIGH, LOW)) })
    }
}

impl Vector for Avx512x64 {
    type Word = u64;
    const LANES: usize = 8;
    const TERNARY: bool = true;
    const WAITS: bool = true;

    #[inline(always)]
    fn opaque(self) -> Self {
        // SAFETY: a value proves the instruction set.
        Self(unsafe { opaque(self.0) })
    }
    instructions!(u64 as i64; _mm512_set1_epi64, _mm512_loadu_si512, _mm512_storeu_si512; add = _mm512_add_epi64, sub = _mm512_sub_epi64, xor = _mm512_xor_si512, and = _mm512_and_si512, or = _mm512_or_si512, not_and = _mm512_andnot_si512);
    common!(u64, _mm512_srl_epi64, _mm512_rol_epi64, _mm512_ternarylogic_epi64);

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (quarters(messages, 0, 2, offset), quarters(messages, 1, 2, offset));
            let (c, d) = (quarters(messages, 0, 2, offset + 16), quarters(messages, 1, 2, offset + 16));
            [
                Self(_mm512_unpacklo_epi64(a, b)),
                Self(_mm512_unpackhi_epi64(a, b)),
                Self(_mm512_unpacklo_epi64(c, d)),
                Self(_mm512_unpackhi_epi64(c, d)),
            ]
        }
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        const HIGH: i64 = 0x08090a0b_0c0d0e0f;
        const LOW: i64 = 0x00010203_04050607;
        // SAFETY: a value proves the instruction set.
        Self(unsafe { _mm512_shuffle_epi8(self.0, _mm512_set_epi64(HIGH, LOW, HIGH, LOW, HIGH, LOW, HIGH, LOW)) })
    }
}
