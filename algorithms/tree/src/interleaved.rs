//! Trees of fixed shape: the blocks of the message are dealt out to the leaves like cards, and the
//! final node hashes their chaining values. `docs/spec/sakura.md` has the coding.

use std::borrow::Cow;
use std::ops::Range;

use pfh_digest::{Alone, Executor, Rope, State, Task, Value};
use pfh_kernel::{KECCAK24, Kernel};

use crate::sponge::{Sponge, length_encode};

/// Leaves unless stated: two kernels' worth of the widest lanes, so that two threads have full
/// lanes.
pub(crate) const LEAVES: usize = 16;

/// Sponge blocks in an interleaved block unless stated. Enough that lanes seldom change, few enough
/// that a round of all leaves stays in cache.
pub(crate) const SPONGE_BLOCKS: usize = 64;

/// Bytes of rounds that are absorbed in one go at most, if a round has not more.
const BATCH: usize = 36 << 20;

/// Last bits of a leaf, RawSHAKE's suffix, first bit of the padding.
const LEAF_DOMAIN: u8 = 0x3b;
/// The same of the final node.
const ROOT_DOMAIN: u8 = 0x1e;

/// The parameters of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interleaving {
    /// Leaves, for every message.
    pub(crate) leaves: usize,
    /// Bytes per sponge block.
    pub(crate) rate: usize,
    /// Bytes per interleaved block: a multiple of the rate, so that lanes absorb whole blocks.
    pub(crate) block: usize,
}

impl Interleaving {
    /// The mode with this capacity in bits; leaves and bytes of a block as usual.
    pub(crate) const fn new(capacity: u32) -> Interleaving {
        let rate = 200 - capacity as usize / 8;
        Interleaving { leaves: LEAVES, rate, block: SPONGE_BLOCKS * rate }
    }

    /// Bytes of a chaining value: as many as the capacity has.
    pub(crate) fn value(&self) -> usize {
        200 - self.rate
    }

    /// Bytes that give every leaf one block.
    pub(crate) fn round(&self) -> usize {
        self.leaves * self.block
    }

    /// The interleaved block's length in bits is the first, which is odd, times two to the power of
    /// the second; `None` if that takes more than a byte.
    pub(crate) fn coded_block(&self) -> Option<[u8; 2]> {
        let bits = 8 * self.block as u64;
        let exponent = bits.trailing_zeros();
        Some([u8::try_from(bits >> exponent).ok()?, exponent as u8])
    }

    /// An empty leaf, or one whose whole blocks have been absorbed into this state.
    pub(crate) fn leaf(&self, state: [u64; 25]) -> Sponge {
        Sponge::resumed(&KECCAK24, self.rate, state)
    }

    /// The chaining value of a leaf that has absorbed all but its last bytes.
    pub(crate) fn chain(&self, mut leaf: Sponge, last: &[u8]) -> Vec<u8> {
        leaf.absorb(last);
        let mut value = vec![0; self.value()];
        leaf.squeeze(LEAF_DOMAIN, &mut value);
        value
    }

    /// The final node over the chaining values.
    pub(crate) fn root(&self, values: &[u8], digest: &mut [u8]) {
        let mut root = Sponge::new(&KECCAK24, self.rate);
        root.absorb(values);
        root.absorb(&length_encode(self.leaves as u64));
        root.absorb(&self.coded_block().expect("looked at when the mode was made"));
        root.squeeze(ROOT_DOMAIN, digest);
    }
}

/// Some leaves under one kernel, at most as many as it has lanes.
#[derive(Clone)]
struct Group {
    kernel: &'static Kernel<u64>,
    /// The numbers of its leaves.
    leaves: Range<usize>,
    state: Vec<u64>,
}

impl Group {
    /// Divides these leaves, which are empty, into groups under the kernels that finish them
    /// soonest.
    fn over(mut leaves: Range<usize>) -> Vec<Group> {
        let mut groups = Vec::new();
        while !leaves.is_empty() {
            let kernel = KECCAK24.many(leaves.len());
            let end = leaves.end.min(leaves.start + kernel.lanes());
            groups.push(Group { kernel, leaves: leaves.start..end, state: vec![0; kernel.state_length()] });
            leaves.start = end;
        }
        groups
    }

