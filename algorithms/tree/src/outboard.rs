//! Binary hash trees that are kept beside a file: they show which parts of it are damaged, and give
//! the root after a change at the price of the changed leaves and their paths.
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
mod key;
pub(crate) mod multiproof;
mod paged;
mod parameters;
mod pieces;
mod stream;
mod values;

pub use change::WrongChange;
pub(crate) use fold::Fold;
pub use format::Header;
pub use function::{Function, Value};
pub use journal::{Change, Journal};
pub use key::{Key, TreeKeyError};
pub(crate) use paged::proven;
pub use paged::{PagedTree, ReadAt, Unusable};
pub use parameters::Parameters;
pub use pieces::{PieceError, Pieces};
pub use stream::Builder;
pub use values::Values;

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
            above[0].extend(self.parameters.nodes(level as u32, pairs));
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
}
