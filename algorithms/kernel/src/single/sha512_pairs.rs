//! SHA-512 of one message, two blocks at a time: the message schedule of both in vectors of two
//! words of each (the blocks of a message wait for each other only in the rounds, as Intel's *Fast
//! SHA-512 Implementations on Intel Architecture Processors* has it), beside the rounds of the
//! first one in general registers. The rounds of the second then have no vectors beside them.
//!
//! Per block that is half of the vector instructions of [`sha512_mixed`], which takes the last
//! block of an odd number.

use super::sha512_mixed;
use crate::sha512::{K, sum0, sum1};
use core::arch::asm;
use core::arch::x86_64::*;
use std::hint::black_box;

/// Words of the sums of both blocks: two words of the first, two of the second, and so on.
const SUMS: usize = 160;

/// At a multiple of a vector's length.
#[repr(align(32))]
struct AlignedSums([u64; SUMS]);

/// The same value. The compiler cannot put the terms of a sum into another order across this: it
/// would add the term from memory last, for which every round would wait.
#[inline(always)]
fn opaque(mut x: u64) -> u64 {
    // SAFETY: no instruction.
    unsafe { asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags)) };
    x
}

/// Round `i` of sixteen (FIPS 180-4, section 6.4.2, step 3), as in [`mixed`](super::mixed), with
/// the terms in the order in which they are there: `sum` first, the term that waits for the last
/// round last.
#[inline(always)]
fn round(s: &mut [u64; 8], last: &mut u64, sum: u64, i: usize) {
    let at = |letter: usize| (letter + 16 - i) % 8;
    let (a, b, e, f, g) = (s[at(0)], s[at(1)], s[at(4)], s[at(5)], s[at(6)]);
    let t1 = opaque(s[at(7)].wrapping_add(sum));
    let t1 = opaque(t1.wrapping_add(!e & g));
    let t1 = opaque(t1.wrapping_add(e & f));
    let t1 = opaque(t1.wrapping_add(sum1(e)));
    s[at(3)] = s[at(3)].wrapping_add(t1);
    let difference = a ^ b;
    s[at(7)] = opaque(t1.wrapping_add((difference & *last) ^ b)).wrapping_add(sum0(a));
    *last = difference;
}

/// Rotates all words right by `R`; `L` is the rest of 64.
///
/// # Safety
/// The CPU has AVX2, and AVX-512 VL if `VL`.
#[inline(always)]
unsafe fn rotate<const VL: bool, const R: i32, const L: i32>(x: __m256i) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        if VL {
            _mm256_ror_epi64::<R>(x)
        } else if R == 8 {
            let order = _mm_set_epi64x(0x080f0e0d_0c0b0a09, 0x00070605_04030201);
            _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(order))
        } else {
            _mm256_or_si256(_mm256_srli_epi64::<R>(x), _mm256_slli_epi64::<L>(x))
        }
    }
}

/// `a ^ b ^ c`
///
/// # Safety
/// As [`rotate`].
#[inline(always)]
unsafe fn xor3<const VL: bool>(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { if VL { _mm256_ternarylogic_epi64::<0x96>(a, b, c) } else { _mm256_xor_si256(_mm256_xor_si256(a, b), c) } }
}

/// Words `2 * I` and `2 * I + 1` of the next sixteen of both schedules (FIPS 180-4, section 6.4.2,
/// step 1), in place.
///
/// # Safety
/// As [`rotate`].
#[inline(always)]
unsafe fn schedule<const VL: bool, const I: usize>(w: &mut [__m256i; 8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let fifteen_ago = _mm256_alignr_epi8::<8>(w[(I + 1) % 8], w[I]);
        let seven_ago = _mm256_alignr_epi8::<8>(w[(I + 5) % 8], w[(I + 4) % 8]);
        let two_ago = w[(I + 7) % 8];
        let sigma0 = xor3::<VL>(
            rotate::<VL, 1, 63>(fifteen_ago),
            rotate::<VL, 8, 56>(fifteen_ago),
            _mm256_srli_epi64::<7>(fifteen_ago),
        );
        let sigma1 =
            xor3::<VL>(rotate::<VL, 19, 45>(two_ago), rotate::<VL, 61, 3>(two_ago), _mm256_srli_epi64::<6>(two_ago));
        w[I] = _mm256_add_epi64(_mm256_add_epi64(w[I], seven_ago), _mm256_add_epi64(sigma0, sigma1));
    }
}

