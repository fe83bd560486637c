//! Advanced SIMD (NEON): four words of 32 bits or two of 64, and for the latter the instructions of
//! three words that come with SHA-3.

use crate::vector::{Vector, instructions};
use core::arch::aarch64::*;

/// Four 32-bit lanes.
#[derive(Clone, Copy)]
pub(crate) struct Neon32(uint32x4_t);
/// Two 64-bit lanes; with `SHA3` the CPU has `FEAT_SHA3`.
#[derive(Clone, Copy)]
pub(crate) struct Neon64<const SHA3: bool>(uint64x2_t);

/// The operations that the two widths share. NEON belongs to every AArch64, so that its operations
/// need no proof.
macro_rules! common {
    ($clear:ident, $shift:ident, $bytes:ident, $words:ident, $reverse:ident) => {
        #[inline(always)]
        fn not_and(self, other: Self) -> Self {
            // SAFETY: NEON is there. BIC clears in its first operand the bits of the second.
            Self(unsafe { $clear(other.0, self.0) })
        }
        #[inline(always)]
        fn swap_bytes(self) -> Self {
            // SAFETY: NEON is there.
            Self(unsafe { $words($reverse($bytes(self.0))) })
        }
        #[inline(always)]
        fn shift_right<const N: i32>(self) -> Self {
            // SAFETY: NEON is there.
            Self(unsafe { $shift::<N>(self.0) })
        }
    };
}

impl Vector for Neon32 {
    type Word = u32;
    const LANES: usize = 4;
    /// BSL is any selection; the other functions of three words take as many instructions as
    /// without it.
    const TERNARY: bool = true;
    instructions!(u32 as u32; vdupq_n_u32, vld1q_u32, vst1q_u32; add = vaddq_u32, sub = vsubq_u32, xor = veorq_u32, and = vandq_u32, or = vorrq_u32);
    common!(vbicq_u32, vshrq_n_u32, vreinterpretq_u8_u32, vreinterpretq_u32_u8, vrev32q_u8);

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller promises four slices with 16 bytes at `offset`.
        unsafe {
            let row = |lane: usize| vreinterpretq_u32_u8(vld1q_u8((*messages.add(lane)).as_ptr().add(offset)));
            let (a, b, c, d) = (row(0), row(1), row(2), row(3));
            // Words 0 and 2, and 1 and 3, of two lanes each; then their halves.
            let (ab, ab_odd) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
            let (cd, cd_odd) = (vtrn1q_u32(c, d), vtrn2q_u32(c, d));
            let low =
                |ab, cd| Self(vreinterpretq_u32_u64(vtrn1q_u64(vreinterpretq_u64_u32(ab), vreinterpretq_u64_u32(cd))));
            let high =
                |ab, cd| Self(vreinterpretq_u32_u64(vtrn2q_u64(vreinterpretq_u64_u32(ab), vreinterpretq_u64_u32(cd))));
            [low(ab, cd), low(ab_odd, cd_odd), high(ab, cd), high(ab_odd, cd_odd)]
        }
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 32) };
        // SAFETY: NEON is there.
        Self(unsafe {
            match L {
                16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(self.0))),
                // The right part is inserted below the left one.
                _ => vsriq_n_u32::<R>(vshlq_n_u32::<L>(self.0), self.0),
            }
        })
    }
    #[inline(always)]
    fn select(self, b: Self, c: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vbslq_u32(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // Where the first two differ, the third decides.
        self.xor(b).select(c, b)
    }
}

impl<const SHA3: bool> Vector for Neon64<SHA3> {
    type Word = u64;
    const LANES: usize = 2;
    instructions!(u64 as u64; vdupq_n_u64, vld1q_u64, vst1q_u64; add = vaddq_u64, sub = vsubq_u64, xor = veorq_u64, and = vandq_u64, or = vorrq_u64);
    common!(vbicq_u64, vshrq_n_u64, vreinterpretq_u8_u64, vreinterpretq_u64_u8, vrev64q_u8);

    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller promises two slices with 32 bytes at `offset`.
        unsafe {
            let row = |lane: usize, at: usize| {
                vreinterpretq_u64_u8(vld1q_u8((*messages.add(lane)).as_ptr().add(offset + at)))
            };
            let (a, b, c, d) = (row(0, 0), row(1, 0), row(0, 16), row(1, 16));
            [Self(vtrn1q_u64(a, b)), Self(vtrn2q_u64(a, b)), Self(vtrn1q_u64(c, d)), Self(vtrn2q_u64(c, d))]
        }
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        const { assert!(L + R == 64) };
        // SAFETY: NEON is there.
        Self(unsafe {
            match L {
                32 => vreinterpretq_u64_u32(vrev64q_u32(vreinterpretq_u32_u64(self.0))),
                _ => vsriq_n_u64::<R>(vshlq_n_u64::<L>(self.0), self.0),
            }
        })
    }
    #[inline(always)]
    fn select(self, b: Self, c: Self) -> Self {
        // SAFETY: NEON is there.
        Self(unsafe { vbslq_u64(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        if SHA3 {
            // SAFETY: a value proves FEAT_SHA3.
            Self(unsafe { sha3::xor3(self.0, b.0, c.0) })
        } else {
            self.xor(b).xor(c)
        }
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        if SHA3 {
            // SAFETY: a value proves FEAT_SHA3.
            Self(unsafe { sha3::xor_cleared(self.0, c.0, b.0) })
        } else {
            self.xor(b.not_and(c))
        }
    }
    #[inline(always)]
    fn xor_rotated<const L: i32, const R: i32>(self, other: Self) -> Self {
        if SHA3 {
            // SAFETY: a value proves FEAT_SHA3.
            Self(unsafe { sha3::xor_then_rotate::<R>(self.0, other.0) })
        } else {
            self.xor(other).rotate_left::<L, R>()
        }
    }
    #[inline(always)]
    fn xor_turned(self, other: Self) -> Self {
        if SHA3 {
            // SAFETY: a value proves FEAT_SHA3.
            Self(unsafe { sha3::xor_turned(self.0, other.0) })
        } else {
            self.xor(other.rotate_left::<1, 63>())
        }
    }
}

/// The instructions of `FEAT_SHA3`, each in a function that has the feature: the trait's have not.
mod sha3 {
    use core::arch::aarch64::*;

    /// `a ^ b ^ c`
    ///
    /// # Safety
    /// The CPU has `FEAT_SHA3`.
    #[inline]
    #[target_feature(enable = "neon,sha3")]
    pub(super) unsafe fn xor3(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
        veor3q_u64(a, b, c)
    }

    /// `a ^ (b & !c)`
    ///
    /// # Safety
    /// The CPU has `FEAT_SHA3`.
    #[inline]
    #[target_feature(enable = "neon,sha3")]
    pub(super) unsafe fn xor_cleared(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
        vbcaxq_u64(a, b, c)
    }

    /// `a ^ b`, rotated right by `R`.
    ///
    /// # Safety
    /// The CPU has `FEAT_SHA3`.
    #[inline]
    #[target_feature(enable = "neon,sha3")]
    pub(super) unsafe fn xor_then_rotate<const R: i32>(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        vxarq_u64::<R>(a, b)
    }

    /// `a` with `b` rotated left by one.
    ///
    /// # Safety
    /// The CPU has `FEAT_SHA3`.
    #[inline]
    #[target_feature(enable = "neon,sha3")]
    pub(super) unsafe fn xor_turned(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        vrax1q_u64(a, b)
    }
}
