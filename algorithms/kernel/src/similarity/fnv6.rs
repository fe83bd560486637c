//! ssdeep's piece hash: the low six bits of FNV-1 (32 bits), for several states over the same
//! bytes.
//!
//! A step is `h = 19·h XOR byte`, modulo 64. Bit `k` of the product depends on bits up to `k` only,
//! and bit `k` enters it as itself: so over a block of 64 bytes, bit `k` of all 64 states is a
//! running XOR of what the lower bits give. The fast forms transpose a block into six words once
//! and then find the 64 states bit by bit, for every state given.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// States that can be advanced at once.
pub const STATES: usize = 12;

/// Advances the first `count` states over the bytes. Only the low six bits of a state mean
/// anything.
type Advance = unsafe fn(states: &mut [u8; STATES], count: usize, bytes: &[u8]);

/// The forms, best first.
pub static FORMS: &[Form<Advance>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: avx512::affine, function: avx512::advance },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: x86::carry_less, function: x86::advance },
    #[cfg(target_arch = "aarch64")]
    Form { isa: Isa::Neon, extra: neon::carry_less, function: neon::advance },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Advance> {
    /// Advances the first `count` states over the bytes; only the low six bits of a state mean
    /// anything, and the states behind `count` come back undefined.
    ///
    /// # Panics
    /// If `count` exceeds [`STATES`] or this machine lacks the form.
    pub fn run(&self, states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
        assert!(self.usable() && count <= STATES);
        // SAFETY: the instruction set is there, as asserted.
        unsafe { (self.function)(states, count, bytes) }
    }
}

/// [`Form::run`] with the best form.
pub fn advance(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    static BEST: LazyLock<&Form<Advance>> = LazyLock::new(|| best(FORMS));
    assert!(count <= STATES);
    // SAFETY: `best` returns usable forms only.
    unsafe { (BEST.function)(states, count, bytes) }
}

/// All states side by side, byte after byte: the states are independent, so their multiplications
/// overlap.
fn portable(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    fn lanes<const N: usize>(states: &mut [u8; STATES], bytes: &[u8]) {
        let mut wide: [u32; N] = std::array::from_fn(|i| u32::from(states[i]));
        for &byte in bytes {
            for state in &mut wide {
                *state = state.wrapping_mul(19) ^ u32::from(byte);
            }
        }
        for (state, wide) in states.iter_mut().zip(wide) {
            *state = wide as u8 & 63;
        }
    }
    match count {
        0 => {}
        1 => lanes::<1>(states, bytes),
        2 => lanes::<2>(states, bytes),
        3 | 4 => lanes::<4>(states, bytes),
        5..=8 => lanes::<8>(states, bytes),
        _ => lanes::<STATES>(states, bytes),
    }
}

/// A bit of a state after, or before, each of 64 bytes; of one state or of several side by side.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
trait Plane: Copy {
    /// `self ^ other`
    fn xor(self, other: Self) -> Self;
    /// `self & other`
    fn and(self, other: Self) -> Self;
    /// Bit `t` is the XOR of bits 0 to `t`.
    fn running_xor(self) -> Self;
    /// The bit before each byte, from that after each, and from that before all of them, which
    /// every bit of `start` is.
    fn before(self, start: Self) -> Self;
}

/// The six bits of the state after each of 64 bytes, from the bits before them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn run<P: Plane>(start: &[P; 6], c: &[P; 6]) -> [P; 6] {
    // 19·h = h + 2h + 16h. `h_k` holds bit k after each byte, `p_k` before it.
    let h0 = c[0].running_xor().xor(start[0]);
    let p0 = h0.before(start[0]);
    let h1 = c[1].xor(p0).running_xor().xor(start[1]);
    let p1 = h1.before(start[1]);
    let carry2 = p1.and(p0);
    let h2 = c[2].xor(p1).xor(carry2).running_xor().xor(start[2]);
    let p2 = h2.before(start[2]);
    let carry3 = p2.and(p1).xor(carry2.and(p2.xor(p1)));
    let h3 = c[3].xor(p2).xor(carry3).running_xor().xor(start[3]);
    let p3 = h3.before(start[3]);
    let carry4 = p3.and(p2).xor(carry3.and(p3.xor(p2)));
    // Four words meet at bit 4; the second bit of their sum goes to bit 5.
    let carry4_p0 = carry4.xor(p0);
    let h4 = c[4].xor(p3).xor(carry4_p0).running_xor().xor(start[4]);
    let p4 = h4.before(start[4]);
    let carry5 = p4.and(p3).xor(p4.xor(p3).and(carry4_p0)).xor(carry4.and(p0));
    let h5 = c[5].xor(p4).xor(p1).xor(carry5).running_xor().xor(start[5]);
    [h0, h1, h2, h3, h4, h5]
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Plane, STATES, run};
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
            return super::portable(states, count, bytes);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_gives_the_states_of_the_definition() {
        let mut seed = 7u64;
        let bytes: Vec<u8> = (0..2100)
            .map(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 56) as u8
            })
            .collect();
        for form in FORMS.iter().filter(|form| form.usable()) {
            for length in (0..200).chain(500..540).chain([640, 999, 1000, 1024, 1500, 2100]) {
                for count in 0..=STATES {
                    let starts: [u8; STATES] = std::array::from_fn(|i| (i * 23 + length) as u8 & 63);
                    let mut states = starts;
                    form.run(&mut states, count, &bytes[..length]);
                    for i in 0..count {
                        let expected = bytes[..length].iter().fold(starts[i], |h, byte| h.wrapping_mul(19) ^ byte) & 63;
                        assert_eq!(states[i] & 63, expected, "{:?} length {length} state {i} of {count}", form.isa());
                    }
                }
            }
        }
    }
}
