//! SHA-1 with the SHA extensions, `N` messages interleaved: one message waits for every
//! `sha1rnds4`, and the others fill the time. State: five words per message, message after message.

use core::arch::x86_64::*;

/// One message at work.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pub(crate) abcd: __m128i,
    /// `e` in the highest word; within a block, the words from which the next rounds take it.
    e: __m128i,
    /// The last sixteen words of the schedule.
    w: [__m128i; 4],
}

impl Lane {
    /// # Safety
    /// Five words can be read.
    #[inline(always)]
    pub(crate) unsafe fn load(state: *const u32) -> Lane {
        // SAFETY: the caller's promise; SSE2 belongs to every x86-64.
        unsafe {
            Lane {
                abcd: _mm_shuffle_epi32::<0x1b>(_mm_loadu_si128(state.cast())),
                e: _mm_set_epi32(state.add(4).read() as i32, 0, 0, 0),
                w: [_mm_setzero_si128(); 4],
            }
        }
    }

    /// # Safety
    /// The CPU has SSE4.1; five words can be written.
    #[inline(always)]
    pub(crate) unsafe fn store(self, state: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe {
            _mm_storeu_si128(state.cast(), _mm_shuffle_epi32::<0x1b>(self.abcd));
            state.add(4).write(_mm_extract_epi32::<3>(self.e) as u32);
        }
    }

    /// Rounds 4 · `I` to 4 · `I` + 3 of a block.
    ///
    /// # Safety
    /// The CPU has the SHA extensions and SSSE3; 64 bytes can be read from `block`.
    #[inline(always)]
    pub(crate) unsafe fn rounds<const I: usize>(&mut self, block: *const u8) {
        let w = &mut self.w;
        // SAFETY: the caller's promise.
        unsafe {
            if I < 4 {
                let order = _mm_set_epi64x(0x00010203_04050607, 0x08090a0b_0c0d0e0f);
                w[I % 4] = _mm_shuffle_epi8(_mm_loadu_si128(block.add(16 * I).cast()), order);
            } else {
                let sum = _mm_xor_si128(_mm_sha1msg1_epu32(w[I % 4], w[(I + 1) % 4]), w[(I + 2) % 4]);
                w[I % 4] = _mm_sha1msg2_epu32(sum, w[(I + 3) % 4]);
            }
            let ew = if I == 0 { _mm_add_epi32(self.e, w[0]) } else { _mm_sha1nexte_epu32(self.e, w[I % 4]) };
            self.e = self.abcd;
            self.abcd = match I / 5 {
                0 => _mm_sha1rnds4_epu32::<0>(self.abcd, ew),
                1 => _mm_sha1rnds4_epu32::<1>(self.abcd, ew),
                2 => _mm_sha1rnds4_epu32::<2>(self.abcd, ew),
                _ => _mm_sha1rnds4_epu32::<3>(self.abcd, ew),
            };
        }
    }

    /// Ends a block that began with the state `before`.
    ///
    /// # Safety
    /// The CPU has the SHA extensions.
    #[inline(always)]
    pub(crate) unsafe fn add(&mut self, before: &Lane) {
        // SAFETY: the caller's promise.
        unsafe {
            self.e = _mm_sha1nexte_epu32(self.e, before.e);
            self.abcd = _mm_add_epi32(self.abcd, before.abcd);
        }
    }
}

super::interleaved! {
    #[inline(always)]
    u32, 5 words, 64 bytes, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19]
}
