//! SHA-1 with the SHA extensions, `N` messages interleaved: one message waits for every `sha1rnds4`, and the others fill the time.
//! State: five words per message, message after message.

use core::arch::x86_64::*;

/// Compresses `blocks` blocks of each of `N` messages.
///
/// # Safety
/// The CPU has the SHA extensions and SSE4.1; `state` is 5 · `N` words; `messages` points to `N` slices of at least 64 · `blocks` bytes.
#[inline(always)]
pub(crate) unsafe fn compress<const N: usize>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise covers the instructions, the state and, since block < blocks, the messages.
    unsafe {
        let order = _mm_set_epi64x(0x00010203_04050607, 0x08090a0b_0c0d0e0f);
        let mut abcd = [_mm_setzero_si128(); N];
        let mut e = [_mm_setzero_si128(); N];
        for lane in 0..N {
            let from = state.add(5 * lane);
            abcd[lane] = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(from.cast()));
            e[lane] = _mm_set_epi32(from.add(4).read() as i32, 0, 0, 0);
        }
        for block in 0..blocks {
            let (abcd_before, e_before) = (abcd, e);
            let mut m = [[_mm_setzero_si128(); 4]; N];
            macro_rules! rounds {
                ($i:literal) => {
                    for lane in 0..N {
                        let w = &mut m[lane];
                        if $i < 4 {
                            let from = (*messages.add(lane)).as_ptr().add(64 * block + 16 * $i);
                            w[$i % 4] = _mm_shuffle_epi8(_mm_loadu_si128(from.cast()), order);
                        } else {
                            let sum = _mm_xor_si128(_mm_sha1msg1_epu32(w[$i % 4], w[($i + 1) % 4]), w[($i + 2) % 4]);
                            w[$i % 4] = _mm_sha1msg2_epu32(sum, w[($i + 3) % 4]);
                        }
                        let ew = if $i == 0 {
                            _mm_add_epi32(e[lane], w[0])
                        } else {
                            _mm_sha1nexte_epu32(e[lane], w[$i % 4])
                        };
                        e[lane] = abcd[lane];
                        abcd[lane] = _mm_sha1rnds4_epu32::<{ $i / 5 }>(abcd[lane], ew);
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
            rounds!(16);
            rounds!(17);
            rounds!(18);
            rounds!(19);
            for lane in 0..N {
                e[lane] = _mm_sha1nexte_epu32(e[lane], e_before[lane]);
                abcd[lane] = _mm_add_epi32(abcd[lane], abcd_before[lane]);
            }
        }
        for lane in 0..N {
            let to = state.add(5 * lane);
            _mm_storeu_si128(to.cast(), _mm_shuffle_epi32::<0x1b>(abcd[lane]));
            to.add(4).write(_mm_extract_epi32::<3>(e[lane]) as u32);
        }
    }
}
