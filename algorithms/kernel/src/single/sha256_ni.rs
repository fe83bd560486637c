//! SHA-256 with the SHA extensions, `N` messages interleaved: one message waits four cycles for every `sha256rnds2`, and the others
//! fill the time. State: eight words per message, message after message.

use crate::sha256::K;
use core::arch::x86_64::*;

/// Compresses `blocks` blocks of each of `N` messages.
///
/// # Safety
/// The CPU has the SHA extensions and SSE4.1; `state` is 8 · `N` words; `messages` points to `N` slices of at least 64 · `blocks` bytes.
#[inline(always)]
pub(crate) unsafe fn compress<const N: usize>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise covers the instructions, the state and, since block < blocks, the messages.
    unsafe {
        let order = _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203);
        let mut abef = [_mm_setzero_si128(); N];
        let mut cdgh = [_mm_setzero_si128(); N];
        for lane in 0..N {
            let from: *const __m128i = state.add(8 * lane).cast();
            let cdab = _mm_shuffle_epi32::<0xb1>(_mm_loadu_si128(from));
            let efgh = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(from.add(1)));
            abef[lane] = _mm_alignr_epi8::<8>(cdab, efgh);
            cdgh[lane] = _mm_blend_epi16::<0xf0>(efgh, cdab);
        }
        for block in 0..blocks {
            let (abef_before, cdgh_before) = (abef, cdgh);
            let mut m = [[_mm_setzero_si128(); 4]; N];
            macro_rules! rounds {
                ($i:literal) => {
                    let k = _mm_loadu_si128(K.as_ptr().add(4 * $i).cast());
                    for lane in 0..N {
                        let w = &mut m[lane];
                        if $i < 4 {
                            let from = (*messages.add(lane)).as_ptr().add(64 * block + 16 * $i);
                            w[$i % 4] = _mm_shuffle_epi8(_mm_loadu_si128(from.cast()), order);
                        } else {
                            let sum = _mm_add_epi32(
                                _mm_sha256msg1_epu32(w[$i % 4], w[($i + 1) % 4]),
                                _mm_alignr_epi8::<4>(w[($i + 3) % 4], w[($i + 2) % 4]),
                            );
                            w[$i % 4] = _mm_sha256msg2_epu32(sum, w[($i + 3) % 4]);
                        }
                        let wk = _mm_add_epi32(w[$i % 4], k);
                        cdgh[lane] = _mm_sha256rnds2_epu32(cdgh[lane], abef[lane], wk);
                        abef[lane] = _mm_sha256rnds2_epu32(abef[lane], cdgh[lane], _mm_shuffle_epi32::<0x0e>(wk));
                    }
                };
            }
            rounds!(0);
            rounds!(1);
            rounds!(2);
            rounds!(3);
            rounds!(4);
            rounds!(5);
            rounds!(6);
            rounds!(7);
            rounds!(8);
            rounds!(9);
            rounds!(10);
            rounds!(11);
            rounds!(12);
            rounds!(13);
            rounds!(14);
            rounds!(15);
            for lane in 0..N {
                abef[lane] = _mm_add_epi32(abef[lane], abef_before[lane]);
                cdgh[lane] = _mm_add_epi32(cdgh[lane], cdgh_before[lane]);
            }
        }
        for lane in 0..N {
            let to: *mut __m128i = state.add(8 * lane).cast();
            let feba = _mm_shuffle_epi32::<0x1b>(abef[lane]);
            let dchg = _mm_shuffle_epi32::<0xb1>(cdgh[lane]);
            _mm_storeu_si128(to, _mm_blend_epi16::<0xf0>(feba, dchg));
            _mm_storeu_si128(to.add(1), _mm_alignr_epi8::<8>(dchg, feba));
        }
    }
}