/// Two words of both schedules with their constants.
///
/// # Safety
/// The CPU has AVX2; two words can be read from `k`.
#[inline(always)]
unsafe fn with_constants(w: __m256i, k: *const u64) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_add_epi64(w, _mm256_broadcastsi128_si256(_mm_loadu_si128(k.cast()))) }
}

/// Compresses `blocks` blocks of one message.
///
/// # Safety
/// The CPU has AVX2, BMI1 and BMI2, and AVX-512 VL if `VL`; `state` is eight words; `messages`
/// points to a slice of at least 128 · `blocks` bytes.
#[inline(always)]
pub(crate) unsafe fn compress<const VL: bool>(state: *mut u64, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let (message, kept) = unsafe { ((*messages).as_ptr(), state.cast::<[u64; 8]>()) };
    // Through memory, as in the other kernel: the compiler would take the words out of the vectors
    // one by one.
    let mut buffer = AlignedSums([0; SUMS]);
    let sums = black_box(buffer.0.as_mut_ptr());
    for pair in 0..blocks / 2 {
        // SAFETY: 2 · pair + 1 < blocks; K has eighty words and the sums twice as many, from an
        // address that is a multiple of 32.
        unsafe {
            let first = message.add(256 * pair);
            let (mut s, mut w) = (*kept, [_mm256_setzero_si256(); 8]);
            let mut last = s[1] ^ s[2];
            let order = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607));
            for (i, four) in w.iter_mut().enumerate() {
                let one = _mm256_castsi128_si256(_mm_loadu_si128(first.add(16 * i).cast()));
                let both = _mm256_inserti128_si256::<1>(one, _mm_loadu_si128(first.add(128 + 16 * i).cast()));
                *four = _mm256_shuffle_epi8(both, order);
                _mm256_store_si256(sums.add(4 * i).cast(), with_constants(*four, K.as_ptr().add(2 * i)));
            }
            // Two rounds, and of the schedules two words that come sixteen later.
            macro_rules! two {
                ($j:literal, $sums:expr, $k:expr) => {
                    round(&mut s, &mut last, $sums.add(4 * $j).read(), 2 * $j);
                    round(&mut s, &mut last, $sums.add(4 * $j + 1).read(), 2 * $j + 1);
                    if let Some(k) = $k {
                        let k: *const u64 = k;
                        schedule::<VL, $j>(&mut w);
                        _mm256_store_si256($sums.add(32 + 4 * $j).cast(), with_constants(w[$j], k.add(2 * $j)));
                    }
                };
            }
            macro_rules! sixteen {
                ($sums:expr, $k:expr) => {
                    two!(0, $sums, $k);
                    two!(1, $sums, $k);
                    two!(2, $sums, $k);
                    two!(3, $sums, $k);
                    two!(4, $sums, $k);
                    two!(5, $sums, $k);
                    two!(6, $sums, $k);
                    two!(7, $sums, $k);
                };
            }
            for next in 1..5 {
                sixteen!(sums.add(32 * (next - 1)), Some(K.as_ptr().add(16 * next)));
            }
            sixteen!(sums.add(128), None);
            for (word, done) in (*kept).iter_mut().zip(s) {
                *word = word.wrapping_add(done);
            }
            s = *kept;
            last = s[1] ^ s[2];
            for sixteen in 0..5 {
                sixteen!(sums.add(32 * sixteen + 2), None);
            }
            for (word, done) in (*kept).iter_mut().zip(s) {
                *word = word.wrapping_add(done);
            }
        }
    }
    if blocks % 2 == 1 {
        // SAFETY: the caller's promise; one block is left.
        unsafe {
            let rest = std::slice::from_raw_parts(message.add(128 * (blocks - 1)), 128);
            sha512_mixed::compress::<VL>(state, &raw const rest, 1);
        }
    }
}
