//! The rolling hash of ssdeep and mrsh-v2: where it may cut.
//!
//! The hash depends on the last seven bytes only: with `b0` the newest and `b6` the oldest, `v = Σ
//! (8 − k)·b_k + XOR (b_k << 5k)` modulo 2^32. Its low sixteen bits need sixteen-bit arithmetic
//! only, and of the shifted bytes just `b0` to `b3`. A cut asks for `v + 1` to be a multiple of a
//! number with a power of two in it, so those bits decide most positions.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use portable::portable;
pub use portable::{LOOK_BACK, hash};

#[cfg(target_arch = "x86_64")]
use super::counts_bits;
use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Appends every position `p` in `start..bytes.len()` with `(v(p) + 1) & mask == 0`, ascending.
type Candidates = unsafe fn(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>);

/// The forms, best first.
pub static FORMS: &[Form<Candidates>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: counts_bits, function: avx512::candidates },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: counts_bits, function: x86::candidates },
    #[cfg(target_arch = "aarch64")]
    Form { isa: Isa::Neon, extra: nothing_more, function: neon::candidates },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Candidates> {
    /// Appends to `out` every position `p` in `start..bytes.len()` whose hash `v` has `(v + 1) &
    /// mask == 0`, in ascending order.
    ///
    /// # Panics
    /// If `start` is below [`LOOK_BACK`], `bytes` is 4 GiB or longer, or this machine lacks the
    /// form.
    pub fn run(&self, bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
        assert!(self.usable());
        assert!(start >= LOOK_BACK && u32::try_from(bytes.len()).is_ok());
        // SAFETY: the instruction set is there, as asserted; the other two conditions of the
        // functions are asserted too.
        unsafe { (self.function)(bytes, start, mask, out) }
    }
}

/// [`Form::run`] with the best form.
pub fn candidates(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
    static BEST: LazyLock<&Form<Candidates>> = LazyLock::new(|| best(FORMS));
    assert!(start >= LOOK_BACK && u32::try_from(bytes.len()).is_ok());
    // SAFETY: `best` returns usable forms only; the other two conditions are asserted.
    unsafe { (BEST.function)(bytes, start, mask, out) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::portable::{LOOK_BACK, place, portable};
    use std::arch::x86_64::*;

    /// Sixteen hashes at once, for the positions of one parity; two such give a mask of 32
    /// positions.
    ///
    /// # Safety
    /// AVX2 and POPCNT; `start` is at least [`LOOK_BACK`] and `bytes` shorter than 4 GiB.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub unsafe fn candidates(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
        // A step over 32 positions from `p` loads from `p - 7` and up to `p + 32`; where that would
        // not fit, the portable form goes on.
        let mut p = start;
        if p == LOOK_BACK && p < bytes.len() {
            portable(&bytes[..=p], p, mask, out);
            p += 1;
        }
        out.reserve(bytes.len().saturating_sub(p) + 64);
        let mask_vector = _mm256_set1_epi16(mask as i16);
        let one = _mm256_set1_epi16(1);
        while p + 65 <= bytes.len() {
            let mut hits = 0u64;
            for half in 0..2 {
                let at = p + 32 * half;
                // SAFETY: the loads of `half_mask` reach from `at - 7 >= 0` to `at + 33 <=
                // bytes.len()`.
                let even = unsafe { hashes(bytes.as_ptr().add(at - 7)) };
                // SAFETY: the same, one byte on.
                let odd = unsafe { hashes(bytes.as_ptr().add(at - 6)) };
                let zero = _mm256_setzero_si256();
                let even = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_add_epi16(even, one), mask_vector), zero);
                let odd = _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_add_epi16(odd, one), mask_vector), zero);
                // Even positions in the low bytes, odd ones in the high bytes of the sixteen pairs.
                let low = _mm256_srli_epi16::<8>(even);
                let high = _mm256_slli_epi16::<8>(odd);
                let pairs = _mm256_movemask_epi8(_mm256_or_si256(low, high)) as u32;
                hits |= u64::from(pairs) << (32 * half);
            }
            place(hits, p, out);
            p += 64;
        }
        portable(bytes, p, mask, out);
    }

    /// The low halves of the hashes at `from + 7`, `from + 9`, … `from + 37`.
    ///
    /// # Safety
    /// AVX2; 38 bytes can be read from `from`.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn hashes(from: *const u8) -> __m256i {
        // SAFETY: the caller's promise; the last load ends at byte 38.
        let (w3, w2, w1, w0) = unsafe {
            (
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.add(2).cast()),
                _mm256_loadu_si256(from.add(4).cast()),
                _mm256_loadu_si256(from.add(6).cast()),
            )
        };
        // A word holds the older byte below the newer: w0 = b1 + 256·b0, w1 = b3 + 256·b2, w2
        // = b5 + 256·b4, w3 = b7 + 256·b6.
        let weights = |newer: i16, older: i16| _mm256_set1_epi16((newer << 8) | older);
        let sum = _mm256_add_epi16(
            _mm256_add_epi16(_mm256_maddubs_epi16(w0, weights(8, 7)), _mm256_maddubs_epi16(w1, weights(6, 5))),
            _mm256_add_epi16(_mm256_maddubs_epi16(w2, weights(4, 3)), _mm256_maddubs_epi16(w3, weights(2, 0))),
        );
        let b0 = _mm256_srli_epi16::<8>(w0);
        let b1 = _mm256_srli_epi16::<3>(_mm256_slli_epi16::<8>(w0));
        let b2 = _mm256_slli_epi16::<10>(_mm256_srli_epi16::<8>(w1));
        let b3 = _mm256_slli_epi16::<15>(w1);
        let xor = _mm256_xor_si256(_mm256_xor_si256(b0, b1), _mm256_xor_si256(b2, b3));
        _mm256_add_epi16(sum, xor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_the_sum_that_defines_it() {
        let mut seed = 5u64;
        for _ in 0..1000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let bytes = if seed & 1 == 0 { (seed ^ seed >> 31).to_le_bytes() } else { [0xff; 8] };
            for position in 6..8 {
                let (mut sum, mut xor) = (0u32, 0u32);
                for (age, &byte) in bytes[position - 6..=position].iter().rev().enumerate() {
                    sum += (8 - age as u32) * u32::from(byte);
                    xor ^= u32::from(byte) << (5 * age);
                }
                assert_eq!(hash(&bytes, position), sum.wrapping_add(xor));
            }
        }
    }

    #[test]
    fn every_form_finds_what_the_definition_says() {
        let mut seed = 1u64;
        let bytes: Vec<u8> = (0..5000)
            .map(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 56) as u8
            })
            .collect();
        for form in FORMS.iter().filter(|form| form.usable()) {
            for length in (0..300).chain([1000, 5000]) {
                for start in [6, 7, 8, 39, 64, 71] {
                    for mask in [0, 1, 7, 31, 255, 0x1fff, 0xffff] {
                        let bytes = &bytes[..length];
                        let expected: Vec<u32> = (start..length)
                            .filter(|&p| (hash(bytes, p) as u16).wrapping_add(1) & mask == 0)
                            .map(|p| p as u32)
                            .collect();
                        let mut found = Vec::new();
                        form.run(bytes, start, mask, &mut found);
                        assert_eq!(found, expected, "{:?} length {length} start {start} mask {mask}", form.isa());
                    }
                }
            }
        }
    }
}
