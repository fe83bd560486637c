//! BLAKE2's kernels, whose state changes before the last block, against RustCrypto's crate and that
//! of other authors.

use crate::rows::noise;
use ::blake2::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
use pfh_kernel::{BLAKE2B, BLAKE2S, Compression, Kernel, Word, blake2};
use proptest::prelude::*;

/// The digest of a message with a length in bytes.
type Oracle = fn(&[u8], usize) -> Vec<u8>;

/// One of the two functions.
struct Case<W: Word> {
    compression: &'static Compression<W>,
    block: usize,
    initial: fn(usize) -> [W; blake2::WORDS],
    end: fn(u128) -> [W; blake2::END],
    oracles: [Oracle; 2],
}

impl<W: Word> Case<W> {
    /// Messages of other lengths in every lane, all of `blocks` blocks, `steps` at a time.
    fn holds(&self, seed: u64, length: usize, blocks: usize, steps: usize) {
        let block = self.block;
        for kernel in self.compression.kernels() {
            let message = |lane: usize| {
                // The last block is full in the first lane; a single one may be empty.
                let rest = if lane == 0 { block } else { (seed as usize + 5 * lane) % block + usize::from(blocks > 1) };
                noise(seed + lane as u64, (blocks - 1) * block + rest)
            };
            let messages: Vec<Vec<u8>> = (0..kernel.lanes()).map(message).collect();
            let mut state = vec![W::default(); kernel.state_length()];
            self.set(kernel, &mut state, 0, |_| (self.initial)(length).to_vec());
            let padded: Vec<Vec<u8>> = messages
                .iter()
                .map(|message| [&message[..], &vec![0; blocks * block - message.len()]].concat())
                .collect();
            let mut done = 0;
            while done < blocks {
                let is_last = done + 1 == blocks;
                if is_last {
                    let end = |lane: usize| (self.end)(messages[lane].len() as u128).to_vec();
                    self.set(kernel, &mut state, blake2::WORDS - blake2::END, end);
                }
                let now = if is_last { 1 } else { steps.min(blocks - 1 - done) };
                let slices: Vec<&[u8]> = padded.iter().map(|bytes| &bytes[done * block..][..now * block]).collect();
                kernel.compress(&mut state, &slices, now, block);
                done += now;
            }
            for (lane, message) in messages.iter().enumerate() {
                let words = (0..8).map(|word| state[kernel.position(word, lane)].to_le_bytes());
                let bytes: Vec<u8> = words.flat_map(|word| word.as_ref().to_vec()).collect();
                for oracle in self.oracles {
                    let name = (self.compression.name(), kernel.name());
                    assert_eq!(bytes[..length], oracle(message, length), "{name:?} lane {lane}, {}", message.len());
                }
            }
        }
    }

    /// Sets words of every lane's state, from `first` on.
    fn set(&self, kernel: &Kernel<W>, state: &mut [W], first: usize, words: impl Fn(usize) -> Vec<W>) {
        for lane in 0..kernel.lanes() {
            for (word, value) in words(lane).into_iter().enumerate() {
                state[kernel.position(first + word, lane)] = value;
            }
        }
    }
}

fn rustcrypto<C: VariableOutputCore + UpdateCore>(message: &[u8], length: usize) -> Vec<u8> {
    let (mut core, mut buffer) = (C::new(length).unwrap(), Buffer::<C>::default());
    buffer.digest_blocks(message, |blocks| core.update_blocks(blocks));
    let mut whole = Default::default();
    core.finalize_variable_core(&mut buffer, &mut whole);
    whole[..length].to_vec()
}

fn b() -> Case<u64> {
    Case {
        compression: &BLAKE2B,
        block: 128,
        initial: blake2::initial_b,
        end: blake2::end_b,
        oracles: [rustcrypto::<::blake2::Blake2bVarCore>, |message, length| {
            blake2b_simd::Params::new().hash_length(length).hash(message).as_bytes().to_vec()
        }],
    }
}

fn s() -> Case<u32> {
    Case {
        compression: &BLAKE2S,
        block: 64,
        initial: blake2::initial_s,
        end: blake2::end_s,
        oracles: [rustcrypto::<::blake2::Blake2sVarCore>, |message, length| {
            blake2s_simd::Params::new().hash_length(length).hash(message).as_bytes().to_vec()
        }],
    }
}

#[test]
fn every_kernel_gives_the_digests_of_others() {
    for blocks in 1..=9 {
        for seed in 0..6 {
            b().holds(1000 * blocks as u64 + seed, 64, blocks, 1 + seed as usize % blocks);
            s().holds(1000 * blocks as u64 + seed, 32, blocks, 1 + seed as usize % blocks);
        }
    }
}

/// The number of bytes carries from one word into the next: held to the portable kernel, which the
/// next test holds to a count of its own.
#[test]
fn the_number_of_bytes_carries() {
    fn carries<W: Word + std::ops::Not<Output = W>>(compression: &'static Compression<W>, block: usize) {
        let full = !W::default();
        let message = noise(7, 2 * block);
        let run = |kernel: &Kernel<W>| {
            let mut state = vec![W::default(); kernel.state_length()];
            for lane in 0..kernel.lanes() {
                state[kernel.position(8, lane)] = if lane % 3 == 2 { W::default() } else { full };
            }
            kernel.compress(&mut state, &vec![&message[..]; kernel.lanes()], 2, block);
            (0..kernel.lanes())
                .map(|lane| (0..blake2::WORDS).map(|word| state[kernel.position(word, lane)]).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let expected = &run(compression.portable())[0];
        // All ones and two blocks: one carry, and no second one.
        assert_eq!(expected[9].to_le_bytes().as_ref()[0], 1);
        for kernel in compression.kernels() {
            for (lane, state) in run(kernel).iter().enumerate() {
                assert_eq!(state == expected, lane % 3 != 2, "{} {} lane {lane}", compression.name(), kernel.name());
            }
        }
    }
    carries(&BLAKE2B, 128);
    carries(&BLAKE2S, 64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_length_in_any_steps(seed in 0u64..1 << 40, length in 1usize..=32, blocks in 1usize..20, steps in 1usize..20) {
        b().holds(seed, 2 * length, blocks, steps);
        b().holds(seed, length, blocks, steps);
        s().holds(seed, length, blocks, steps);
    }
}
