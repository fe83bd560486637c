//! The six bits over 64 bytes, a state at a time.

use super::portable::{Plane, STATES, portable, run};
use std::arch::x86_64::*;

/// Whether the CPU multiplies without carries.
pub fn carry_less() -> bool {
    std::arch::is_x86_feature_detected!("pclmulqdq")
}

/// # Safety
/// AVX2 and PCLMULQDQ.
#[target_feature(enable = "avx2,bmi1,bmi2,pclmulqdq")]
pub unsafe fn advance(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    // Below this the latency of six dependent running XORs costs more than the bytes one by
    // one.
    if bytes.len() < 24 {
        return portable(states, count, bytes);
    }
    match count {
        0 => {}
        1 => lanes::<1>(states, bytes),
        2 => lanes::<2>(states, bytes),
        3 => lanes::<3>(states, bytes),
        4 => lanes::<4>(states, bytes),
        5 => lanes::<5>(states, bytes),
        6 => lanes::<6>(states, bytes),
        7 | 8 => lanes::<8>(states, bytes),
        _ => lanes::<STATES>(states, bytes),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,pclmulqdq")]
fn lanes<const N: usize>(states: &mut [u8; STATES], bytes: &[u8]) {
    // Bit k of a state as a word of zeros or ones.
    let mut bits: [[Word; 6]; N] =
        std::array::from_fn(|i| std::array::from_fn(|k| Word(0u64.wrapping_sub(u64::from(states[i] >> k & 1)))));
    let mut blocks = bytes.chunks_exact(64);
    for block in &mut blocks {
        let planes = transpose(block.try_into().expect("a whole block"));
        for lane in &mut bits {
            let after = run(lane, &planes);
            for k in 0..6 {
                lane[k] = Word((after[k].0 as i64 >> 63) as u64);
            }
        }
    }
    let rest = blocks.remainder();
    if !rest.is_empty() {
        let mut block = [0; 64];
        block[..rest.len()].copy_from_slice(rest);
        let planes = transpose(&block);
        let up = 64 - rest.len() as u32;
        for lane in &mut bits {
            let after = run(lane, &planes);
            for k in 0..6 {
                lane[k] = Word(((after[k].0 << up) as i64 >> 63) as u64);
            }
        }
    }
    for (state, lane) in states.iter_mut().zip(&bits) {
        *state = lane.iter().enumerate().fold(0, |state, (k, bit)| state | (bit.0 as u8 & 1) << k);
    }
}

/// Bit `t` of word `k` is bit `k` of byte `t`.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,pclmulqdq")]
fn transpose(block: &[u8; 64]) -> [Word; 6] {
    // SAFETY: both loads lie within the 64 bytes.
    let (low, high) =
        unsafe { (_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())) };
    let (mut low, mut high) = (_mm256_slli_epi16::<2>(low), _mm256_slli_epi16::<2>(high));
    let mut planes = [Word(0); 6];
    for k in (0..6).rev() {
        let bits = |half| u64::from(_mm256_movemask_epi8(half) as u32);
        planes[k] = Word(bits(low) | bits(high) << 32);
        (low, high) = (_mm256_add_epi8(low, low), _mm256_add_epi8(high, high));
    }
    planes
}

/// One state; made only where the CPU has PCLMULQDQ.
#[derive(Clone, Copy)]
struct Word(u64);

impl Plane for Word {
    #[inline(always)]
    fn xor(self, other: Word) -> Word {
        Word(self.0 ^ other.0)
    }
    #[inline(always)]
    fn and(self, other: Word) -> Word {
        Word(self.0 & other.0)
    }
    #[inline(always)]
    fn running_xor(self) -> Word {
        // SAFETY: a value proves PCLMULQDQ.
        Word(unsafe { times_all_ones(self.0) })
    }
    #[inline(always)]
    fn before(self, start: Word) -> Word {
        Word(self.0 << 1 | start.0 & 1)
    }
}

/// The carry-less product with all ones.
#[inline]
#[target_feature(enable = "pclmulqdq")]
fn times_all_ones(word: u64) -> u64 {
    let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(word as i64), _mm_set1_epi8(-1));
    _mm_cvtsi128_si64(product) as u64
}
