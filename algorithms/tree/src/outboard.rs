//! Binary hash trees that are kept beside a file: which parts of it are damaged, and what is the
//! root after a change, at the price of the changed leaves and their paths.
//!
//! A file is cut into leaves of one length; each gives a 32-byte value; pairs of values give the
//! value of their parent, a last one without a partner moves up as it is. `docs/tree.md` has every
//! byte. Over BLAKE3 the tree is BLAKE3's own, so its root is the file's BLAKE3 digest.
//!
//! ```
//! use pfh_tree::outboard::{Builder, Function, Parameters};
//! let data = vec![7; 100_000];
//! let mut builder = Builder::new(Parameters::new(Function::Blake3, 16384).unwrap());
//! builder.update(&data);
//! let outboard = builder.finish();
//! assert_eq!(*outboard.root(), *blake3::hash(&data).as_bytes());
//! ```

mod change;
mod fold;
mod format;
mod function;
mod journal;
pub(crate) mod multiproof;
mod paged;
mod pieces;
mod stream;
mod values;

use std::ops::Range;

pub use change::WrongChange;
pub(crate) use fold::Fold;
pub use format::Header;
pub use function::Function;
pub use journal::Journal;
pub(crate) use paged::proven;
pub use paged::{Change, Paged, ReadAt, Unusable};
pub use pieces::{Misplaced, Pieces};
pub use stream::Builder;
pub use values::Values;

/// The value of a leaf, a node or a root.
pub type Value = [u8; 32];

/// How trees are built: the function and the length of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    function: Function,
    leaf_length: u32,
}

impl Parameters {
    /// `leaf_length` is in bytes: a power of two from 1 KiB to 16 MiB, usually 16 KiB. `None` for
    /// others.
    pub fn new(function: Function, leaf_length: usize) -> Option<Parameters> {
        let fits = leaf_length.is_power_of_two() && (1 << 10..=1 << 24).contains(&leaf_length);
        fits.then_some(Parameters { function, leaf_length: leaf_length as u32 })
    }

    /// The function of leaves and nodes.
    pub fn function(&self) -> Function {
        self.function
    }

    /// Bytes of a leaf, the last one excepted.
    pub fn leaf_length(&self) -> usize {
        self.leaf_length as usize
    }

    /// Leaves of a file of `length` bytes: at least one, which may be empty.
    pub fn leaf_count(&self, length: u64) -> u64 {
        length.div_ceil(u64::from(self.leaf_length)).max(1)
    }

    /// Where leaf `index` of a file of `length` bytes lies.
    pub fn leaf_range(&self, index: u64, length: u64) -> Range<u64> {
        let leaf = u64::from(self.leaf_length);
        let start = index.saturating_mul(leaf).min(length);
        start..start.saturating_add(leaf).min(length)
    }
}

/// A tree with all its values, and the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outboard {
    parameters: Parameters,
    length: u64,
    /// Level 0 holds the leaves' values; each next one half as many, rounded up; the last one two
    /// values, or the one of a file with one leaf.
    levels: Vec<Vec<Value>>,
    root: Value,
}

impl Outboard {
    /// The tree over leaf values, which are as many as the parameters say for a file of `length`
    /// bytes.
    pub(crate) fn over(parameters: Parameters, length: u64, leaves: Vec<Value>) -> Outboard {
        debug_assert_eq!(leaves.len() as u64, parameters.leaf_count(length));
        let mut outboard = Outboard { parameters, length, levels: vec![leaves], root: [0; 32] };
        outboard.grow_from(0);
        outboard
    }

    /// Computes all that lies above the leaf values from index `first` on; above those before it
    /// all is in place.
    fn grow_from(&mut self, mut first: usize) {
        let mut level = 0;
        while self.levels[level].len() > 2 {
            first /= 2;
            if level + 1 == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let (pairs, alone) = below[level][2 * first..].as_chunks::<2>();
            above[0].truncate(first);
            above[0].extend(self.parameters.function.nodes(level as u32, pairs));
            above[0].extend(alone);
            level += 1;
        }
        self.levels.truncate(level + 1);
        self.root = self.compute_root();
    }

    fn compute_root(&self) -> Value {
        let level = self.levels.len() - 1;
        self.parameters.root(self.length, level as u32, &self.levels[level])
    }

    /// Function and leaf length.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The value that stands for the whole file: for BLAKE3 its digest.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// Leaves of the file, at least one.
    pub fn leaf_count(&self) -> u64 {
        self.levels[0].len() as u64
    }

    /// The values of a level, 0 being the leaves'.
    pub(crate) fn level(&self, level: usize) -> &[Value] {
        &self.levels[level]
    }

    /// Levels that are kept.
    pub(crate) fn height(&self) -> usize {
        self.levels.len()
    }

    /// The byte ranges, in ascending order, in which the file that this tree was built of differs
    /// from the one of `now`: leaves with other values, joined where they touch, and whatever only
    /// one of the files has. Nothing if the roots agree. Where only one of the files has a single
    /// leaf, BLAKE3's values of the first leaf differ even if its bytes agree.
    ///
    /// # Errors
    /// If the trees were built with different parameters, so that their values say nothing about
    /// each other.
    pub fn differences(&self, now: &Outboard) -> Result<Vec<Range<u64>>, WrongChange> {
        if self.parameters != now.parameters {
            return Err(WrongChange::Parameters);
        }
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let longest = self.length.max(now.length);
        for index in 0..self.leaf_count().max(now.leaf_count()) {
            let value = |tree: &Outboard| tree.levels[0].get(index as usize).copied();
            if value(self) == value(now) {
                continue;
            }
            let range = self.parameters.leaf_range(index, longest);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        Ok(ranges)
    }
}
