//! The test that every kernel passes before it is used: the standard's example in every lane, then different messages in all lanes
//! against the portable kernel, which is held to the same example.

use crate::kernel::{Compression, Kernel, Word};

/// Blocks that the comparison with the portable kernel takes.
const BLOCKS: usize = 2;

/// Whether `kernel` computes what `compression` should.
pub(crate) fn passes<W: Word>(compression: &Compression<W>, kernel: &Kernel<W>) -> bool {
    let portable = compression.kernels.last().expect("every table ends with the portable kernel");
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
    (0..kernel.lanes).all(|lane| (0..known.after.len()).all(|word| state[kernel.position(word, lane)] == known.after[word]))
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
