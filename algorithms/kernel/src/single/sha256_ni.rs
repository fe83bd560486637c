//! SHA-256 with the SHA extensions, `N` messages interleaved: one message waits four cycles for
//! every `sha256rnds2`, and the others fill the time. State: eight words per message, message after
//! message.

use crate::sha256::K;
use core::arch::x86_64::*;

/// One message at work.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pub(crate) abef: __m128i,
    pub(crate) cdgh: __m128i,
    /// The last sixteen words of the schedule.
    w: [__m128i; 4],
}

impl Lane {
    /// # Safety
    /// The CPU has SSE4.1; eight words can be read.
    #[inline(always)]
    pub(crate) unsafe fn load(state: *const u32) -> Lane {
        // SAFETY: the caller's promise.
        unsafe {
            let cdab = _mm_shuffle_epi32::<0xb1>(_mm_loadu_si128(state.cast()));
            let efgh = _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.add(4).cast()));
            Lane {
                abef: _mm_alignr_epi8::<8>(cdab, efgh),
                cdgh: _mm_blend_epi16::<0xf0>(efgh, cdab),
                w: [_mm_setzero_si128(); 4],
            }
        }
    }

    /// # Safety
    /// The CPU has SSE4.1; eight words can be written.
    #[inline(always)]
    pub(crate) unsafe fn store(self, state: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe {
            let feba = _mm_shuffle_epi32::<0x1b>(self.abef);
            let dchg = _mm_shuffle_epi32::<0xb1>(self.cdgh);
            _mm_storeu_si128(state.cast(), _mm_blend_epi16::<0xf0>(feba, dchg));
            _mm_storeu_si128(state.add(4).cast(), _mm_alignr_epi8::<8>(dchg, feba));
        }
    }

    /// Rounds 4 · `I` to 4 · `I` + 3 of a block.
    ///
    /// # Safety
    /// The CPU has the SHA extensions and SSE4.1; 64 bytes can be read from `block`.
    #[inline(always)]
    pub(crate) unsafe fn rounds<const I: usize>(&mut self, block: *const u8) {
        let w = &mut self.w;
        // SAFETY: the caller's promise.
        unsafe {
            if I < 4 {
                let order = _mm_set_epi64x(0x0c0d0e0f_08090a0b, 0x04050607_00010203);
                w[I % 4] = _mm_shuffle_epi8(_mm_loadu_si128(block.add(16 * I).cast()), order);
            } else {
                let sum = _mm_add_epi32(
                    _mm_sha256msg1_epu32(w[I % 4], w[(I + 1) % 4]),
                    _mm_alignr_epi8::<4>(w[(I + 3) % 4], w[(I + 2) % 4]),
                );
                w[I % 4] = _mm_sha256msg2_epu32(sum, w[(I + 3) % 4]);
            }
            let wk = _mm_add_epi32(w[I % 4], _mm_loadu_si128(K.as_ptr().add(4 * I).cast()));
            self.cdgh = _mm_sha256rnds2_epu32(self.cdgh, self.abef, wk);
            self.abef = _mm_sha256rnds2_epu32(self.abef, self.cdgh, _mm_shuffle_epi32::<0x0e>(wk));
        }
    }

    /// Ends a block that began with the state `before`.
    #[inline(always)]
    pub(crate) fn add(&mut self, before: &Lane) {
        // SAFETY: SSE2 belongs to every x86-64.
        unsafe {
            self.abef = _mm_add_epi32(self.abef, before.abef);
            self.cdgh = _mm_add_epi32(self.cdgh, before.cdgh);
        }
    }
}

super::interleaved! {
    #[inline(always)]
    u32, 8 words, 64 bytes, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
}
