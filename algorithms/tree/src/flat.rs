//! The tree hashes of this crate kept beside a file: the chaining values of all leaves. A leaf that
//! changed is hashed again, and then the final node over all values: its digest is that of the
//! whole file under the algorithm, as `pfh hash` prints it.
//!
//! These trees have two levels for a file of any length: under the growing modes (KangarooTwelve,
//! ParallelHash, Sakura's final node growing) the final node has a value for each leaf of the file,
//! under leaf interleaving a leaf is every n-th block. `docs/tree.md` has every byte of the binary
//! form.
//!
//! ```
//! use pfh_digest::{Alone, Registry};
//! use pfh_tree::flat::{Builder, Shape};
//! static TREES: Registry = Registry::new(&[&pfh_tree::ROWS]);
//! let kt128 = TREES.find("kt128")?;
//! let mut data = vec![7; 100_000];
//! let mut builder = Builder::new(Shape::of(kt128).unwrap());
//! builder.update_on(&data, &Alone);
//! let mut tree = builder.finish();
//! data[50_000] = 8;
//! let read = &mut |range: std::ops::Range<u64>, into: &mut Vec<u8>| {
//!     into.extend(&data[range.start as usize..range.end as usize]);
//!     Ok::<(), ()>(())
//! };
//! tree.replace(&[tree.shape().leaf_at(50_000)], read).unwrap();
//! assert_eq!(tree.root(), kt128.digest(&data).bytes());
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```

mod build;
mod format;
mod shape;

pub use build::Builder;
pub use format::{Name, VERSION, name_of};
pub use shape::{Ranges, Shape};

use pfh_kernel::KECCAK24;
pub(crate) use shape::Form;
use std::ops::Range;

/// Reads a range of the file, in bytes, to the end of a buffer.
pub type ReadRange<'a, E> = dyn FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), E> + 'a;

/// The chaining values of all leaves of a file, and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flat {
    shape: Shape,
    length: u64,
    /// The first leaf where the final node begins with it and is not the whole message.
    first: Vec<u8>,
    /// The chaining values in the final node, one after the other.
    values: Vec<u8>,
    /// Under leaf interleaving: the state of each leaf after all whole rounds.
    states: Vec<[u64; 25]>,
    root: Vec<u8>,
}

impl Flat {
    /// The mode with its parameters.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The digest of the file under the algorithm.
    pub fn root(&self) -> &[u8] {
        &self.root
    }

    /// Leaves of the file.
    pub fn leaves(&self) -> u64 {
        self.shape.leaves(self.length)
    }

    /// Hashes leaves again, each once, whose bytes in the file have changed, and then the final
    /// node. `read` is asked for these leaves' bytes and no others; the length of the file stays.
    ///
    /// # Errors
    /// Those of `read`; the tree is of no use then.
    ///
    /// # Panics
    /// For a leaf that the file has not.
    pub fn replace<E>(&mut self, leaves: &[u64], read: &mut ReadRange<'_, E>) -> Result<(), E> {
        for &leaf in leaves {
            assert!(leaf < self.leaves(), "leaf {leaf} of {}", self.leaves());
            match self.shape.form() {
                Form::Growing(mode, _) => {
                    let mut bytes = Vec::new();
                    self.shape.ranges(leaf, self.length).try_for_each(|range| read(range, &mut bytes))?;
                    if leaf + 1 == self.leaves() {
                        bytes.extend(mode.suffix());
                    }
                    if self.is_single() {
                        mode.single(&bytes, &mut self.root);
                        return Ok(());
                    }
                    match leaf.checked_sub(mode.hops().into()) {
                        None => self.first = bytes,
                        Some(place) => {
                            let width = mode.leaf().value;
                            mode.leaf().chain_one(&bytes, &mut self.values[place as usize * width..][..width]);
                        }
                    }
                }
                Form::Interleaved(mode) => {
                    let whole = self.length / mode.round() as u64 * mode.round() as u64;
                    let (mut state, mut bytes, mut last) = ([0; 25], Vec::new(), Vec::new());
                    for range in self.shape.ranges(leaf, self.length) {
                        if range.start >= whole {
                            read(range, &mut last)?;
                            continue;
                        }
                        bytes.clear();
                        read(range, &mut bytes)?;
                        KECCAK24.one().compress(&mut state, &[&bytes], mode.block / mode.rate, mode.rate);
                    }
                    self.states[leaf as usize] = state;
                    let value = mode.chain(mode.leaf(state), &last);
                    self.values[leaf as usize * value.len()..][..value.len()].copy_from_slice(&value);
                }
            }
        }
        self.root = self.computed_root().unwrap_or_else(|| self.root.clone());
        Ok(())
    }

    /// Whether the whole message is the final node.
    fn is_single(&self) -> bool {
        matches!(self.shape.form(), Form::Growing(mode, _) if mode.has_single() && self.leaves() == 1)
    }

    /// The root over the chaining values; `None` if the message itself is the final node.
    fn computed_root(&self) -> Option<Vec<u8>> {
        let mut root = vec![0; self.root.len()];
        match self.shape.form() {
            _ if self.is_single() => return None,
            Form::Growing(mode, leaf) => mode.root(leaf, &self.first, &self.values, &mut root),
            Form::Interleaved(mode) => mode.root(&self.values, &mut root),
        }
        Some(root)
    }

    /// The leaves, in ascending order, that differ from those of another tree of the same
    /// algorithm and length.
    ///
    /// # Panics
    /// If these are not the same.
    pub fn differences(&self, other: &Flat) -> Vec<u64> {
        assert!(self.shape == other.shape && self.length == other.length, "trees that cannot be compared");
        if self.is_single() {
            return if self.root == other.root { Vec::new() } else { vec![0] };
        }
        let width = self.shape.value();
        let values = self.values.chunks(width).zip(other.values.chunks(width));
        let hops = u64::from(!self.first.is_empty());
        let first = (self.first != other.first).then_some(0);
        first.into_iter().chain((hops..).zip(values).filter(|(_, (a, b))| a != b).map(|(leaf, _)| leaf)).collect()
    }
}
