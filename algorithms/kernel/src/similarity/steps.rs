//! What a window of 64 bytes gains and loses as it moves on by a byte, in a sum over the values of
//! bytes that depends on how often each occurs in the window: an entropy, for example.
//!
//! The byte that leaves loses what its occurrences among the 63 bytes that stay say, and the byte
//! that enters gains likewise. The portable form keeps the counts of all values. The fast forms
//! keep none: they compare each byte with the 63 behind it and each with the 63 before it, all in
//! bytes of vectors, which needs no table in memory that one step writes and the next one reads.
//! (There is no form for AVX-512: with comparisons into masks it took 1.04 ns a byte where this one
//! takes .73, on a Zen 4.)

use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Bytes of a window.
pub const WINDOW: usize = 64;

/// For each place `i` of `out`, what the sum over the window at `i + 1` has more than the one at
/// `i`: `steps[n]` is what the occurrence after `n` others adds.
type Changes = unsafe fn(bytes: &[u8], steps: &[i16; WINDOW], out: &mut [i16]);

/// The forms, best first.
pub static FORMS: &[Form<Changes>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: nothing_more, function: x86::avx2 },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Changes> {
    /// Writes to `out[i]` by how much the sum changes from the window at `i` to the one at `i + 1`;
    /// `steps[n]` is what a byte adds that occurs `n` times among the others. Differences of two
    /// steps must fit in 16 bits.
    ///
    /// # Panics
    /// If `bytes` does not reach [`WINDOW`] further than `out`, or this machine lacks the form.
    pub fn run(&self, bytes: &[u8], steps: &[i16; WINDOW], out: &mut [i16]) {
        assert!(self.usable() && bytes.len() >= out.len() + WINDOW);
        // SAFETY: the instruction set is there, and the bytes are, as asserted.
        unsafe { (self.function)(bytes, steps, out) }
    }
}

/// [`Form::run`] with the best form.
pub fn changes(bytes: &[u8], steps: &[i16; WINDOW], out: &mut [i16]) {
    static BEST: LazyLock<&Form<Changes>> = LazyLock::new(|| best(FORMS));
    assert!(bytes.len() >= out.len() + WINDOW);
    // SAFETY: `best` returns usable forms only; the bytes are there, as asserted.
    unsafe { (BEST.function)(bytes, steps, out) }
}

/// Windows that slide at the same time in the portable form, each over a part of its own, so that
/// their look-ups overlap.
const LANES: usize = 4;

fn portable(bytes: &[u8], steps: &[i16; WINDOW], out: &mut [i16]) {
    let each = out.len() / LANES;
    if each < WINDOW {
        return slide([bytes], steps, [out]);
    }
    let (a, rest) = out.split_at_mut(each);
    let (b, rest) = rest.split_at_mut(each);
    let (c, rest) = rest.split_at_mut(each);
    let (d, rest) = rest.split_at_mut(each);
    let part = |i: usize| &bytes[i * each..(i + 1) * each + WINDOW];
    slide([part(0), part(1), part(2), part(3)], steps, [a, b, c, d]);
    slide([&bytes[LANES * each..]], steps, [rest]);
}

