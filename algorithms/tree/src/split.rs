//! One message hashed in ranges, each by itself, on any machine, and the digest of the whole from
//! their values: the digest of the algorithm, as `pfh hash` prints it.
//!
//! BLAKE3 has a subtree for each range whose length is a power of two: 32 bytes for any range. The
//! growing modes (KangarooTwelve, ParallelHash, Sakura's final node growing) have a chaining value
//! for each of their leaves. Leaf interleaving deals blocks out over the whole message, and cannot
//! be split.
//!
//! ```
//! use pfh_digest::{Alone, ROWS as PLAIN, Registry};
//! use pfh_tree::split::Split;
//! static ALL: Registry = Registry::new(&[&PLAIN, &pfh_tree::ROWS]);
//! let message = vec![7; 100_000];
//! for name in ["blake3", "kt128"] {
//!     let algorithm = ALL.find(name)?;
//!     let split = Split::new(algorithm, 32 << 10).unwrap();
//!     let mut ranges: Vec<Vec<u8>> = (0..).zip(message.chunks(32 << 10)).map(|(index, bytes)| {
//!         let mut range = split.range(index);
//!         range.update_on(bytes, &Alone);
//!         range.finish(index == 3)
//!     }).collect();
//!     let mut joined = split.join(message.len() as u64);
//!     ranges.iter().for_each(|values| joined.push(values));
//!     assert_eq!(joined.finish().as_deref(), Some(algorithm.digest(&message).bytes()));
//! }
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```

use std::fmt;

use blake3::hazmat;
use pfh_digest::{Algorithm, Executor, Rope};

use crate::Mode;
use crate::flat::{Form, Shape};
use crate::outboard::{Function, Parameters, Value};
use crate::sponge::Sponge;

/// A chunk of BLAKE3.
const CHUNK: u64 = 1024;
/// Bytes of a BLAKE3 subtree that one thread hashes in one go.
const SUBTREE: u64 = 128 << 10;
/// Leaves of a growing mode whose chaining values are computed in one go at most.
const BATCH: usize = 4096;

/// An algorithm, and the length of the ranges that messages are split into; a message has more than
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    algorithm: Algorithm,
    length: u64,
}

/// Why messages cannot be split so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsplit {
    /// The algorithm goes through a message from its first byte to its last.
    Sequential(Algorithm),
    /// The length of a range is not a power of two of at least this many bytes, which the algorithm
    /// needs.
    Power(Algorithm, u64),
    /// The length of a range is not a multiple of the algorithm's leaves, which have this many
    /// bytes.
    Multiple(Algorithm, u64),
}

impl fmt::Display for Unsplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsplit::Sequential(algorithm) => write!(
                f,
                "{algorithm} needs a file from its first byte to its last: blake3, kt128, kt256, parallelhash* and \
                 sakura-fng-* do not"
            ),
            Unsplit::Power(algorithm, least) => {
                write!(f, "ranges under {algorithm} have a power of two of bytes, {least} or more")
            }
            Unsplit::Multiple(algorithm, leaf) => {
                write!(f, "ranges under {algorithm} have a multiple of {leaf} bytes, the length of its leaves")
            }
        }
    }
}

impl std::error::Error for Unsplit {}

/// How ranges become values.
#[derive(Clone, Copy)]
enum Kind {
    /// Over subtrees of these parameters.
    Blake3(Parameters),
    /// With leaves of this many bytes.
    Growing(Mode, usize),
}

impl Split {
    /// Ranges of `length` bytes, the last one of a message excepted.
    ///
    /// # Errors
    /// When the algorithm is not a tree, or its tree has no such ranges.
    pub fn new(algorithm: Algorithm, length: u64) -> Result<Split, Unsplit> {
        if algorithm.name() == Function::Blake3.name() {
            let fits = length.is_power_of_two() && length >= CHUNK;
            return if fits { Ok(Split { algorithm, length }) } else { Err(Unsplit::Power(algorithm, CHUNK)) };
        }
        match Shape::of(algorithm).map(Shape::form) {
            Some(Form::Growing(_, leaf)) if length > 0 && length.is_multiple_of(leaf as u64) => {
                Ok(Split { algorithm, length })
            }
            Some(Form::Growing(_, leaf)) => Err(Unsplit::Multiple(algorithm, leaf as u64)),
            Some(Form::Interleaved(_)) | None => Err(Unsplit::Sequential(algorithm)),
        }
    }

    /// The algorithm.
    pub fn algorithm(self) -> Algorithm {
        self.algorithm
    }

    fn kind(self) -> Kind {
        match Shape::of(self.algorithm).map(Shape::form) {
            Some(Form::Growing(mode, leaf)) => Kind::Growing(mode, leaf),
            _ => {
                let subtree = self.length.min(SUBTREE) as usize;
                Kind::Blake3(Parameters::new(Function::Blake3, subtree).expect("a power of two within the bounds"))
            }
        }
    }

    /// The range with this index, counted from 0, without any content yet.
    pub fn range(self, index: u64) -> Range {
        let (pending, values) = (Vec::new(), Vec::new());
        let kind = self.kind();
        let next = match kind {
            Kind::Blake3(parameters) => index * (self.length / parameters.leaf_length() as u64),
            Kind::Growing(..) => index,
        };
        Range { kind, next, pending, values, subtrees: Subtrees::default() }
    }

    /// A message of `length` bytes, without any range yet.
    pub fn join(self, length: u64) -> JoinedMessage {
        let kind = self.kind();
        let (expected, root) = match kind {
            Kind::Blake3(_) => (length.div_ceil(self.length), None),
            Kind::Growing(mode, leaf) => {
                let leaves = (length + mode.suffix().len() as u64).div_ceil(leaf as u64);
                (leaves - u64::from(mode.hops()).min(leaves), Some(mode.begin(b"", leaf)))
            }
        };
        let digest = vec![0; self.algorithm.length()];
        JoinedMessage {
            kind,
            expected,
            came: 0,
            begun: false,
            whole: true,
            subtrees: Subtrees::default(),
            root,
            digest,
        }
    }
}

/// A range on its way: its bytes come in order.
#[derive(Clone)]
pub struct Range {
    kind: Kind,
    /// Of BLAKE3 the index of the next subtree in the message; of growing modes 0 if the message's
    /// first leaf is still to come.
    next: u64,
    /// Less than a subtree, or than a leaf.
    pending: Vec<u8>,
    values: Vec<u8>,
    subtrees: Subtrees,
}

impl Range {
    /// Takes in the next bytes of the range, hashed by the executor's threads.
    pub fn update_on(&mut self, bytes: &[u8], executor: &dyn Executor) {
        let unit = match self.kind {
            Kind::Blake3(parameters) => parameters.leaf_length(),
            Kind::Growing(_, leaf) => leaf,
        };
        let mut whole = (self.pending.len() + bytes.len()) / unit;
        if whole == 0 {
            return self.pending.extend_from_slice(bytes);
        }
        let pending = std::mem::take(&mut self.pending);
        let all = [&pending[..], bytes];
        let mut rope = Rope::new(&all);
        while whole > 0 {
            let count = whole.min(BATCH);
            let units: Vec<_> = (0..count).map(|_| rope.take(unit)).collect();
            self.take(&units.iter().map(|unit| &unit[..]).collect::<Vec<_>>(), executor);
            whole -= count;
        }
        rope.rest(&mut self.pending);
    }

    /// Takes in whole subtrees or leaves, all of a length.
    fn take(&mut self, mut units: &[&[u8]], executor: &dyn Executor) {
        match self.kind {
            Kind::Blake3(parameters) => {
                let numbered: Vec<(u64, &[u8])> = (self.next..).zip(units.iter().copied()).collect();
                for value in parameters.leaves_on(&numbered, executor) {
                    self.subtrees.push(value);
                }
                self.next += units.len() as u64;
            }
            Kind::Growing(mode, _) => {
                if let (0, true, Some((first, rest))) = (self.next, mode.hops(), units.split_first()) {
                    self.values.extend_from_slice(first);
                    units = rest;
                }
                self.next = 1;
                let before = self.values.len();
                self.values.resize(before + units.len() * mode.leaf().value, 0);
                mode.leaf().chain_on(units, &mut self.values[before..], executor);
            }
        }
    }

    /// Ends the range, which may be the last one of the message, and gives its values.
    pub fn finish(mut self, is_last: bool) -> Vec<u8> {
        let mut pending = std::mem::take(&mut self.pending);
        if let (Kind::Growing(mode, _), true) = (self.kind, is_last) {
            pending.extend(mode.suffix());
        }
        if !pending.is_empty() {
            self.take(&[&pending], &pfh_digest::Alone);
        }
        match self.kind {
            Kind::Blake3(_) => self.subtrees.top().map(|value| value.to_vec()).unwrap_or_default(),
            Kind::Growing(..) => self.values,
        }
    }
}

/// A message with the values of its first ranges.
#[derive(Clone)]
pub struct JoinedMessage {
    kind: Kind,
    expected: u64,
    came: u64,
    /// Whether the first range has come.
    begun: bool,
    /// Whether the pushed values had the length of values.
    whole: bool,
    subtrees: Subtrees,
    root: Option<Sponge>,
    digest: Vec<u8>,
}

impl JoinedMessage {
    /// Takes in the values of the next range.
    pub fn push(&mut self, mut values: &[u8]) {
        match (self.kind, &mut self.root) {
            (Kind::Growing(mode, leaf), Some(root)) => {
                if mode.hops() && !std::mem::replace(&mut self.begun, true) {
                    let Some((first, rest)) = values.split_at_checked(leaf) else {
                        self.whole = false;
                        return;
                    };
                    root.absorb(first);
                    root.absorb(&crate::growing::HOP);
                    values = rest;
                }
                self.whole &= values.len().is_multiple_of(mode.leaf().value);
                self.came += (values.len() / mode.leaf().value) as u64;
                root.absorb(values);
            }
            _ => match values.try_into() {
                Ok(value) => {
                    self.subtrees.push(value);
                    self.came += 1;
                }
                Err(_) => self.whole = false,
            },
        }
    }

    /// The digest; `None` if the values are not those of a message of this length.
    pub fn finish(self) -> Option<Vec<u8>> {
        let mut digest = self.digest;
        if !self.whole || self.came != self.expected {
            return None;
        }
        match (self.kind, self.root) {
            (Kind::Growing(mode, _), Some(root)) => mode.end(root, self.came, &mut digest),
            _ => self.subtrees.root(&mut digest)?,
        }
        Some(digest)
    }
}

/// Values of subtrees of BLAKE3 from left to right, all of a size but the last one.
#[derive(Clone, Debug, Default)]
struct Subtrees {
    /// Complete ones, the largest first.
    stack: Vec<Value>,
    count: u64,
}

impl Subtrees {
    /// The next one. Two of a size are joined only when more follows: the last join may be the
    /// root.
    fn push(&mut self, value: Value) {
        while self.stack.len() as u32 > self.count.count_ones() {
            self.merge();
        }
        self.stack.push(value);
        self.count += 1;
    }

    fn merge(&mut self) {
        if let (Some(right), Some(left)) = (self.stack.pop(), self.stack.pop()) {
            self.stack.push(hazmat::merge_subtrees_non_root(&left, &right, hazmat::Mode::Hash));
        }
    }

    /// The value of the subtree over all, which is not the whole message.
    fn top(mut self) -> Option<Value> {
        while self.stack.len() > 1 {
            self.merge();
        }
        self.stack.pop()
    }

    /// The digest of the message, if there are two or more.
    fn root(mut self, digest: &mut [u8]) -> Option<()> {
        while self.stack.len() > 2 {
            self.merge();
        }
        let [left, right] = self.stack[..] else { return None };
        hazmat::merge_subtrees_root_xof(&left, &right, hazmat::Mode::Hash).fill(digest);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::{Alone, ROWS as PLAIN, Registry};

    static ALL: Registry = Registry::new(&[&PLAIN, &crate::ROWS]);

    #[test]
    fn ranges_give_the_digest_of_the_whole() {
        for name in [
            "blake3",
            "blake3:100",
            "kt128",
            "kt256",
            "parallelhash128",
            "parallelhashxof256:20",
            "sakura-fng-128",
            "sakura-fng-256,capacity=320",
            "parallelhash256,block=512",
        ] {
            let algorithm = ALL.find(name).unwrap();
            for range in [8 << 10_usize, 16 << 10, 256 << 10] {
                let split = Split::new(algorithm, range as u64).unwrap();
                let edges = [1, 1023, 1024, 1025, 8191, 8192, 8193, range - 1, range];
                for length in (1..=6).flat_map(|count| edges.map(|edge| count * range + edge)) {
                    let message: Vec<u8> = (0..length).map(|n| (n * 31 % 251) as u8).collect();
                    let last = message.len().div_ceil(range) as u64 - 1;
                    let mut joined = split.join(length as u64);
                    for (index, bytes) in (0..).zip(message.chunks(range)) {
                        let mut part = split.range(index);
                        // In pieces of any length.
                        bytes.chunks(7000 + index as usize).for_each(|piece| part.update_on(piece, &Alone));
                        assert!(joined.clone().finish().is_none());
                        joined.push(&part.finish(index == last));
                    }
                    let expected = algorithm.digest(&message);
                    assert_eq!(joined.finish().as_deref(), Some(expected.bytes()), "{name}, {range}, {length}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_split_is_refused() {
        let new = |name: &str, length| Split::new(ALL.find(name).unwrap(), length).map(drop);
        for name in ["sha256", "sakura-li-128", "xxh3"] {
            assert!(matches!(new(name, 1 << 20), Err(Unsplit::Sequential(_))), "{name}");
        }
        for length in [0, 512, 3000, 3 << 20] {
            assert!(matches!(new("blake3", length), Err(Unsplit::Power(_, 1024))), "{length}");
        }
        assert!(matches!(new("kt128", 4096), Err(Unsplit::Multiple(_, 8192))));
        assert!(matches!(new("kt128", 0), Err(Unsplit::Multiple(_, 8192))));
        assert_eq!(new("kt128", 3 * 8192), Ok(()));
    }

    #[test]
    fn values_that_are_none_give_no_digest() {
        for (name, values) in [("blake3", vec![0; 31]), ("kt128", vec![0; 8000]), ("sakura-fng-128", vec![0; 33])] {
            let mut joined = Split::new(ALL.find(name).unwrap(), 8192).unwrap().join(16_384);
            joined.push(&values);
            joined.push(&values);
            assert_eq!(joined.finish(), None, "{name}");
        }
    }
}
