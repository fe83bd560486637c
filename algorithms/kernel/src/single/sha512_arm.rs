//! SHA-512 with the instructions of AArch64, `N` messages interleaved: one message waits for every
//! `sha512h`, and the others fill the time. State: eight words per message, message after message.

use crate::sha512::K;
use core::arch::aarch64::*;

/// One message at work. Of each pair of words the first stands in the low half.
#[derive(Clone, Copy)]
struct Lane {
    /// `ab`, `cd`, `ef`, `gh`.
    state: [uint64x2_t; 4],
    /// The last sixteen words of the schedule.
    w: [uint64x2_t; 8],
}

impl Lane {
    /// # Safety
    /// Eight words can be read.
    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn load(state: *const u64) -> Lane {
        // SAFETY: the caller's promise.
        let pair = |i: usize| unsafe { vld1q_u64(state.add(2 * i)) };
        Lane { state: [pair(0), pair(1), pair(2), pair(3)], w: [vdupq_n_u64(0); 8] }
    }

    /// # Safety
    /// Eight words can be written.
    #[inline]
    #[target_feature(enable = "neon")]
    unsafe fn store(self, state: *mut u64) {
        for (i, pair) in self.state.into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { vst1q_u64(state.add(2 * i), pair) };
        }
    }

    /// Rounds 2 · `I` and 2 · `I` + 1 of a block.
    ///
    /// # Safety
    /// The CPU has the instructions; 128 bytes can be read from `block`.
    #[inline]
    #[target_feature(enable = "neon,sha3")]
    unsafe fn rounds<const I: usize>(&mut self, block: *const u8) {
        let w = &mut self.w;
        if I < 8 {
            // SAFETY: the caller promises 128 bytes.
            w[I % 8] = vreinterpretq_u64_u8(vrev64q_u8(unsafe { vld1q_u8(block.add(16 * I)) }));
        } else {
            let seven_ago = vextq_u64::<1>(w[(I + 4) % 8], w[(I + 5) % 8]);
            w[I % 8] = vsha512su1q_u64(vsha512su0q_u64(w[I % 8], w[(I + 1) % 8]), w[(I + 7) % 8], seven_ago);
        }
        // SAFETY: there are 80 constants.
        let wk = vaddq_u64(w[I % 8], unsafe { vld1q_u64(K.as_ptr().add(2 * I)) });
        let [ab, cd, ef, gh] = self.state;
        // The first round takes its word and `h` from the high half, the second its word and `g`
        // from the low one. The result is, in the same order, what the standard calls T1 (FIPS
        // 180-4, section 6.4.2).
        let sum = vaddq_u64(gh, vextq_u64::<1>(wk, wk));
        let t1 = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
        self.state = [vsha512h2q_u64(t1, cd, ab), ab, vaddq_u64(cd, t1), ef];
    }

    /// Ends a block that began with the state `before`.
    #[inline]
    #[target_feature(enable = "neon")]
    fn add(&mut self, before: &Lane) {
        for (pair, before) in self.state.iter_mut().zip(before.state) {
            *pair = vaddq_u64(*pair, before);
        }
    }
}

super::interleaved! {
    #[inline]
    #[target_feature(enable = "neon,sha3")]
    u64, 8 words, 128 bytes, [
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
        20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
    ]
}
