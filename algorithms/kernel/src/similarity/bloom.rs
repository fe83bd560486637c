//! Bits that two Bloom filters of 256 bytes have in common: one filter against many.

use super::{Form, best, nothing_more};
#[cfg(target_arch = "x86_64")]
use super::{counts_bits, counts_words};
use crate::Isa;
use std::sync::LazyLock;

/// A filter of 2,048 bits; bit `b` stands in word `b / 64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(align(64))]
pub struct Bits(pub [u64; 32]);

/// Writes to `common[i]` the number of bits that `one` and `others[i]` share.
type Common = unsafe fn(one: &Bits, others: &[Bits], common: &mut [u32]);

/// The forms, best first.
pub static FORMS: &[Form<Common>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: counts_words, function: x86::avx512 },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: counts_bits, function: x86::avx2 },
    #[cfg(target_arch = "aarch64")]
    Form { isa: Isa::Neon, extra: nothing_more, function: neon::common },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Common> {
    /// Writes to `common[i]` the number of bits that `one` and `others[i]` share.
    ///
    /// # Panics
    /// If `common` is shorter than `others` or this machine lacks the form.
    pub fn run(&self, one: &Bits, others: &[Bits], common: &mut [u32]) {
        assert!(self.usable());
        // SAFETY: the instruction set is there, as asserted; the slice has the length that is
        // needed.
        unsafe { (self.function)(one, others, &mut common[..others.len()]) }
    }
}

/// [`Form::run`] with the best form.
pub fn common(one: &Bits, others: &[Bits], common: &mut [u32]) {
    static BEST: LazyLock<&Form<Common>> = LazyLock::new(|| best(FORMS));
    // SAFETY: `best` returns usable forms only; the slice has the length that is needed.
    unsafe { (BEST.function)(one, others, &mut common[..others.len()]) }
}

#[inline(always)]
fn portable(one: &Bits, others: &[Bits], common: &mut [u32]) {
    for (other, common) in others.iter().zip(common) {
        *common = one.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones()).sum();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Bits;
    use std::arch::x86_64::*;

    /// # Safety
    /// AVX-512 F and VPOPCNTDQ; `common` is as long as `others`.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
    pub unsafe fn avx512(one: &Bits, others: &[Bits], common: &mut [u32]) {
        let load = |bits: &Bits, i: usize| {
            // SAFETY: the four loads cover the 256 bytes.
            unsafe { _mm512_loadu_si512(bits.0.as_ptr().add(8 * i).cast()) }
        };
        let one: [__m512i; 4] = std::array::from_fn(|i| load(one, i));
        for (other, common) in others.iter().zip(common) {
            let count = |i: usize| _mm512_popcnt_epi64(_mm512_and_si512(one[i], load(other, i)));
            let sum = _mm512_add_epi64(_mm512_add_epi64(count(0), count(1)), _mm512_add_epi64(count(2), count(3)));
            *common = _mm512_reduce_add_epi64(sum) as u32;
        }
    }

    /// Nibbles are counted by table look-up.
    ///
    /// # Safety
    /// AVX2; `common` is as long as `others`.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub unsafe fn avx2(one: &Bits, others: &[Bits], common: &mut [u32]) {
        let load = |bits: &Bits, i: usize| {
            // SAFETY: the eight loads cover the 256 bytes.
            unsafe { _mm256_loadu_si256(bits.0.as_ptr().add(4 * i).cast()) }
        };
        let one: [__m256i; 8] = std::array::from_fn(|i| load(one, i));
        let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let nibble = _mm256_set1_epi8(15);
        let zero = _mm256_setzero_si256();
        for (other, common) in others.iter().zip(common) {
            // Carry-save adders take eight vectors to four weights, so that only four are looked
            // up.
            let both = |i: usize| _mm256_and_si256(one[i], load(other, i));
            let add = |a, b, c| {
                let half = _mm256_xor_si256(a, b);
                (_mm256_xor_si256(half, c), _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, c)))
            };
            let (ones, twos_a) = add(both(0), both(1), both(2));
            let (ones, twos_b) = add(ones, both(3), both(4));
            let (ones, twos_c) = add(ones, both(5), both(6));
            let (ones, twos_d) = add(ones, both(7), zero);
            let (twos, fours_a) = add(twos_a, twos_b, twos_c);
            let (twos, fours_b) = add(twos, twos_d, zero);
            let (fours, eights) = add(fours_a, fours_b, zero);
            let count = |v| {
                let low = _mm256_shuffle_epi8(table, _mm256_and_si256(v, nibble));
                let high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(v), nibble));
                _mm256_add_epi8(low, high)
            };
            let double = |v| _mm256_add_epi8(v, v);
            // The largest byte is 8 · (1 + 2 + 4 + 8) = 120.
            let bytes = _mm256_add_epi8(
                count(ones),
                double(_mm256_add_epi8(count(twos), double(_mm256_add_epi8(count(fours), double(count(eights)))))),
            );
            let sums = _mm256_sad_epu8(bytes, zero);
            let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            *common = (_mm_cvtsi128_si32(sums) + _mm_extract_epi32::<2>(sums)) as u32;
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::Bits;
    use std::arch::aarch64::*;

    /// # Safety
    /// `common` is as long as `others`.
    #[target_feature(enable = "neon")]
    pub unsafe fn common(one: &Bits, others: &[Bits], common: &mut [u32]) {
        let load = |bits: &Bits, i: usize| {
            // SAFETY: the sixteen loads cover the 256 bytes.
            unsafe { vreinterpretq_u8_u64(vld1q_u64(bits.0.as_ptr().add(2 * i))) }
        };
        let one: [uint8x16_t; 16] = std::array::from_fn(|i| load(one, i));
        for (other, common) in others.iter().zip(common) {
            let count = |i: usize| vcntq_u8(vandq_u8(one[i], load(other, i)));
            // The largest byte is 16 · 8 = 128.
            let bytes = (1..16).fold(count(0), |bytes, i| vaddq_u8(bytes, count(i)));
            *common = u32::from(vaddlvq_u8(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_counts_alike() {
        let mut seed = 3u64;
        let mut word = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ seed >> 29
        };
        let mut filters: Vec<Bits> = (0..40).map(|_| Bits(std::array::from_fn(|_| word() & word()))).collect();
        filters.push(Bits([u64::MAX; 32]));
        filters.push(Bits([0; 32]));
        for form in FORMS.iter().filter(|form| form.usable()) {
            for one in &filters {
                let mut counts = vec![0; filters.len()];
                form.run(one, &filters, &mut counts);
                for (other, count) in filters.iter().zip(counts) {
                    let expected = (0..2048).filter(|b| (one.0[b / 64] & other.0[b / 64]) >> (b % 64) & 1 == 1).count();
                    assert_eq!(count as usize, expected, "{:?}", form.isa());
                }
            }
        }
    }
}
