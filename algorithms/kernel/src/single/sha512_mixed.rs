//! SHA-512 of one message: the rounds in general registers, the message schedule in vectors of two
//! words beside them, which leaves the registers and the places of the integer units to the rounds.

use crate::sha512::{K, sum0, sum1};
use core::arch::x86_64::*;
use std::hint::black_box;

/// Rotates both words right by `R`; `L` is the rest of 64.
///
/// # Safety
/// The CPU has AVX2, and AVX-512 VL if `VL`.
#[inline(always)]
unsafe fn rotate<const VL: bool, const R: i32, const L: i32>(x: __m128i) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe {
        if VL {
            _mm_ror_epi64::<R>(x)
        } else if R == 8 {
            _mm_shuffle_epi8(x, _mm_set_epi64x(0x080f0e0d_0c0b0a09, 0x00070605_04030201))
        } else {
            _mm_or_si128(_mm_srli_epi64::<R>(x), _mm_slli_epi64::<L>(x))
        }
    }
}

/// `a ^ b ^ c`
///
/// # Safety
/// As [`rotate`].
#[inline(always)]
unsafe fn xor3<const VL: bool>(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe { if VL { _mm_ternarylogic_epi64::<0x96>(a, b, c) } else { _mm_xor_si128(_mm_xor_si128(a, b), c) } }
}

/// Words `2 * I` and `2 * I + 1` of the next sixteen of the schedule (FIPS 180-4, section 6.4.2,
/// step 1), in place.
///
/// # Safety
/// As [`rotate`].
#[inline(always)]
unsafe fn schedule<const VL: bool, const I: usize>(w: &mut [__m128i; 8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let fifteen_ago = _mm_alignr_epi8::<8>(w[(I + 1) % 8], w[I]);
        let seven_ago = _mm_alignr_epi8::<8>(w[(I + 5) % 8], w[(I + 4) % 8]);
        let two_ago = w[(I + 7) % 8];
        let sigma0 = xor3::<VL>(
            rotate::<VL, 1, 63>(fifteen_ago),
            rotate::<VL, 8, 56>(fifteen_ago),
            _mm_srli_epi64::<7>(fifteen_ago),
        );
        let sigma1 =
            xor3::<VL>(rotate::<VL, 19, 45>(two_ago), rotate::<VL, 61, 3>(two_ago), _mm_srli_epi64::<6>(two_ago));
        w[I] = _mm_add_epi64(_mm_add_epi64(w[I], seven_ago), _mm_add_epi64(sigma0, sigma1));
    }
}

/// Compresses `blocks` blocks of one message.
///
/// # Safety
/// The CPU has AVX2, BMI1 and BMI2, and AVX-512 VL if `VL`; `state` is eight words; `messages`
/// points to a slice of at least 128 · `blocks` bytes.
#[inline(always)]
pub(crate) unsafe fn compress<const VL: bool>(state: *mut u64, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let (message, before) = unsafe { ((*messages).as_ptr(), state.cast::<[u64; 8]>()) };
    let mut buffer = [0u64; 16];
    // Words with their constants go through memory: the compiler would take them out of the vectors
    // one by one, at twice the cost.
    let sums = black_box(buffer.as_mut_ptr());
    for block in 0..blocks {
        // SAFETY: block < blocks; the sums are sixteen words; K has eighty.
        unsafe {
            let from = message.add(128 * block);
            let order = _mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607);
            let mut w = [_mm_setzero_si128(); 8];
            for (i, pair) in w.iter_mut().enumerate() {
                *pair = _mm_shuffle_epi8(_mm_loadu_si128(from.add(16 * i).cast()), order);
                _mm_storeu_si128(
                    sums.add(2 * i).cast(),
                    _mm_add_epi64(*pair, _mm_loadu_si128(K.as_ptr().add(2 * i).cast())),
                );
            }
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *before;
            let mut last = b ^ c;
            macro_rules! round {
                ($a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $f:ident, $g:ident, $h:ident, $i:expr) => {
                    let t1 = $h
                        .wrapping_add(sums.add($i).read())
                        .wrapping_add(($e & $f) + (!$e & $g))
                        .wrapping_add(sum1($e));
                    $d = $d.wrapping_add(t1);
                    let difference = $a ^ $b;
                    $h = sum0($a).wrapping_add((difference & last) ^ $b).wrapping_add(t1);
                    last = difference;
                    let _ = last;
                };
            }
            // Two rounds, and between them, unless these are the last sixteen, the two words that
            // take the place of theirs.
            macro_rules! two {
                ($j:literal $k:expr, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $f:ident, $g:ident, $h:ident) => {
                    round!($a, $b, $c, $d, $e, $f, $g, $h, 2 * $j);
                    round!($h, $a, $b, $c, $d, $e, $f, $g, 2 * $j + 1);
                    if let Some(k) = $k {
                        schedule::<VL, $j>(&mut w);
                        let k: *const u64 = k;
                        let sum = _mm_add_epi64(w[$j], _mm_loadu_si128(k.add(2 * $j).cast()));
                        _mm_storeu_si128(sums.add(2 * $j).cast(), sum);
                    }
                };
            }
            macro_rules! sixteen {
                ($k:expr) => {
                    two!(0 $k, a, b, c, d, e, f, g, h);
                    two!(1 $k, g, h, a, b, c, d, e, f);
                    two!(2 $k, e, f, g, h, a, b, c, d);
                    two!(3 $k, c, d, e, f, g, h, a, b);
                    two!(4 $k, a, b, c, d, e, f, g, h);
                    two!(5 $k, g, h, a, b, c, d, e, f);
                    two!(6 $k, e, f, g, h, a, b, c, d);
                    two!(7 $k, c, d, e, f, g, h, a, b);
                };
            }
            for next in 1..5 {
                sixteen!(Some(K.as_ptr().add(16 * next)));
            }
            sixteen!(None::<*const u64>);
            let after = [a, b, c, d, e, f, g, h];
            for (word, after) in (*before).iter_mut().zip(after) {
                *word = word.wrapping_add(after);
            }
        }
    }
}
