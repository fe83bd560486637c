//! SHA-256 of one message: the rounds in general registers, the message schedule in vectors of four
//! words beside them (Gueron and Krasnov, *Parallelizing message schedules*: the n-SMS method). For
//! processors without the SHA extensions.

use super::mixed::round;
use crate::sha256::{K, Sha256};
use core::arch::x86_64::*;
use std::hint::black_box;

/// Rotates all words right by `R`; `L` is the rest of 32.
///
/// # Safety
/// SSE2 belongs to every x86-64.
#[inline(always)]
unsafe fn rotate<const R: i32, const L: i32>(x: __m128i) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe { _mm_or_si128(_mm_srli_epi32::<R>(x), _mm_slli_epi32::<L>(x)) }
}

/// σ1 of FIPS 180-4, section 4.1.
///
/// # Safety
/// As [`rotate`].
#[inline(always)]
unsafe fn sigma1(x: __m128i) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe { _mm_xor_si128(_mm_xor_si128(rotate::<17, 15>(x), rotate::<19, 13>(x)), _mm_srli_epi32::<10>(x)) }
}

/// Words 4 · `I` to 4 · `I` + 3 of the next sixteen of the schedule (FIPS 180-4, section 6.2.2,
/// step 1), in place.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn schedule<const I: usize>(w: &mut [__m128i; 4]) {
    // SAFETY: the caller's promise.
    unsafe {
        let fifteen_ago = _mm_alignr_epi8::<4>(w[(I + 1) % 4], w[I]);
        let seven_ago = _mm_alignr_epi8::<4>(w[(I + 3) % 4], w[(I + 2) % 4]);
        let sigma0 = _mm_xor_si128(
            _mm_xor_si128(rotate::<7, 25>(fifteen_ago), rotate::<18, 14>(fifteen_ago)),
            _mm_srli_epi32::<3>(fifteen_ago),
        );
        let sum = _mm_add_epi32(_mm_add_epi32(w[I], seven_ago), sigma0);
        // Two ago: the first two of the four are of the vector before, the others these first two.
        let low = _mm_add_epi32(sum, _mm_srli_si128::<8>(sigma1(w[(I + 3) % 4])));
        // The upper half of this summand is that of σ1(0), which is 0.
        let high = _mm_slli_si128::<8>(sigma1(_mm_move_epi64(low)));
        w[I] = _mm_add_epi32(low, high);
    }
}

/// Compresses `blocks` blocks of one message into `state`.
///
/// # Safety
/// The CPU has SSSE3; `state` is eight words; `messages` points to a slice of at least 64 ·
/// `blocks` bytes.
#[inline(always)]
pub(crate) unsafe fn compress(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let (message, kept) = unsafe { ((*messages).as_ptr(), state.cast::<[u32; 8]>()) };
    // Sixteen words: the schedule with its constants, for the rounds to come. It goes through
    // memory: the compiler would take the words out of the vectors one by one.
    let mut buffer = [0u32; 16];
    let sums = black_box(buffer.as_mut_ptr());
    for block in 0..blocks {
        // SAFETY: block < blocks; the sums are sixteen words; K has 64.
        unsafe {
            let mut s = *kept;
            let mut last = s[1] ^ s[2];
            let order = _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203);
            let mut w = [_mm_setzero_si128(); 4];
            for (i, four) in w.iter_mut().enumerate() {
                *four = _mm_shuffle_epi8(_mm_loadu_si128(message.add(64 * block + 16 * i).cast()), order);
                let sum = _mm_add_epi32(*four, _mm_loadu_si128(K.as_ptr().add(4 * i).cast()));
                _mm_storeu_si128(sums.add(4 * i).cast(), sum);
            }
            macro_rules! four {
                ($j:literal, $k:expr) => {
                    round::<Sha256>(&mut s, &mut last, sums.add(4 * $j).read(), 4 * $j);
                    round::<Sha256>(&mut s, &mut last, sums.add(4 * $j + 1).read(), 4 * $j + 1);
                    round::<Sha256>(&mut s, &mut last, sums.add(4 * $j + 2).read(), 4 * $j + 2);
                    round::<Sha256>(&mut s, &mut last, sums.add(4 * $j + 3).read(), 4 * $j + 3);
                    if let Some(k) = $k {
                        let k: *const u32 = k;
                        schedule::<$j>(&mut w);
                        let sum = _mm_add_epi32(w[$j], _mm_loadu_si128(k.add(4 * $j).cast()));
                        _mm_storeu_si128(sums.add(4 * $j).cast(), sum);
                    }
                };
            }
            macro_rules! sixteen {
                ($k:expr) => {
                    four!(0, $k);
                    four!(1, $k);
                    four!(2, $k);
                    four!(3, $k);
                };
            }
            for next in 1..4 {
                sixteen!(Some(K.as_ptr().add(16 * next)));
            }
            sixteen!(None);
            for (word, done) in (*kept).iter_mut().zip(s) {
                *word = word.wrapping_add(done);
            }
        }
    }
}
