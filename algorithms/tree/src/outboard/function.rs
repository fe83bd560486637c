//! The functions that trees are made by.

use blake3::hazmat;
use pfh_digest::Digest;

use crate::plain::plain;

/// The value of a leaf, a node or a root.
pub type Value = [u8; 32];

/// The hash function that computes the values of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// SHA-256 (FIPS 180-4), leaves, nodes and root distinguished by tags.
    Sha256,
    /// SHA3-256 (FIPS 202), likewise.
    Sha3_256,
    /// BLAKE3's own tree.
    Blake3,
}

/// Sixteen bytes before the input of a node, which no leaf or root has.
const NODE: &[u8; 16] = b"pfh tree 1: node";

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
            values.extend(pfh_digest::hash_many(plain(self.name()), &inputs).iter().map(value));
        }
        values
    }
}

fn node_input(level: u32, [left, right]: &[Value; 2]) -> Vec<u8> {
    [&NODE[..], &u64::from(level).to_le_bytes(), left, right].concat()
}

/// The value that a digest of 32 bytes is.
pub(super) fn value(digest: &Digest) -> Value {
    digest.bytes().try_into().expect("digests of 32 bytes")
}
