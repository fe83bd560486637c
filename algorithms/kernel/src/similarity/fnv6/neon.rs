//! The six bits over 64 bytes, two states side by side.

use super::portable::{Plane, STATES, portable, run};
use std::arch::aarch64::*;

/// Whether the CPU multiplies without carries.
pub fn carry_less() -> bool {
    std::arch::is_aarch64_feature_detected!("pmull")
}

/// # Safety
/// NEON and PMULL.
#[target_feature(enable = "neon,aes")]
pub unsafe fn advance(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    // Below this the latency of six dependent running XORs costs more than the bytes one by one.
    if bytes.len() < 24 {
        return portable(states, count, bytes);
    }
    match count {
        0 => {}
        1 | 2 => pairs::<1>(states, bytes),
        3 | 4 => pairs::<2>(states, bytes),
        5 | 6 => pairs::<3>(states, bytes),
        7 | 8 => pairs::<4>(states, bytes),
        _ => pairs::<{ STATES / 2 }>(states, bytes),
    }
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn pairs<const N: usize>(states: &mut [u8; STATES], bytes: &[u8]) {
    // Bit k of a state as a word of zeros or ones.
    let word = |state: u8, k: usize| 0u64.wrapping_sub(u64::from(state >> k & 1));
    let mut bits = [[Pair(vdupq_n_u64(0)); 6]; N];
    for (i, pair) in bits.iter_mut().enumerate() {
        for (k, bit) in pair.iter_mut().enumerate() {
            bit.0 = vcombine_u64(vcreate_u64(word(states[2 * i], k)), vcreate_u64(word(states[2 * i + 1], k)));
        }
    }
    let (blocks, rest) = bytes.as_chunks::<64>();
    for block in blocks {
        let planes = transpose(block);
        for pair in &mut bits {
            let after = run(pair, &planes);
            for (bit, after) in pair.iter_mut().zip(after) {
                bit.0 = last(after.0);
            }
        }
    }
    if !rest.is_empty() {
        let mut block = [0; 64];
        block[..rest.len()].copy_from_slice(rest);
        let planes = transpose(&block);
        let up = vdupq_n_s64(64 - rest.len() as i64);
        for pair in &mut bits {
            let after = run(pair, &planes);
            for (bit, after) in pair.iter_mut().zip(after) {
                bit.0 = last(vshlq_u64(after.0, up));
            }
        }
    }
    for (i, pair) in bits.iter().enumerate() {
        let (mut first, mut second) = (0, 0);
        for (k, bit) in pair.iter().enumerate() {
            first |= (vgetq_lane_u64::<0>(bit.0) as u8 & 1) << k;
            second |= (vgetq_lane_u64::<1>(bit.0) as u8 & 1) << k;
        }
        (states[2 * i], states[2 * i + 1]) = (first, second);
    }
}

/// The highest bit of each word in all its places.
#[inline]
#[target_feature(enable = "neon")]
fn last(words: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_s64(vshrq_n_s64::<63>(vreinterpretq_s64_u64(words)))
}

/// Bit `t` of both words of pair `k` is bit `k` of byte `t`.
#[inline]
#[target_feature(enable = "neon")]
fn transpose(block: &[u8; 64]) -> [Pair; 6] {
    // SAFETY: the load covers the 64 bytes: vector `i` holds bytes `i`, `i + 4`, `i + 8` and so on.
    let uint8x16x4_t(a, b, c, d) = unsafe { vld4q_u8(block.as_ptr()) };
    let mut four = [vshlq_n_u8::<2>(a), vshlq_n_u8::<2>(b), vshlq_n_u8::<2>(c), vshlq_n_u8::<2>(d)];
    let mut planes = [Pair(vdupq_n_u64(0)); 6];
    for k in (0..6).rev() {
        // The highest bits of four bytes in a row come together as a nibble, `d`'s on top, and that
        // in both halves of a byte.
        let two = vsriq_n_u8::<2>(vsriq_n_u8::<1>(four[3], four[2]), vsriq_n_u8::<1>(four[1], four[0]));
        let nibbles = vsriq_n_u8::<4>(two, two);
        let bits = vshrn_n_u16::<4>(vreinterpretq_u16_u8(nibbles));
        planes[k] = Pair(vdupq_lane_u64::<0>(vreinterpret_u64_u8(bits)));
        four = four.map(|bytes| vaddq_u8(bytes, bytes));
    }
    planes
}

/// Two states; made only where the CPU has PMULL.
#[derive(Clone, Copy)]
struct Pair(uint64x2_t);

impl Plane for Pair {
    #[inline(always)]
    fn xor(self, other: Pair) -> Pair {
        // SAFETY: NEON belongs to every AArch64.
        Pair(unsafe { veorq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Pair) -> Pair {
        // SAFETY: as above.
        Pair(unsafe { vandq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn running_xor(self) -> Pair {
        // SAFETY: a value proves PMULL.
        Pair(unsafe { times_all_ones(self.0) })
    }
    #[inline(always)]
    fn before(self, start: Pair) -> Pair {
        // SAFETY: NEON belongs to every AArch64. The shifted word goes above the lowest bit of the
        // start.
        Pair(unsafe { vsliq_n_u64::<1>(start.0, self.0) })
    }
}

/// The low words of the carry-less products with all ones.
#[inline]
#[target_feature(enable = "neon,aes")]
fn times_all_ones(words: uint64x2_t) -> uint64x2_t {
    let (words, ones) = (vreinterpretq_p64_u64(words), vdupq_n_p64(u64::MAX));
    let low = vmull_p64(vgetq_lane_p64::<0>(words), u64::MAX);
    let high = vmull_high_p64(words, ones);
    vtrn1q_u64(vreinterpretq_u64_p128(low), vreinterpretq_u64_p128(high))
}
