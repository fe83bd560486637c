//! Many leaves at once, one per lane of the permutation's kernels.

use pfh_digest::{Executor, Task};
use pfh_kernel::{Compression, Kernel};

use crate::sponge::{Sponge, pad};

/// Leaves that go together: as many as the widest kernel has lanes.
pub(crate) const COMPANY: usize = 8;

/// The function over leaves: a sponge whose output is the leaf's chaining value.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    /// Keccak-p[1600] with 12 or 24 rounds.
    pub(crate) permutation: &'static Compression<u64>,
    /// Bytes per block: 168 or 136.
    pub(crate) rate: usize,
    /// The last bits of a leaf and the first bit of the padding.
    pub(crate) domain: u8,
    /// Bytes of a chaining value: 32 or 64, a multiple of a word and less than a block.
    pub(crate) value: usize,
}

impl Leaf {
    /// The chaining value of one leaf of any length.
    pub(crate) fn chain_one(&self, leaf: &[u8], value: &mut [u8]) {
        let mut sponge = Sponge::new(self.permutation, self.rate);
        sponge.absorb(leaf);
        sponge.squeeze(self.domain, value);
    }

    /// The chaining values of leaves, all of a length; `values` has the room for just as many.
    pub(crate) fn chain(&self, leaves: &[&[u8]], values: &mut [u8]) {
        self.chain_from(&[0; 25], leaves, values);
    }

    /// The same with sponges that have absorbed whole blocks up to this state.
    pub(crate) fn chain_from(&self, state: &[u64; 25], mut leaves: &[&[u8]], values: &mut [u8]) {
        assert_eq!(leaves.len(), values.len() / self.value, "leaves and values");
        let mut values = values.chunks_exact_mut(self.value);
        while !leaves.is_empty() {
            let kernel = self.permutation.many(leaves.len());
            let (now, later) = leaves.split_at(leaves.len().min(kernel.lanes()));
            self.chain_group(kernel, state, now, &mut values);
            leaves = later;
        }
    }

    /// [`chain`](Leaf::chain), shared out among the executor's threads in whole companies.
    pub(crate) fn chain_on(&self, leaves: &[&[u8]], values: &mut [u8], executor: &dyn Executor) {
        // Several shares for each thread: one that is held up holds up no more than its share.
        let share = leaves.len().div_ceil(4 * executor.width()).next_multiple_of(COMPANY);
        if executor.width() == 1 || share >= leaves.len() {
            return self.chain(leaves, values);
        }
        let shares = leaves.chunks(share).zip(values.chunks_mut(share * self.value));
        executor.run(shares.map(|(leaves, values)| Box::new(move || self.chain(leaves, values)) as Task<'_>).collect());
    }

    /// The chaining values of at most as many leaves as the kernel has lanes, all of a length.
    fn chain_group<'a>(
        &self,
        kernel: &Kernel<u64>,
        begun: &[u64; 25],
        leaves: &[&[u8]],
        values: &mut impl Iterator<Item = &'a mut [u8]>,
    ) {
        let mut state = vec![0; kernel.state_length()];
        for (word, value) in begun.iter().enumerate() {
            (0..kernel.lanes()).for_each(|lane| state[kernel.position(word, lane)] = *value);
        }
        // An empty lane repeats the first leaf.
        let lane = |index: usize| *leaves.get(index).unwrap_or(&leaves[0]);
        let messages: Vec<&[u8]> = (0..kernel.lanes()).map(lane).collect();
        let blocks = leaves[0].len() / self.rate;
        if blocks > 0 {
            kernel.compress(&mut state, &messages, blocks, self.rate);
        }
        let rest = leaves[0].len() - blocks * self.rate;
        let mut last = vec![[0; 168]; kernel.lanes()];
        for (last, message) in last.iter_mut().zip(&messages) {
            last[..rest].copy_from_slice(&message[message.len() - rest..]);
            pad(&mut last[..self.rate], rest, self.domain);
        }
        let last: Vec<&[u8]> = last.iter().map(|last| &last[..self.rate]).collect();
        kernel.compress(&mut state, &last, 1, self.rate);
        for (index, value) in values.take(leaves.len()).enumerate() {
            for (word, bytes) in value.chunks_exact_mut(8).enumerate() {
                bytes.copy_from_slice(&state[kernel.position(word, index)].to_le_bytes());
            }
        }
    }
}
