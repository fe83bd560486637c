//! The functions over leaves, nodes and root.

use blake3::hazmat::{self, HasherExt};
use pfh_digest::{Algorithm, Digest, Executor, Hasher, Task, finalize_many, update_many};

use super::{Parameters, Value};

/// What computes the values of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// SHA-256 (FIPS 180-4), leaves, nodes and root distinguished by tags.
    Sha256,
    /// SHA3-256 (FIPS 202), likewise.
    Sha3_256,
    /// BLAKE3's own tree.
    Blake3,
}

/// Sixteen bytes before all input, different for each kind, so that no leaf can pass for a node.
const LEAF: &[u8; 16] = b"pfh tree 1: leaf";
const NODE: &[u8; 16] = b"pfh tree 1: node";
const ROOT: &[u8; 16] = b"pfh tree 1: root";

impl Function {
    /// All of them.
    pub const ALL: [Function; 3] = [Function::Sha256, Function::Sha3_256, Function::Blake3];

    /// `sha256`, `sha3-256` or `blake3`.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sha256 => "sha256",
            Function::Sha3_256 => "sha3-256",
            Function::Blake3 => "blake3",
        }
    }

    /// The function of this name.
    pub fn named(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The byte that stands for it in binary forms.
    pub(crate) fn code(self) -> u8 {
        match self {
            Function::Sha256 => 1,
            Function::Sha3_256 => 2,
            Function::Blake3 => 3,
        }
    }

    pub(crate) fn of_code(code: u8) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.code() == code)
    }

    fn algorithm(self) -> Algorithm {
        self.name().parse().expect("the registry has it")
    }

    /// The values of nodes over pairs of values of level `level`.
    pub(super) fn nodes(self, level: u32, pairs: &[[Value; 2]]) -> Vec<Value> {
        if self == Function::Blake3 {
            let merge = |[left, right]: &[Value; 2]| hazmat::merge_subtrees_non_root(left, right, hazmat::Mode::Hash);
            return pairs.iter().map(merge).collect();
        }
        // Few at a time, so that hashers and inputs stay in cache.
        let mut values = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunks(256) {
            let inputs: Vec<Vec<u8>> = pairs.iter().map(|pair| node_input(level, pair)).collect();
            let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
            values.extend(pfh_digest::hash_many(self.algorithm(), &inputs).iter().map(value));
        }
        values
    }
}

fn node_input(level: u32, [left, right]: &[Value; 2]) -> Vec<u8> {
    [&NODE[..], &u64::from(level).to_le_bytes(), left, right].concat()
}

fn value(digest: &Digest) -> Value {
    digest.bytes().try_into().expect("digests of 32 bytes")
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
        let algorithm = self.function.algorithm();
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
    pub(super) fn leaves_on(&self, leaves: &[(u64, &[u8])], executor: &dyn Executor) -> Vec<Value> {
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
                value(&function.algorithm().digest(&[&ROOT[..], &leaf_length, &length.to_le_bytes(), &top].concat()))
            }
        }
    }
}
