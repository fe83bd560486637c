//! A tree from the bytes of a file, in order; from its start, or from where a tree ends.

use pfh_digest::{Executor, Rope, State};

use super::shape::Form;
use super::{Flat, Shape};
use crate::Mode;
use crate::interleaved::InterleavedMessage;

/// Leaves whose chaining values are computed in one go at most.
const BATCH: usize = 4096;

/// Takes a file in pieces and gives its tree. Holds the chaining values so far, and of the file
/// less than a leaf, or less than a round of blocks.
#[derive(Clone)]
pub struct Builder {
    shape: Shape,
    length: u64,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Growing(Rows),
    Interleaved(InterleavedMessage),
}

/// The leaves of a growing mode.
#[derive(Clone)]
struct Rows {
    mode: Mode,
    leaf: usize,
    first: Vec<u8>,
    values: Vec<u8>,
    /// The end so far. A leaf leaves it only when more follows: it may be the last.
    pending: Vec<u8>,
}

impl Rows {
    fn update_on(&mut self, bytes: &[u8], executor: &dyn Executor) {
        let mut whole = (self.pending.len() + bytes.len()).saturating_sub(1) / self.leaf;
        if whole == 0 {
            return self.pending.extend_from_slice(bytes);
        }
        let pending = std::mem::take(&mut self.pending);
        let all = [&pending[..], bytes];
        let mut rope = Rope::new(&all);
        if self.mode.hops() && self.first.is_empty() {
            self.first = rope.take(self.leaf).into_owned();
            whole -= 1;
        }
        while whole > 0 {
            let count = whole.min(BATCH);
            let leaves: Vec<_> = (0..count).map(|_| rope.take(self.leaf)).collect();
            let leaves: Vec<&[u8]> = leaves.iter().map(|leaf| &leaf[..]).collect();
            self.chain(&leaves, executor);
            whole -= count;
        }
        rope.rest(&mut self.pending);
    }

    /// Appends the chaining values of leaves, all of a length.
    fn chain(&mut self, leaves: &[&[u8]], executor: &dyn Executor) {
        let (before, width) = (self.values.len(), self.mode.leaf().value);
        self.values.resize(before + leaves.len() * width, 0);
        self.mode.leaf().chain_on(leaves, &mut self.values[before..], executor);
    }
}

impl Builder {
    /// An empty file so far.
    pub fn new(shape: Shape) -> Builder {
        let kind = match shape.form() {
            Form::Growing(mode, leaf) => {
                Kind::Growing(Rows { mode, leaf, first: Vec::new(), values: Vec::new(), pending: Vec::new() })
            }
            Form::Interleaved(mode) => Kind::Interleaved(InterleavedMessage::new(mode)),
        };
        Builder { shape, length: 0, kind }
    }

    /// A builder that goes on from a tree, with as much of it as following bytes cannot change; the
    /// file is to be taken in from [`length`](Builder::length) on.
    pub fn resume(tree: Flat) -> Builder {
        let single = tree.is_single();
        let (length, kind) = match tree.shape.form() {
            Form::Growing(mode, leaf) => {
                let kept = if single { 0 } else { tree.length / leaf as u64 };
                let (mut first, mut values) = (tree.first, tree.values);
                values.truncate(kept.saturating_sub(mode.hops().into()) as usize * mode.leaf().value);
                if kept == 0 {
                    first.clear();
                }
                (kept * leaf as u64, Kind::Growing(Rows { mode, leaf, first, values, pending: Vec::new() }))
            }
            Form::Interleaved(mode) => {
                let round = mode.round() as u64;
                (tree.length / round * round, Kind::Interleaved(InterleavedMessage::resumed(mode, &tree.states)))
            }
        };
        Builder { shape: tree.shape, length, kind }
    }

    /// A builder of a growing mode that has taken in whole leaves: their number, the first one
    /// where the final node begins with it, the chaining values of the others.
    pub(crate) fn over(shape: Shape, leaves: u64, first: Vec<u8>, values: Vec<u8>) -> Builder {
        let Form::Growing(mode, leaf) = shape.form() else { return Builder::new(shape) };
        let rows = Rows { mode, leaf, first, values, pending: Vec::new() };
        Builder { shape, length: leaves * leaf as u64, kind: Kind::Growing(rows) }
    }

    /// Bytes of the file so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Takes in the next bytes of the file, leaves hashed by the executor's threads.
    pub fn update_on(&mut self, bytes: &[u8], executor: &dyn Executor) {
        self.length += bytes.len() as u64;
        match &mut self.kind {
            Kind::Growing(rows) => rows.update_on(bytes, executor),
            Kind::Interleaved(leaves) => leaves.update_on(&[bytes], executor),
        }
    }

    /// Ends the file.
    pub fn finish(self) -> Flat {
        let (shape, length) = (self.shape, self.length);
        let root = vec![0; shape.algorithm().length()];
        let mut tree = Flat { shape, length, first: Vec::new(), values: Vec::new(), states: Vec::new(), root };
        match self.kind {
            Kind::Growing(mut rows) => {
                let mut pending = std::mem::take(&mut rows.pending);
                pending.extend(rows.mode.suffix());
                if tree.is_single() {
                    rows.mode.single(&pending, &mut tree.root);
                    return tree;
                }
                let mut rest = &pending[..];
                if rows.mode.hops() && rows.first.is_empty() {
                    let (first, later) = rest.split_at(rows.leaf);
                    (rows.first, rest) = (first.to_vec(), later);
                }
                // With the suffix a full leaf has one of a byte behind it.
                for leaf in rest.chunks(rows.leaf) {
                    rows.chain(&[leaf], &pfh_digest::Alone);
                }
                (tree.first, tree.values) = (rows.first, rows.values);
            }
            Kind::Interleaved(leaves) => {
                tree.states = leaves.parts().0;
                tree.values = leaves.values();
            }
        }
        tree.root = tree.computed_root().unwrap_or_default();
        tree
    }
}
