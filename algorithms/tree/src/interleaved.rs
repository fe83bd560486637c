//! Trees of fixed shape: the blocks of the message are dealt out to sixteen leaves like cards, and
//! the final node hashes the sixteen chaining values. `docs/sakura.md` has the coding.

use std::borrow::Cow;

use pfh_digest::{Alone, Executor, Rope, State, Task, Value};
use pfh_kernel::{Compression, KECCAK24, Kernel};

use crate::sponge::{Sponge, length_encode};

/// Leaves, whatever the message: two kernels' worth of the widest lanes, so that two threads have
/// full lanes.
const LEAVES: usize = 16;

/// Sponge blocks in an interleaved block. Enough that lanes seldom change, few enough that a round
/// of all leaves stays in cache.
const SPONGE_BLOCKS: usize = 64;

/// Rounds that are absorbed in one go at most: some 36 MiB.
const BATCH: usize = 256;

/// Last bits of a leaf, RawSHAKE's suffix, first bit of the padding.
const LEAF_DOMAIN: u8 = 0x3b;
/// The same of the final node.
const ROOT_DOMAIN: u8 = 0x1e;

/// The parameters of a mode.
#[derive(Clone, Copy)]
pub(crate) struct Interleaving {
    permutation: &'static Compression<u64>,
    /// Bytes per sponge block.
    rate: usize,
    /// Bytes per chaining value.
    value: usize,
    /// The interleaved block's length in bits is the first times two to the power of the second.
    coded_block: [u8; 2],
}

/// Over RawSHAKE128: blocks of 10,752 bytes.
pub(crate) static SAKURA_LI_128: Interleaving =
    Interleaving { permutation: &KECCAK24, rate: 168, value: 32, coded_block: [21, 12] };
/// Over RawSHAKE256: blocks of 8,704 bytes.
pub(crate) static SAKURA_LI_256: Interleaving =
    Interleaving { permutation: &KECCAK24, rate: 136, value: 64, coded_block: [17, 12] };

impl Interleaving {
    fn block(&self) -> usize {
        SPONGE_BLOCKS * self.rate
    }

    /// Bytes that give every leaf one block.
    fn round(&self) -> usize {
        LEAVES * self.block()
    }
}

/// Some leaves under one kernel, as many as it has lanes.
#[derive(Clone)]
struct Group {
    kernel: &'static Kernel<u64>,
    state: Vec<u64>,
}

impl Group {
    /// Takes this group's blocks out of whole rounds; `first` is the number of its first leaf.
    fn absorb(&mut self, mode: &Interleaving, first: usize, rounds: &[Cow<'_, [u8]>]) {
        for round in rounds {
            // A lane beyond the last leaf does the group's first over again; nobody reads it.
            let leaf = |lane: usize| if first + lane < LEAVES { first + lane } else { first };
            let blocks: Vec<&[u8]> =
                (0..self.kernel.lanes()).map(|lane| &round[leaf(lane) * mode.block()..][..mode.block()]).collect();
            self.kernel.compress(&mut self.state, &blocks, SPONGE_BLOCKS, mode.rate);
        }
    }

    /// The state of one lane.
    fn lane(&self, lane: usize) -> [u64; 25] {
        std::array::from_fn(|word| self.state[self.kernel.position(word, lane)])
    }
}

/// One message under an [`Interleaving`].
#[derive(Clone)]
pub(crate) struct Interleaved {
    mode: Interleaving,
    groups: Vec<Group>,
    /// Less than a round.
    pending: Vec<u8>,
}

impl Interleaved {
    pub(crate) fn new(mode: Interleaving) -> Interleaved {
        let kernel = mode.permutation.many(LEAVES);
        let group = Group { kernel, state: vec![0; kernel.state_length()] };
        Interleaved { mode, groups: vec![group; LEAVES.div_ceil(kernel.lanes())], pending: Vec::new() }
    }

    /// Takes in whole rounds, the groups shared out among the executor's threads.
    fn absorb(&mut self, rounds: &[Cow<'_, [u8]>], executor: &dyn Executor) {
        let mode = &self.mode;
        let share = self.groups.len().div_ceil(executor.width());
        let mut first = 0;
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for groups in self.groups.chunks_mut(share) {
            let lanes: usize = groups.iter().map(|group| group.kernel.lanes()).sum();
            tasks.push(Box::new(move || {
                let mut first = first;
                for group in groups {
                    group.absorb(mode, first, rounds);
                    first += group.kernel.lanes();
                }
            }));
            first += lanes;
        }
        executor.run(tasks);
    }
}

impl State for Interleaved {
    fn update(&mut self, bytes: &[u8]) {
        self.update_on(&[bytes], &Alone);
    }

    fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        let rope = Rope::new(pieces);
        let round = self.mode.round();
        let mut whole = (self.pending.len() + rope.len()) / round;
        if whole == 0 {
            return rope.rest(&mut self.pending);
        }
        let pending = std::mem::take(&mut self.pending);
        let all: Vec<&[u8]> = std::iter::once(&pending[..]).chain(pieces.iter().copied()).collect();
        let mut rope = Rope::new(&all);
        while whole > 0 {
            let rounds: Vec<_> = (0..whole.min(BATCH)).map(|_| rope.take(round)).collect();
            self.absorb(&rounds, executor);
            whole -= rounds.len();
        }
        rope.rest(&mut self.pending);
    }

    fn divides(&self) -> bool {
        true
    }

    fn finalize(self: Box<Self>, length: usize) -> Value {
        let mode = self.mode;
        let mut root = Sponge::new(mode.permutation, mode.rate);
        // Unequal ends, so each leaf goes on alone.
        let mut blocks = self.pending.chunks(mode.block());
        let leaves = self.groups.iter().flat_map(|group| (0..group.kernel.lanes()).map(|lane| group.lane(lane)));
        for state in leaves.take(LEAVES) {
            let mut leaf = Sponge::resumed(mode.permutation, mode.rate, state);
            leaf.absorb(blocks.next().unwrap_or(&[]));
            let mut value = [0; 64];
            let value = &mut value[..mode.value];
            leaf.squeeze(LEAF_DOMAIN, value);
            root.absorb(value);
        }
        root.absorb(&length_encode(LEAVES as u64));
        root.absorb(&mode.coded_block);
        Value::filled(length, |digest| root.squeeze(ROOT_DOMAIN, digest))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
