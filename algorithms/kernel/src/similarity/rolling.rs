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

use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Bytes before a position that its hash depends on, the position's own not counted.
pub const LOOK_BACK: usize = 6;

/// Appends every position `p` in `start..bytes.len()` with `(v(p) + 1) & mask == 0`, ascending.
type Candidates = unsafe fn(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>);

/// The forms, best first.
pub static FORMS: &[Form<Candidates>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: x86::counts_bits, function: avx512::candidates },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: x86::counts_bits, function: x86::candidates },
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

/// The rolling hash of the seven bytes that end at `position`.
///
/// # Panics
/// If there are not seven.
#[inline]
pub fn hash(bytes: &[u8], position: usize) -> u32 {
    let from = position - LOOK_BACK;
    let word = match bytes.get(from..from + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().expect("eight bytes")),
        None => {
            let mut eight = [0; 8];
            eight[..=LOOK_BACK].copy_from_slice(&bytes[from..=position]);
            u64::from_le_bytes(eight)
        }
    };
    const LOW_BYTES: u64 = 0x00ff_00ff_00ff_00ff;
    // Byte j of the word is b_(6 - j) with the weight 2 + j. A product sums four of them in its
    // highest sixteen bits, without a carry.
    let even = (word & LOW_BYTES).wrapping_mul(0x0002_0004_0006_0008) >> 48;
    let odd = (word >> 8 & 0x0000_00ff_00ff_00ff).wrapping_mul(0x0003_0005_0007_0000) >> 48;
    // Byte k is b_k. Neighbours are shifted together: pairs by 5 of 8 bits, pairs of pairs by 10 of
    // 16, and those by 20 of 32.
    let word = (word << 8).swap_bytes();
    let pairs = (word & LOW_BYTES) ^ ((word & !LOW_BYTES) >> 3);
    let fours = (pairs & 0x0000_ffff_0000_ffff) ^ ((pairs & 0xffff_0000_ffff_0000) >> 6);
    let xor = fours as u32 ^ ((fours >> 32) as u32) << 20;
    ((even + odd) as u32).wrapping_add(xor)
}

/// The low half of [`hash`], step by step.
fn portable(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
    if start >= bytes.len() {
        return;
    }
    let mut sum = 0u16;
    let mut weighted = 0u16;
    let mut shifted = 0u16;
    let mut feed = |old: u8, new: u8| {
        weighted = weighted.wrapping_sub(sum).wrapping_add(7 * u16::from(new));
        sum = sum.wrapping_add(u16::from(new)).wrapping_sub(u16::from(old));
        shifted = (shifted << 5) ^ u16::from(new);
        sum.wrapping_add(weighted).wrapping_add(shifted)
    };
    for &byte in &bytes[start - LOOK_BACK..start] {
        feed(0, byte);
    }
    if start == LOOK_BACK {
        if feed(0, bytes[start]).wrapping_add(1) & mask == 0 {
            out.push(start as u32);
        }
    } else {
        // The byte that leaves is one that was not fed above, so the first step is made from its
        // window alone.
        let first = hash(bytes, start) as u16;
        if first.wrapping_add(1) & mask == 0 {
            out.push(start as u32);
        }
        feed(0, bytes[start]);
    }
    let olds = &bytes[start - LOOK_BACK..];
    for ((position, &new), &old) in bytes.iter().enumerate().skip(start + 1).zip(olds) {
        if feed(old, new).wrapping_add(1) & mask == 0 {
            out.push(position as u32);
        }
    }
}

/// Appends `p` and the number of each bit that is set in `hits`, in order; `out` has room for 64
/// more.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn place(mut hits: u64, p: usize, out: &mut Vec<u32>) {
    // Four places are written whether there are that many or not: the number of hits is not to be
    // guessed by the CPU.
    let count = hits.count_ones() as usize;
    let end = out.len();
    for (i, place) in out.spare_capacity_mut()[..64].iter_mut().enumerate() {
        if i >= 4 && i >= count {
            break;
        }
        place.write((p as u32).wrapping_add(hits.trailing_zeros()));
        hits &= hits.wrapping_sub(1);
    }
    // SAFETY: `count` places behind `end` were written.
    unsafe { out.set_len(end + count) };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::LOOK_BACK;
    use std::arch::x86_64::*;

    /// Whether the CPU counts the bits of a register.
    pub fn counts_bits() -> bool {
        std::arch::is_x86_feature_detected!("popcnt")
    }

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
            super::portable(&bytes[..=p], p, mask, out);
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
            super::place(hits, p, out);
            p += 64;
        }
        super::portable(bytes, p, mask, out);
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
