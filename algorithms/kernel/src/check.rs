//! The test that every kernel passes before it is used: the standard's example in every lane, then
//! different messages in all lanes against the portable kernel, which is held to the same example.

use crate::kernel::{Compression, Kernel, Word};

/// Blocks that the comparison with the portable kernel takes.
const BLOCKS: usize = 2;

/// Whether `kernel` computes the function of `compression`.
pub(crate) fn passes<W: Word>(compression: &Compression<W>, kernel: &Kernel<W>) -> bool {
    let portable = compression.portable();
    knows_example(compression, kernel) && (std::ptr::eq(kernel, portable) || agrees(compression, kernel, portable))
}

/// Runs the example in every lane.
fn knows_example<W: Word>(compression: &Compression<W>, kernel: &Kernel<W>) -> bool {
    let known = &compression.known;
    let mut block = vec![0; known.block_length];
    for &(place, byte) in known.block {
        block[place] = byte;
    }
    let mut state = states(kernel, |_, word| known.before[word]);
    kernel.compress(&mut state, &vec![&block[..]; kernel.lanes], 1, known.block_length);
    (0..kernel.lanes)
        .all(|lane| (0..known.after.len()).all(|word| state[kernel.position(word, lane)] == known.after[word]))
}

/// Gives every lane another message at another alignment, and another state to start from.
fn agrees<W: Word>(compression: &Compression<W>, kernel: &Kernel<W>, portable: &Kernel<W>) -> bool {
    let known = &compression.known;
    let length = BLOCKS * known.block_length;
    let bytes: Vec<u8> = (0..length + 97 * kernel.lanes).map(|i| (i * i * 7 + i / 3) as u8).collect();
    let messages: Vec<&[u8]> = (0..kernel.lanes).map(|lane| &bytes[97 * lane..][..length]).collect();
    // Words of the initial state in another order for every lane.
    let before = |lane: usize, word: usize| known.before[(word + lane) % known.before.len()];
    let mut state = states(kernel, before);
    kernel.compress(&mut state, &messages, BLOCKS, known.block_length);
    (0..kernel.lanes).all(|lane| {
        let mut expected = states(portable, |_, word| before(lane, word));
        portable.compress(&mut expected, &messages[lane..=lane], BLOCKS, known.block_length);
        (0..compression.words).all(|word| state[kernel.position(word, lane)] == expected[word])
    })
}

/// States of all lanes in the kernel's layout.
fn states<W: Word>(kernel: &Kernel<W>, word: impl Fn(usize, usize) -> W) -> Vec<W> {
    let mut state = vec![W::default(); kernel.state_length()];
    for lane in 0..kernel.lanes {
        for index in 0..kernel.words {
            state[kernel.position(index, lane)] = word(lane, index);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;
    use crate::kernel::{KnownAnswer, Layout};
    use std::sync::OnceLock;

    const fn kernel(lanes: usize, function: unsafe fn(*mut u32, *const &[u8], usize, usize)) -> Kernel<u32> {
        Kernel {
            name: "kernel",
            isa: Isa::Portable,
            lanes,
            layout: Layout::Messages,
            cost: 1000 / lanes as u32,
            words: 1,
            block_length: 32,
            function,
        }
    }

    /// Adds the first byte of each block.
    unsafe fn right<const LANES: usize>(state: *mut u32, messages: *const &[u8], blocks: usize, _: usize) {
        for lane in 0..LANES {
            for block in 0..blocks {
                // SAFETY: the caller has checked the lengths.
                unsafe {
                    *state.add(lane) =
                        (*state.add(lane)).rotate_left(3).wrapping_add(u32::from((&(*messages.add(lane)))[32 * block]))
                };
            }
        }
    }

    /// Gives two lanes each other's message.
    unsafe fn swapped(state: *mut u32, messages: *const &[u8], blocks: usize, length: usize) {
        // SAFETY: the caller has checked the lengths.
        let other = unsafe { [*messages.add(1), *messages] };
        // SAFETY: as above.
        unsafe { right::<2>(state, other.as_ptr(), blocks, length) }
    }

    /// Forgets all blocks but the first.
    unsafe fn lazy(state: *mut u32, messages: *const &[u8], _: usize, length: usize) {
        // SAFETY: the caller has checked the lengths.
        unsafe { right::<3>(state, messages, 1, length) }
    }

    static KERNELS: [Kernel<u32>; 4] =
        [kernel(2, swapped), kernel(3, lazy), kernel(2, right::<2>), kernel(1, right::<1>)];
    static SUM: Compression<u32> = Compression {
        name: "sum",
        words: 1,
        block_length: 32,
        kernels: &KERNELS,
        known: KnownAnswer { before: &[1], block: &[(0, 5)], block_length: 32, after: &[13] },
        chosen: OnceLock::new(),
    };

    #[test]
    fn kernels_with_wrong_answers_are_refused_and_the_next_is_taken() {
        assert_eq!(SUM.refused().len(), 2);
        assert!(std::ptr::eq(SUM.refused()[0], &KERNELS[0]));
        assert!(std::ptr::eq(SUM.refused()[1], &KERNELS[1]));
        // The clock decides which of the right ones it is.
        assert!((2..200).all(|messages| KERNELS[2..].iter().any(|right| std::ptr::eq(SUM.many(messages), right))));
        assert!(std::ptr::eq(SUM.one(), &KERNELS[3]));
    }
}
