//! The binary form of a flat tree: version 2 of `pfh tree`; `docs/tree.md` lists every byte.

use std::fmt;

use pfh_digest::Registry;

use super::shape::Form;
use super::{Flat, Shape};
use crate::wire::{Reader, WireError};

const MAGIC: &[u8; 8] = b"pfh tree";
/// The version of the form.
pub const VERSION: u8 = 2;
/// BLAKE3's context string for the checksum.
const CONTEXT: &str = "pfh tree 2 checksum";

/// This crate's algorithms, the only ones that these trees have.
static TREES: Registry = Registry::new(&[&crate::ROWS]);

/// The name of the algorithm of a flat tree, as its file states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name at the front of a file, if it is that of a flat tree: the first 256 bytes are enough.
pub fn name_of(front: &[u8]) -> Option<Name> {
    let mut reader = Reader::open(front, MAGIC, VERSION).ok()?;
    let length = reader.byte().ok()?;
    let name = str::from_utf8(reader.bytes(length.into()).ok()?).ok()?;
    Some(Name(name.chars().filter(|c| c.is_ascii_graphic()).collect()))
}

impl Flat {
    /// The binary form.
    pub fn encode(&self) -> Vec<u8> {
        let name = self.shape.algorithm().to_string();
        let mut bytes = Vec::with_capacity(400 + self.first.len() + self.values.len() + 200 * self.states.len());
        bytes.extend(MAGIC);
        bytes.extend([VERSION, name.len() as u8]);
        bytes.extend(name.as_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(&self.root);
        bytes.extend(&self.first);
        bytes.extend(&self.values);
        self.states.as_flattened().iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        let checksum = blake3::derive_key(CONTEXT, &bytes);
        bytes.extend(checksum);
        bytes
    }

    /// Reads the binary form and computes the final node again: the result is a consistent tree.
    ///
    /// # Errors
    /// If any bit of it has been changed. (One who changes the file with the tree can make a
    /// consistent tree of another file: only a root that is kept elsewhere shows that. Under leaf
    /// interleaving the states of the leaves are proved by the checksum alone.)
    pub fn decode(bytes: &[u8]) -> Result<Flat, WireError> {
        let (body, checksum) = bytes.split_last_chunk::<32>().ok_or(WireError::Truncated)?;
        let mut reader = Reader::open(body, MAGIC, VERSION)?;
        let name = reader.byte()?;
        let name = str::from_utf8(reader.bytes(name.into())?).map_err(|_| WireError::Field("algorithm"))?;
        let algorithm = TREES.find(name).ok().filter(|algorithm| algorithm.to_string() == name);
        let shape = algorithm.and_then(Shape::of).ok_or(WireError::Field("algorithm"))?;
        let length = reader.u64()?;
        let root = reader.bytes(algorithm.map_or(0, |algorithm| algorithm.length()))?.to_vec();
        let mut tree = Flat { shape, length, first: Vec::new(), values: Vec::new(), states: Vec::new(), root };
        if length > i64::MAX as u64 {
            return Err(WireError::Field("length"));
        }
        let states = match shape.form() {
            Form::Growing(mode, leaf) => {
                let mut count = if tree.is_single() { 0 } else { tree.leaves() };
                if mode.hops() && count > 0 {
                    tree.first = reader.bytes(leaf)?.to_vec();
                    count -= 1;
                }
                tree.values = reader.bytes(size(count, mode.leaf().value)?)?.to_vec();
                0
            }
            Form::Interleaved(mode) => {
                tree.values = reader.bytes(mode.leaves * mode.value())?.to_vec();
                mode.leaves
            }
        };
        for _ in 0..states {
            let (words, _) = reader.bytes(200)?.as_chunks::<8>();
            tree.states.push(std::array::from_fn(|word| u64::from_le_bytes(words[word])));
        }
        reader.close()?;
        let same = tree.computed_root().is_none_or(|root| root == tree.root);
        if !same || *checksum != blake3::derive_key(CONTEXT, body) {
            return Err(WireError::Checksum);
        }
        Ok(tree)
    }
}

/// Bytes of this many values.
fn size(count: u64, each: usize) -> Result<usize, WireError> {
    usize::try_from(count).ok().and_then(|count| count.checked_mul(each)).ok_or(WireError::Truncated)
}
