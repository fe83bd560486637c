//! SHA-512 of one message: the rounds in general registers, the message schedule in vectors of two
//! words beside them, which leaves the registers and the places of the integer units to the rounds.

use super::mixed::round;
use crate::sha512::{K, Sha512};
use core::arch::x86_64::*;
use std::hint::black_box;

/// Rotates both words right by `R`; `L` is the rest of 64.
///
/// # Safety
/// The CPU has SSSE3, and AVX-512 VL if `VL`.
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

/// One message at work.
pub(crate) struct Lane {
    /// The state. The letters of FIPS 180-4 move from word to word, one place a round; after
    /// sixteen rounds each is where it began.
    pub(crate) state: [u64; 8],
    /// `b ^ c` of the round to come, which is `a ^ b` of the one before.
    last: u64,
    /// The last sixteen words of the schedule.
    w: [__m128i; 8],
    /// Sixteen words: the schedule with its constants, for the rounds to come. It goes through
    /// memory: the compiler would take the words out of the vectors one by one, at twice the cost.
    sums: *mut u64,
}

impl Lane {
    /// A message with this state.
    ///
    /// # Safety
    /// Eight words can be read from `state`. Until the lane is dropped, `sums` holds sixteen words
    /// that nobody else uses; the compiler must not know which (`black_box`).
    #[inline(always)]
    pub(crate) unsafe fn load(state: *const u64, sums: *mut u64) -> Lane {
        // SAFETY: the caller's promise; SSE2 belongs to every x86-64.
        unsafe { Lane { state: *state.cast(), last: 0, w: [_mm_setzero_si128(); 8], sums } }
    }

    /// Begins a block.
    ///
    /// # Safety
    /// The CPU has SSSE3; 128 bytes can be read from `block`.
    #[inline(always)]
    pub(crate) unsafe fn begin(&mut self, block: *const u8) {
        self.last = self.state[1] ^ self.state[2];
        // SAFETY: the caller's promise; the sums are sixteen words; K has eighty.
        unsafe {
            let order = _mm_set_epi64x(0x08090a0b_0c0d0e0f, 0x00010203_04050607);
            for (i, pair) in self.w.iter_mut().enumerate() {
                *pair = _mm_shuffle_epi8(_mm_loadu_si128(block.add(16 * i).cast()), order);
                let sum = _mm_add_epi64(*pair, _mm_loadu_si128(K.as_ptr().add(2 * i).cast()));
                _mm_storeu_si128(self.sums.add(2 * i).cast(), sum);
            }
        }
    }

    /// Rounds 2 · `J` and 2 · `J` + 1 of sixteen, and, unless these are the last sixteen, the two
    /// words that take the place of theirs: `k` are the constants of the next sixteen rounds.
    ///
    /// # Safety
    /// The CPU has SSSE3, and AVX-512 VL if `VL`; sixteen words can be read from `k`.
    #[inline(always)]
    pub(crate) unsafe fn pair<const VL: bool, const J: usize>(&mut self, k: Option<*const u64>) {
        // SAFETY: the caller's promise.
        unsafe {
            self.round(2 * J);
            self.round(2 * J + 1);
            if let Some(k) = k {
                schedule::<VL, J>(&mut self.w);
                let sum = _mm_add_epi64(self.w[J], _mm_loadu_si128(k.add(2 * J).cast()));
                _mm_storeu_si128(self.sums.add(2 * J).cast(), sum);
            }
        }
    }

    /// A round (FIPS 180-4, section 6.4.2, step 3).
    ///
    /// # Safety
    /// `i` is less than sixteen.
    #[inline(always)]
    unsafe fn round(&mut self, i: usize) {
        // SAFETY: the sums are sixteen words.
        round::<Sha512>(&mut self.state, &mut self.last, unsafe { self.sums.add(i).read() }, i);
    }

    /// Ends a block that began with the state `before`.
    #[inline(always)]
    pub(crate) fn add(&mut self, before: &[u64; 8]) {
        for (word, before) in self.state.iter_mut().zip(before) {
            *word = word.wrapping_add(*before);
        }
    }
}

/// Compresses `blocks` blocks of one message.
///
/// # Safety
/// The CPU has SSSE3, and AVX-512 VL if `VL`; `state` is eight words; `messages` points to a slice
/// of at least 128 · `blocks` bytes.
#[inline(always)]
pub(crate) unsafe fn compress<const VL: bool>(state: *mut u64, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let (message, before) = unsafe { ((*messages).as_ptr(), state.cast::<[u64; 8]>()) };
    let mut buffer = [0u64; 16];
    let sums = black_box(buffer.as_mut_ptr());
    for block in 0..blocks {
        // SAFETY: block < blocks; the sums are sixteen words; K has eighty.
        unsafe {
            let mut lane = Lane::load(state, sums);
            lane.begin(message.add(128 * block));
            macro_rules! sixteen {
                ($k:expr) => {
                    lane.pair::<VL, 0>($k);
                    lane.pair::<VL, 1>($k);
                    lane.pair::<VL, 2>($k);
                    lane.pair::<VL, 3>($k);
                    lane.pair::<VL, 4>($k);
                    lane.pair::<VL, 5>($k);
                    lane.pair::<VL, 6>($k);
                    lane.pair::<VL, 7>($k);
                };
            }
            for next in 1..5 {
                sixteen!(Some(K.as_ptr().add(16 * next)));
            }
            sixteen!(None);
            lane.add(&*before);
            *before = lane.state;
        }
    }
}
