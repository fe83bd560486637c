//! Trees of two levels whose final node grows with the message: leaf after leaf, each of the same
//! length, gives a chaining value, and the final node hashes those. KangarooTwelve, ParallelHash
//! and the generic Sakura mode differ in the bytes around them.

use pfh_digest::encoding::{left_encode, padded, right_encode};
use pfh_digest::{Alone, Executor, Rope, State, UnitState, Units, Value};
use pfh_kernel::{Compression, KECCAK12, KECCAK24};

use crate::lanes::{COMPANY, Leaf};
use crate::sponge::{Sponge, length_encode};

/// Bytes of a leaf in all registered modes.
pub(crate) const LEAF: usize = 8192;

/// Leaves whose chaining values are computed in one go at most, which bounds their memory: 32 MiB
/// of the usual leaves, long enough for threads to be worth starting.
const BATCH: usize = 4096;

/// The bytes between the first leaf and the chaining values in KangarooTwelve's final node (RFC
/// 9861, section 3.2): 1 1 0 and zeros.
pub(crate) const HOP: [u8; 8] = [3, 0, 0, 0, 0, 0, 0, 0];

/// A mode: how leaves and final node are coded.
#[derive(Clone, Copy)]
pub struct Mode {
    leaf: Leaf,
    frame: Frame,
}

/// The bytes around the chaining values in the final node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// RFC 9861, section 3.2: the final node begins with the first leaf itself.
    Kangaroo,
    /// SP 800-185, section 6.3: cSHAKE over block length, chaining values, their number and the
    /// length of the output.
    Parallel(Length),
    /// docs/spec/sakura.md: nothing but the chaining values and their number.
    Plain,
}

/// Whether the digest depends on the length asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Bound,
    Extendable,
}

const fn mode(permutation: &'static Compression<u64>, rate: usize, domain: u8, value: usize, frame: Frame) -> Mode {
    Mode { leaf: Leaf { permutation, rate, domain, value }, frame }
}

impl Mode {
    /// KT128 of RFC 9861.
    pub const KT128: Mode = mode(&KECCAK12, 168, 0x0b, 32, Frame::Kangaroo);
    /// KT256 of RFC 9861.
    pub const KT256: Mode = mode(&KECCAK12, 136, 0x0b, 64, Frame::Kangaroo);
    /// ParallelHash128 of SP 800-185.
    pub const PARALLELHASH128: Mode = mode(&KECCAK24, 168, 0x1f, 32, Frame::Parallel(Length::Bound));
    /// ParallelHash256 of SP 800-185.
    pub const PARALLELHASH256: Mode = mode(&KECCAK24, 136, 0x1f, 64, Frame::Parallel(Length::Bound));
    /// ParallelHashXOF128 of SP 800-185.
    pub const PARALLELHASHXOF128: Mode = mode(&KECCAK24, 168, 0x1f, 32, Frame::Parallel(Length::Extendable));
    /// ParallelHashXOF256 of SP 800-185.
    pub const PARALLELHASHXOF256: Mode = mode(&KECCAK24, 136, 0x1f, 64, Frame::Parallel(Length::Extendable));
    /// Final node growing over RawSHAKE128.
    pub const SAKURA_FNG_128: Mode = mode(&KECCAK24, 168, 0x3b, 32, Frame::Plain);
    /// Final node growing over RawSHAKE256.
    pub const SAKURA_FNG_256: Mode = mode(&KECCAK24, 136, 0x3b, 64, Frame::Plain);

    /// The same over a sponge of another capacity, in bits: a multiple of 64 from 256 to 768. A
    /// chaining value has as many bits as the capacity.
    pub(crate) const fn with_capacity(self, bits: u32) -> Mode {
        assert!(bits.is_multiple_of(64) && bits >= 256 && bits <= 768);
        let bytes = bits as usize / 8;
        Mode { leaf: Leaf { rate: 200 - bytes, value: bytes, ..self.leaf }, ..self }
    }

    /// The function over leaves.
    pub(crate) fn leaf(self) -> Leaf {
        self.leaf
    }

    /// Whether the final node begins with the first leaf itself.
    pub(crate) fn hops(self) -> bool {
        self.frame == Frame::Kangaroo
    }

