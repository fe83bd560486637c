//! SHA-1 with the instructions of AArch64, `N` messages interleaved: one message waits for every
//! `sha1c`, `sha1p` or `sha1m`, and the others fill the time. State: five words per message,
//! message after message.

use crate::sha1::K;
use core::arch::aarch64::*;

/// One message at work.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pub(crate) abcd: uint32x4_t,
    e: u32,
    /// The last sixteen words of the schedule.
    w: [uint32x4_t; 4],
}

impl Lane {
    /// # Safety
    /// Five words can be read.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) unsafe fn load(state: *const u32) -> Lane {
        // SAFETY: the caller's promise.
        unsafe { Lane { abcd: vld1q_u32(state), e: state.add(4).read(), w: [vdupq_n_u32(0); 4] } }
    }

    /// # Safety
    /// Five words can be written.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) unsafe fn store(self, state: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe {
            vst1q_u32(state, self.abcd);
            state.add(4).write(self.e);
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
            w[I % 4] = vsha1su1q_u32(vsha1su0q_u32(w[I % 4], w[(I + 1) % 4], w[(I + 2) % 4]), w[(I + 3) % 4]);
        }
        let wk = vaddq_u32(w[I % 4], vdupq_n_u32(K[I / 5]));
        // In four rounds `e` becomes the present `a`, rotated.
        let e = vsha1h_u32(vgetq_lane_u32::<0>(self.abcd));
        self.abcd = match I / 5 {
            0 => vsha1cq_u32(self.abcd, self.e, wk),
            2 => vsha1mq_u32(self.abcd, self.e, wk),
            _ => vsha1pq_u32(self.abcd, self.e, wk),
        };
        self.e = e;
    }

    /// Ends a block that began with the state `before`.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn add(&mut self, before: &Lane) {
        self.abcd = vaddq_u32(self.abcd, before.abcd);
        self.e = self.e.wrapping_add(before.e);
    }
}

super::interleaved! {
    #[inline]
    #[target_feature(enable = "neon,sha2")]
    u32, 5 words, 64 bytes, [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19]
}
