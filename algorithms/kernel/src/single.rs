//! Kernels on dedicated instructions: messages advance one by one or a few interleaved, each with a
//! state of its own.

/// Defines `compress::<N>`: `N` messages interleaved, round by round. Where the macro is used,
/// `Lane` is one message at work, with `load`, `rounds::<I>`, `add` and `store`.
macro_rules! interleaved {
    ($(#[$attribute:meta])+ $word:ident, $words:literal words, $length:literal bytes, [$($i:literal)*]) => {
        /// Compresses `blocks` blocks of each of `N` messages.
        ///
        /// # Safety
        /// The CPU has the instructions that [`Lane`] asks for; `state` is the words of `N`
        /// messages, one after the other; `messages` points to `N` slices of at least that many
        /// blocks.
        $(#[$attribute])+
        pub(crate) unsafe fn compress<const N: usize>(state: *mut $word, messages: *const &[u8], blocks: usize) {
            // SAFETY: the caller's promise covers the instructions, the state and, since block <
            // blocks, the messages.
            unsafe {
                let mut lanes = [Lane::load(state); N];
                for (lane, loaded) in lanes.iter_mut().enumerate().skip(1) {
                    *loaded = Lane::load(state.add($words * lane));
                }
                for block in 0..blocks {
                    let before = lanes;
                    $(
                        for (lane, state) in lanes.iter_mut().enumerate() {
                            state.rounds::<$i>((*messages.add(lane)).as_ptr().add($length * block));
                        }
                    )*
                    for (lane, before) in lanes.iter_mut().zip(&before) {
                        lane.add(before);
                    }
                }
                for (lane, done) in lanes.into_iter().enumerate() {
                    done.store(state.add($words * lane));
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod mixed;
#[cfg(target_arch = "aarch64")]
pub(crate) mod sha1_arm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha1_ni;
#[cfg(target_arch = "aarch64")]
pub(crate) mod sha256_arm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_mixed;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_ni_asm;
#[cfg(target_arch = "aarch64")]
pub(crate) mod sha512_arm;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha512_mixed;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha512_pairs;

use interleaved;