    /// The bytes behind the message: the empty customization string of KangarooTwelve.
    pub(crate) fn suffix(self) -> &'static [u8] {
        if self.hops() { &[0] } else { &[] }
    }

    /// Whether a message of one leaf is its own final node.
    pub(crate) fn has_single(self) -> bool {
        !matches!(self.frame, Frame::Parallel(_))
    }

    /// The last bits of a final node that is the message, and the first bit of the padding.
    fn single_domain(self) -> u8 {
        if self.hops() { 0x07 } else { 0x1f }
    }

    /// The digest of a message of one leaf, its suffix included.
    pub(crate) fn single(self, message: &[u8], digest: &mut [u8]) {
        let mut root = Sponge::new(self.leaf.permutation, self.leaf.rate);
        root.absorb(message);
        root.squeeze(self.single_domain(), digest);
    }

    /// The final node before any leaf.
    pub(crate) fn begin(self, customization: &[u8], leaf_length: usize) -> Sponge {
        let mut root = Sponge::new(self.leaf.permutation, self.leaf.rate);
        if let Frame::Parallel(_) = self.frame {
            root.absorb(&padded(&[b"ParallelHash", customization], self.leaf.rate));
            root.absorb(&left_encode(leaf_length as u64));
        }
        root
    }

    /// The digest of a message of several leaves: of the first one, if the final node begins with
    /// it, and the chaining values of the others.
    pub(crate) fn root(self, leaf_length: usize, first: &[u8], values: &[u8], digest: &mut [u8]) {
        let mut root = self.begin(b"", leaf_length);
        if self.hops() {
            root.absorb(first);
            root.absorb(&HOP);
        }
        root.absorb(values);
        self.end(root, (values.len() / self.leaf.value) as u64, digest);
    }

    /// Ends a final node with this number of chaining values.
    pub(crate) fn end(self, mut root: Sponge, values: u64, digest: &mut [u8]) {
        let (end, domain) = match self.frame {
            Frame::Kangaroo => ([&length_encode(values)[..], &[0xff, 0xff]].concat(), 0x06),
            Frame::Plain => ([&length_encode(values)[..], &[0xff, 0xff]].concat(), 0x1e),
            Frame::Parallel(length) => {
                let bits = if length == Length::Bound { 8 * digest.len() as u64 } else { 0 };
                ([right_encode(values), right_encode(bits)].concat(), 0x04)
            }
        };
        root.absorb(&end);
        root.squeeze(domain, digest);
    }
}

/// One message under a [`Mode`].
#[derive(Clone)]
pub struct Growing {
    mode: Mode,
    leaf_length: usize,
    /// Of KangarooTwelve only: it comes after the message.
    customization: Vec<u8>,
    /// The end of the message so far: leaves that have no chaining value yet, at most [`COMPANY`].
    /// A leaf leaves this buffer only when more of the message follows it, so that the form of the
    /// final node is known by then.
    pending: Vec<u8>,
    /// Chaining values in the final node.
    values: u64,
    /// Whether any leaf has left `pending`.
    grown: bool,
    root: Sponge,
}

impl Growing {
    /// The empty message with leaves of 8,192 bytes. The customization string is that of RFC 9861
    /// and SP 800-185; the generic Sakura mode has none and ignores it.
    pub fn new(mode: Mode, customization: &[u8]) -> Growing {
        Growing::with_leaf_length(mode, customization, LEAF)
    }

    /// As [`new`](Growing::new) with leaves of another length: the block size B of ParallelHash.
    ///
    /// # Panics
    /// If `leaf_length` is 0, or not 8,192 under KangarooTwelve, which knows no other.
    pub fn with_leaf_length(mode: Mode, customization: &[u8], leaf_length: usize) -> Growing {
        assert!(leaf_length > 0 && (mode.frame != Frame::Kangaroo || leaf_length == LEAF), "leaf length {leaf_length}");
        let root = mode.begin(customization, leaf_length);
        let customization = if mode.frame == Frame::Kangaroo { customization.to_vec() } else { Vec::new() };
        Growing { mode, leaf_length, customization, pending: Vec::new(), values: 0, grown: false, root }
    }

