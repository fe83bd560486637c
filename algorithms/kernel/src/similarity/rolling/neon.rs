//! Sixteen hashes at once; four such give a mask of 64 positions.

use super::portable::{place, portable};
use std::arch::aarch64::*;

/// # Safety
/// `start` is at least [`super::LOOK_BACK`] and `bytes` shorter than 4 GiB.
#[target_feature(enable = "neon")]
pub unsafe fn candidates(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
    out.reserve(bytes.len().saturating_sub(start) + 64);
    let mask_vector = vdupq_n_u16(mask);
    // SAFETY: sixteen bytes are read.
    let weights = unsafe { vld1q_u8([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128].as_ptr()) };
    let mut p = start;
    while p + 64 <= bytes.len() {
        let hits = |i: usize| {
            // SAFETY: the loads reach from `p - 6 >= 0` to `p + 63 < bytes.len()`.
            let (low, high) = unsafe { successors(bytes.as_ptr().add(p + 16 * i)) };
            // All bits set where there is no hit.
            let low = vreinterpretq_u8_u16(vtstq_u16(low, mask_vector));
            let high = vreinterpretq_u8_u16(vtstq_u16(high, mask_vector));
            vbicq_u8(weights, vuzp1q_u8(low, high))
        };
        // Each sum joins neighbours: after three of them a byte holds the hits of eight positions.
        let pairs = vpaddq_u8(vpaddq_u8(hits(0), hits(1)), vpaddq_u8(hits(2), hits(3)));
        let all = vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)));
        place(all, p, out);
        p += 64;
    }
    portable(bytes, p, mask, out);
}

/// The low halves of the hashes at `newest` to `newest + 15`, plus one: the first eight, and the
/// others.
///
/// # Safety
/// Bytes can be read from `newest - 6` to `newest + 15`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn successors(newest: *const u8) -> (uint16x8_t, uint16x8_t) {
    // SAFETY: the caller's promise.
    let back = |k: usize| unsafe { vld1q_u8(newest.sub(k)) };
    let (b0, b1, b2, b3) = (back(0), back(1), back(2), back(3));
    let (mut low, mut high) = (vdupq_n_u16(1), vdupq_n_u16(1));
    for (bytes, weight) in [(b0, 8), (b1, 7), (b2, 6), (b3, 5), (back(4), 4), (back(5), 3), (back(6), 2)] {
        let weight = vdupq_n_u8(weight);
        low = vmlal_u8(low, vget_low_u8(bytes), vget_low_u8(weight));
        high = vmlal_high_u8(high, bytes, weight);
    }
    // b0 ^ b1 << 5 ^ b2 << 10 ^ b3 << 15, its low and its high bytes apart.
    let xor_low = veorq_u8(b0, vshlq_n_u8::<5>(b1));
    let xor_high = veorq_u8(vshrq_n_u8::<3>(b1), veorq_u8(vshlq_n_u8::<2>(b2), vshlq_n_u8::<7>(b3)));
    (
        vaddq_u16(low, vreinterpretq_u16_u8(vzip1q_u8(xor_low, xor_high))),
        vaddq_u16(high, vreinterpretq_u16_u8(vzip2q_u8(xor_low, xor_high))),
    )
}