    /// Takes this group's blocks out of whole rounds.
    fn absorb(&mut self, mode: &Interleaving, rounds: &[Cow<'_, [u8]>]) {
        let first = self.leaves.start;
        for round in rounds {
            // A lane beyond the last leaf repeats the group's first leaf; nobody reads its result.
            let leaf = |lane: usize| if lane < self.leaves.len() { first + lane } else { first };
            let blocks: Vec<&[u8]> =
                (0..self.kernel.lanes()).map(|lane| &round[leaf(lane) * mode.block..][..mode.block]).collect();
            self.kernel.compress(&mut self.state, &blocks, mode.block / mode.rate, mode.rate);
        }
    }

    /// The states of its leaves.
    fn states(&self) -> impl Iterator<Item = [u64; 25]> {
        let word = move |lane| move |word| self.state[self.kernel.position(word, lane)];
        (0..self.leaves.len()).map(move |lane| std::array::from_fn(word(lane)))
    }

    /// Lets its leaves have these states, which are as many.
    fn resume<'a>(&mut self, states: impl Iterator<Item = &'a [u64; 25]>) {
        for (lane, state) in (0..self.leaves.len()).zip(states) {
            for (word, value) in state.iter().enumerate() {
                self.state[self.kernel.position(word, lane)] = *value;
            }
        }
    }
}

/// One message under an [`Interleaving`].
#[derive(Clone)]
pub(crate) struct InterleavedMessage {
    mode: Interleaving,
    groups: Vec<Group>,
    /// Less than a round.
    pending: Vec<u8>,
}

impl InterleavedMessage {
    pub(crate) fn new(mode: Interleaving) -> InterleavedMessage {
        InterleavedMessage { mode, groups: Group::over(0..mode.leaves), pending: Vec::new() }
    }

    /// One whose leaves have absorbed whole rounds up to these states.
    pub(crate) fn resumed(mode: Interleaving, states: &[[u64; 25]]) -> InterleavedMessage {
        let mut resumed = InterleavedMessage::new(mode);
        resumed.resume(states);
        resumed
    }

    fn resume(&mut self, states: &[[u64; 25]]) {
        self.groups.iter_mut().for_each(|group| group.resume(states[group.leaves.clone()].iter()));
    }

    fn states(&self) -> Vec<[u64; 25]> {
        self.groups.iter().flat_map(Group::states).collect()
    }

    /// The states of the leaves after whole rounds, and the bytes behind those.
    pub(crate) fn parts(&self) -> (Vec<[u64; 25]>, &[u8]) {
        (self.states(), &self.pending)
    }

    /// The chaining values of all leaves, were this the end of the message.
    pub(crate) fn values(&self) -> Vec<u8> {
        let (states, pending) = self.parts();
        // Unequal ends, so each leaf is ended alone.
        let mut blocks = pending.chunks(self.mode.block);
        let mut chain = |state| self.mode.chain(self.mode.leaf(state), blocks.next().unwrap_or(&[]));
        states.into_iter().flat_map(&mut chain).collect()
    }

    /// Takes in whole rounds, shared out among the executor's threads: whole groups, or where there
    /// are more threads than groups as many leaves to each, down to one.
    fn absorb(&mut self, rounds: &[Cow<'_, [u8]>], executor: &dyn Executor) {
        let mode = self.mode;
        if executor.width() <= self.groups.len() {
            return share(&mut self.groups, &mode, rounds, executor);
        }
        let shares = executor.width().min(mode.leaves);
        let ends = even(mode.leaves, shares);
        let mut states = self.states();
        let mut narrow: Vec<Vec<Group>> = ends.map(Group::over).collect();
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for groups in &mut narrow {
            groups.iter_mut().for_each(|group| group.resume(states[group.leaves.clone()].iter()));
            tasks.push(Box::new(|| groups.iter_mut().for_each(|group| group.absorb(&mode, rounds))));
        }
        executor.run(tasks);
        let groups = narrow.iter().flatten();
        for (state, now) in states.iter_mut().zip(groups.flat_map(Group::states)) {
            *state = now;
        }
        self.resume(&states);
    }
}

/// Lets groups absorb rounds, as many groups on each of the executor's threads. There are at least
/// as many groups as threads.
fn share(groups: &mut [Group], mode: &Interleaving, rounds: &[Cow<'_, [u8]>], executor: &dyn Executor) {
    let mut rest = groups;
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for share in even(rest.len(), executor.width()) {
        let (groups, others) = rest.split_at_mut(share.len());
        rest = others;
        tasks.push(Box::new(move || groups.iter_mut().for_each(|group| group.absorb(mode, rounds))));
    }
    executor.run(tasks);
}

/// That many things in consecutive shares whose sizes differ by at most one, the larger first.
fn even(things: usize, shares: usize) -> impl Iterator<Item = Range<usize>> {
    (0..shares).map(move |share| (share * things).div_ceil(shares)..((share + 1) * things).div_ceil(shares))
}

impl State for InterleavedMessage {
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
            let batch = (BATCH / round).max(1);
            let rounds: Vec<_> = (0..whole.min(batch)).map(|_| rope.take(round)).collect();
            self.absorb(&rounds, executor);
            whole -= rounds.len();
        }
        rope.rest(&mut self.pending);
    }

    fn divides(&self) -> bool {
        true
    }

    fn finalize(self: Box<Self>, length: usize) -> Value {
        let values = self.values();
        Value::filled(length, |digest| self.mode.root(&values, digest))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