/// Slides a window over each part; all parts have the length of the first.
fn slide<const N: usize>(parts: [&[u8]; N], steps: &[i16; WINDOW], out: [&mut [i16]; N]) {
    let mut counts = [[0u8; 256]; N];
    for lane in 0..N {
        parts[lane][..WINDOW].iter().for_each(|byte| counts[lane][usize::from(*byte)] += 1);
    }
    for i in 0..out[0].len() {
        for lane in 0..N {
            let (old, new) = (parts[lane][i], parts[lane][i + WINDOW]);
            let count = &mut counts[lane][usize::from(old)];
            *count -= 1;
            let lost = steps[usize::from(*count & 63)];
            let count = &mut counts[lane][usize::from(new)];
            out[lane][i] = steps[usize::from(*count & 63)] - lost;
            *count += 1;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::WINDOW;
    use std::arch::x86_64::*;

    /// # Safety
    /// AVX2; `bytes` reaches [`WINDOW`] further than `out`.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub unsafe fn avx2(bytes: &[u8], steps: &[i16; WINDOW], out: &mut [i16]) {
        const WIDTH: usize = 32;
        let table = |high: bool| -> [__m256i; 4] {
            std::array::from_fn(|part| {
                let bytes: [u8; 16] = std::array::from_fn(|i| steps[16 * part + i].to_le_bytes()[usize::from(high)]);
                // SAFETY: sixteen bytes are read.
                _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
            })
        };
        let (low, high) = (table(false), table(true));
        // Bit 4 of a count chooses between tables, then bit 5.
        let find = |table: &[__m256i; 4], counts| {
            let part = |i: usize| _mm256_shuffle_epi8(table[i], counts);
            let bit4 = _mm256_slli_epi16::<3>(counts);
            let (a, b) = (_mm256_blendv_epi8(part(0), part(1), bit4), _mm256_blendv_epi8(part(2), part(3), bit4));
            _mm256_blendv_epi8(a, b, _mm256_slli_epi16::<2>(counts))
        };
        let load = |at: usize| {
            debug_assert!(at + WIDTH <= bytes.len());
            // SAFETY: the callers below stay within the bytes.
            unsafe { _mm256_loadu_si256(bytes.as_ptr().add(at).cast()) }
        };
        let mut done = 0;
        // The entering bytes reach furthest: to `done + 64 + 2 * WIDTH`.
        while done + 2 * WIDTH <= out.len() {
            let leaving = [load(done), load(done + WIDTH)];
            let entering = [load(done + WINDOW), load(done + WINDOW + WIDTH)];
            let (mut behind, mut before) = ([_mm256_setzero_si256(); 2], [_mm256_setzero_si256(); 2]);
            for distance in 1..WINDOW {
                for half in 0..2 {
                    let other = load(done + distance + half * WIDTH);
                    behind[half] = _mm256_sub_epi8(behind[half], _mm256_cmpeq_epi8(leaving[half], other));
                    before[half] = _mm256_sub_epi8(before[half], _mm256_cmpeq_epi8(entering[half], other));
                }
            }
            for half in 0..2 {
                let lost = (find(&low, behind[half]), find(&high, behind[half]));
                let gained = (find(&low, before[half]), find(&high, before[half]));
                let a =
                    _mm256_sub_epi16(_mm256_unpacklo_epi8(gained.0, gained.1), _mm256_unpacklo_epi8(lost.0, lost.1));
                let b =
                    _mm256_sub_epi16(_mm256_unpackhi_epi8(gained.0, gained.1), _mm256_unpackhi_epi8(lost.0, lost.1));
                // SAFETY: `done + 2 * WIDTH` places are there.
                unsafe {
                    let to: *mut __m256i = out.as_mut_ptr().add(done + half * WIDTH).cast();
                    _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(a, b));
                    _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(a, b));
                }
            }
            done += 2 * WIDTH;
        }
        super::portable(&bytes[done..], steps, &mut out[done..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of few or many values, runs among them.
    fn inputs() -> Vec<Vec<u8>> {
        let mut seed = 5u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as u32
        };
        let mut inputs = Vec::new();
        for values in [1, 2, 5, 40, 256] {
            for length in [64, 65, 127, 128, 129, 191, 192, 193, 700, 1500] {
                inputs.push((0..length).map(|_| (next() % values) as u8).collect());
            }
            let runs = (0..60).flat_map(|_| vec![(next() % values) as u8; (next() % 90) as usize]);
            inputs.push([vec![9; 64], runs.collect()].concat());
        }
        inputs
    }

    #[test]
    fn every_form_gives_the_changes_of_the_definition() {
        let steps: [i16; WINDOW] = std::array::from_fn(|n| (16_000 - 300 * n as i16) ^ n as i16);
        for bytes in inputs() {
            let sum = |window: &[u8]| -> i32 {
                let mut counts = [0usize; 256];
                let mut sum = 0;
                for byte in window {
                    sum += i32::from(steps[counts[usize::from(*byte)]]);
                    counts[usize::from(*byte)] += 1;
                }
                sum
            };
            let expected: Vec<i16> = (0..bytes.len() - WINDOW)
                .map(|i| (sum(&bytes[i + 1..][..WINDOW]) - sum(&bytes[i..][..WINDOW])) as i16)
                .collect();
            for form in FORMS.iter().filter(|form| form.usable()) {
                for count in [expected.len(), expected.len() / 2] {
                    let mut out = vec![0; count];
                    form.run(&bytes, &steps, &mut out);
                    assert_eq!(out, expected[..count], "{:?}, {} bytes", form.isa(), bytes.len());
                }
            }
        }
    }
}