    /// Takes in the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.update_on(&[bytes], &Alone);
    }

    /// As [`update`](Growing::update) with one of the consecutive pieces after the other, leaves
    /// hashed by the executor's threads.
    pub fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        let rope = Rope::new(pieces);
        let company = COMPANY * self.leaf_length;
        let total = self.pending.len() + rope.len();
        if total <= company {
            return rope.rest(&mut self.pending);
        }
        let pending = std::mem::take(&mut self.pending);
        let all: Vec<&[u8]> = std::iter::once(&pending[..]).chain(pieces.iter().copied()).collect();
        let mut rope = Rope::new(&all);
        // At least one byte stays pending, and at most a company.
        let stays = total - (total - 1) / company * company;
        self.grow(&mut rope, stays, executor);
        rope.rest(&mut self.pending);
    }

    /// Ends the message and writes its digest.
    pub fn finalize(mut self, digest: &mut [u8]) {
        if self.mode.frame == Frame::Kangaroo {
            let customization = std::mem::take(&mut self.customization);
            self.update(&customization);
            self.update(&length_encode(customization.len() as u64));
        }
        let single = !self.grown && self.pending.len() <= self.leaf_length;
        let pending = std::mem::take(&mut self.pending);
        if single && self.mode.has_single() {
            self.root.absorb(&pending);
            return self.root.squeeze(self.mode.single_domain(), digest);
        }
        self.grow(&mut Rope::new(&[&pending]), 0, &Alone);
        self.mode.end(self.root, self.values, digest);
    }

    /// Takes leaves into the final node, all of the rope but its last `stays` bytes; the last leaf
    /// may be shorter than the others if it ends the message.
    fn grow(&mut self, rope: &mut Rope<'_>, stays: usize, executor: &dyn Executor) {
        if rope.len() == stays {
            return;
        }
        if self.mode.frame == Frame::Kangaroo && !self.grown {
            self.root.absorb(&rope.take(self.leaf_length));
            self.root.absorb(&HOP);
        }
        self.grown = true;
        let leaf = self.mode.leaf;
        let mut values = Vec::new();
        while rope.len() - stays >= self.leaf_length {
            let count = BATCH.min((rope.len() - stays) / self.leaf_length);
            let leaves: Vec<_> = (0..count).map(|_| rope.take(self.leaf_length)).collect();
            let leaves: Vec<&[u8]> = leaves.iter().map(|leaf| &leaf[..]).collect();
            values.resize(count * leaf.value, 0);
            leaf.chain_on(&leaves, &mut values, executor);
            self.root.absorb(&values);
            self.values += count as u64;
        }
        if rope.len() > stays {
            values.resize(leaf.value, 0);
            leaf.chain_one(&rope.take(rope.len() - stays), &mut values);
            self.root.absorb(&values);
            self.values += 1;
        }
    }
}

impl State for Growing {
    fn update(&mut self, bytes: &[u8]) {
        Growing::update(self, bytes);
    }

    fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        Growing::update_on(self, pieces, executor);
    }

    fn divides(&self) -> bool {
        true
    }

    fn apart(&mut self) -> Option<&mut dyn UnitState> {
        Some(self)
    }

    fn finalize(self: Box<Self>, length: usize) -> Value {
        Value::filled(length, |value| Growing::finalize(*self, value))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

impl UnitState for Growing {
    fn units(&self) -> Box<dyn Units> {
        Box::new(Leaves { leaf: self.mode.leaf, length: self.leaf_length })
    }

    fn join(&mut self, values: &[u8]) {
        let pending = std::mem::take(&mut self.pending);
        assert!(pending.len().is_multiple_of(self.leaf_length), "whole leaves before one that was hashed apart");
        self.grow(&mut Rope::new(&[&pending]), 0, &Alone);
        assert!(self.grown, "the first leaf is not hashed apart");
        assert!(values.len().is_multiple_of(self.mode.leaf.value), "whole values");
        self.root.absorb(values);
        self.values += (values.len() / self.mode.leaf.value) as u64;
    }
}

/// Leaves that are hashed apart.
struct Leaves {
    leaf: Leaf,
    length: usize,
}

impl Units for Leaves {
    fn length(&self) -> usize {
        self.length
    }

    fn values(&self, _offset: u64, units: &[u8], values: &mut Vec<u8>) {
        let leaves: Vec<&[u8]> = units.chunks_exact(self.length).collect();
        let before = values.len();
        values.resize(before + leaves.len() * self.leaf.value, 0);
        self.leaf.chain(&leaves, &mut values[before..]);
    }
}
