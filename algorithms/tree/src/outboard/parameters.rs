//! How trees are built: the function, the length of a leaf, and the values that follow from both.

use std::ops::Range;

use blake3::hazmat::{self, HasherExt};
use pfh_digest::{Executor, Hasher, Task, finalize_many, update_many};

use super::function::{Function, Value, value};
use crate::plain::plain;

/// Sixteen bytes before all input, different for each kind, so that no leaf can pass for a node.
const LEAF: &[u8; 16] = b"pfh tree 1: leaf";

const ROOT: &[u8; 16] = b"pfh tree 1: root";

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

impl Parameters {
    /// The values of leaves, given with their indices, of a file that has more than one.
    pub(super) fn leaves(&self, leaves: &[(u64, &[u8])]) -> Vec<Value> {
        if self.function == Function::Blake3 {
            let chaining_value = |(index, leaf): &(u64, &[u8])| {
                let mut hasher = blake3::Hasher::new();
                hasher.set_input_offset(index * u64::from(self.leaf_length));
                hasher.update(leaf);
                hasher.finalize_non_root()
            };
            return leaves.iter().map(chaining_value).collect();
        }
        let algorithm = plain(self.function.name());
        let start = |(index, leaf): &(u64, &[u8])| {
            let mut hasher = algorithm.hasher();
            hasher.update(&[&LEAF[..], &index.to_le_bytes(), &(leaf.len() as u64).to_le_bytes()].concat());
            hasher
        };
        let mut hashers: Vec<Hasher> = leaves.iter().map(start).collect();
        update_many(&mut hashers.iter_mut().zip(leaves.iter().map(|(_, leaf)| *leaf)).collect::<Vec<_>>());
        finalize_many(hashers).iter().map(value).collect()
    }

    /// [`leaves`](Self::leaves), shared out among the executor's threads.
    pub(crate) fn leaves_on(&self, leaves: &[(u64, &[u8])], executor: &dyn Executor) -> Vec<Value> {
        // Several shares for each thread: one that is held up holds up no more than its share.
        let share = leaves.len().div_ceil(4 * executor.width()).max(16);
        if executor.width() == 1 || leaves.len() <= share {
            return self.leaves(leaves);
        }
        let mut values = vec![Vec::new(); leaves.len().div_ceil(share)];
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for (values, leaves) in values.iter_mut().zip(leaves.chunks(share)) {
            tasks.push(Box::new(move || *values = self.leaves(leaves)));
        }
        executor.run(tasks);
        values.concat()
    }

    /// The value of a file's only leaf, which for BLAKE3 is the root already.
    pub(super) fn only_leaf(&self, leaf: &[u8]) -> Value {
        match self.function {
            Function::Blake3 => *blake3::hash(leaf).as_bytes(),
            _ => self.leaves(&[(0, leaf)])[0],
        }
    }

    /// The values of leaves, given with their indices and each whole, of a file of `length` bytes.
    pub fn leaves_of(&self, length: u64, leaves: &[(u64, &[u8])]) -> Vec<Value> {
        match leaves {
            [(_, leaf)] if self.leaf_count(length) == 1 => vec![self.only_leaf(leaf)],
            leaves => self.leaves(leaves),
        }
    }

    /// The value of a node over two values of level `level`.
    pub(crate) fn node(&self, level: u32, pair: &[Value; 2]) -> Value {
        self.function.nodes(level, &[*pair])[0]
    }

    /// The root over the highest level, of one or two values.
    pub(crate) fn root(&self, length: u64, level: u32, top: &[Value]) -> Value {
        match (self.function, top) {
            (Function::Blake3, [only]) => *only,
            (Function::Blake3, [left, right]) => {
                *hazmat::merge_subtrees_root(left, right, hazmat::Mode::Hash).as_bytes()
            }
            (function, top) => {
                let top = match top {
                    [left, right] => self.node(level, &[*left, *right]),
                    top => top[0],
                };
                let leaf_length = u64::from(self.leaf_length).to_le_bytes();
                value(&plain(function.name()).digest(&[&ROOT[..], &leaf_length, &length.to_le_bytes(), &top].concat()))
            }
        }
    }
}
