//! SHA-256 with the instructions of AArch64, `N` messages interleaved: one message waits for every
//! `sha256h`, and the others fill the time. State: eight words per message, message after message.

use crate::sha256::K;
use core::arch::aarch64::*;

/// One message at work.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pub(crate) abcd: uint32x4_t,
    efgh: uint32x4_t,
    /// The last sixteen words of the schedule.
    w: [uint32x4_t; 4],
}

impl Lane {
    /// # Safety
    /// Eight words can be read.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) unsafe fn load(state: *const u32) -> Lane {
        // SAFETY: the caller's promise.
        unsafe { Lane { abcd: vld1q_u32(state), efgh: vld1q_u32(state.add(4)), w: [vdupq_n_u32(0); 4] } }
    }

    /// # Safety
    /// Eight words can be written.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) unsafe fn store(self, state: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe {
            vst1q_u32(state, self.abcd);
            vst1q_u32(state.add(4), self.efgh);
        }
    }

    /// Rounds 4 · `I` to 4 · `I` + 3 of a block.
    ///
    /// # Safety
    /// The CPU has the instructions; 64 bytes can be read from `block`.
    #[inline]
    #[target_feature(enable = "neon,sha2")]
    pub(crate) unsafe fn rounds<const I: usize>(&mut self, block: *const u8) {
        let w = &mut self.w;
        if I < 4 {
            // SAFETY: the caller promises 64 bytes.
            w[I % 4] = vreinterpretq_u32_u8(vrev32q_u8(unsafe { vld1q_u8(block.add(16 * I)) }));
        } else {
            w[I % 4] = vsha256su1q_u32(vsha256su0q_u32(w[I % 4], w[(I + 1) % 4]), w[(I + 2) % 4], w[(I + 3) % 4]);
        }
        // SAFETY: there are 64 constants.
        let wk = vaddq_u32(w[I % 4], unsafe { vld1q_u32(K.as_ptr().add(4 * I)) });
        let abcd = self.abcd;
        self.abcd = vsha256hq_u32(abcd, self.efgh, wk);
        self.efgh = vsha256h2q_u32(self.efgh, abcd, wk);
    }

    /// Ends a block that began with the state `before`.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn add(&mut self, before: &Lane) {
        self.abcd = vaddq_u32(self.abcd, before.abcd);
        self.efgh = vaddq_u32(self.efgh, before.efgh);
    }
}

super::interleaved! {
    #[inline]
    #[target_feature(enable = "neon,sha2")]
    u32, 8 words, 64 bytes, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
}
