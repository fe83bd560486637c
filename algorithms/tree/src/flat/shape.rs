//! Which part of a file each leaf is.

use std::ops::Range;

use pfh_digest::Algorithm;

use crate::Mode;
use crate::interleaved::Interleaving;
use crate::parameters::{Blocks, Leaves};

/// The longest digest that a tree keeps: as long as any algorithm's usual one.
const LONGEST: usize = 64;

/// A tree hash with its parameters and the length of its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    algorithm: Algorithm,
}

/// How the leaves lie in the file.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// One after the other, each of this many bytes.
    Growing(Mode, usize),
    /// Dealt out in blocks.
    Interleaved(Interleaving),
}

impl Shape {
    /// The shape of an algorithm; `None` if it is not one of this crate's, or its digest has more
    /// than 64 bytes.
    pub fn of(algorithm: Algorithm) -> Option<Shape> {
        let known = algorithm.fact::<Blocks>().is_some() || algorithm.fact::<Leaves>().is_some();
        (known && algorithm.length() <= LONGEST).then_some(Shape { algorithm })
    }

    /// The algorithm.
    pub fn algorithm(self) -> Algorithm {
        self.algorithm
    }

    pub(crate) fn form(self) -> Form {
        let mut values = [0; 3];
        values.iter_mut().zip(self.algorithm.parameters()).for_each(|(value, (_, stated))| *value = stated);
        match self.algorithm.fact::<Blocks>() {
            // KangarooTwelve knows one length of a leaf, and has no parameters.
            Some(blocks) if values == [0; 3] => Form::Growing(blocks.mode, crate::growing::LEAF),
            Some(blocks) => {
                let (mode, leaf) = blocks.shape(values);
                Form::Growing(mode, leaf)
            }
            None => Form::Interleaved(Leaves::shape(values)),
        }
    }

    /// Bytes of a chaining value.
    pub(super) fn value(self) -> usize {
        match self.form() {
            Form::Growing(mode, _) => mode.leaf().value,
            Form::Interleaved(mode) => mode.value(),
        }
    }

    /// Bytes of a leaf of the file, the last one excepted; under leaf interleaving of a block.
    pub fn block(self) -> usize {
        match self.form() {
            Form::Growing(_, leaf) => leaf,
            Form::Interleaved(mode) => mode.block,
        }
    }

    /// Whether blocks are dealt out to leaves, so that a leaf is many ranges of the file.
    pub fn is_interleaved(self) -> bool {
        matches!(self.form(), Form::Interleaved(_))
    }

    /// Leaves of a file of `length` bytes: 0 of an empty one under ParallelHash.
    pub fn leaves(self, length: u64) -> u64 {
        match self.form() {
            Form::Growing(mode, leaf) => {
                let leaves = (length + mode.suffix().len() as u64).div_ceil(leaf as u64);
                leaves.max(mode.has_single().into())
            }
            Form::Interleaved(mode) => mode.leaves as u64,
        }
    }

    /// The leaf that holds the byte at `offset`.
    pub fn leaf_at(self, offset: u64) -> u64 {
        match self.form() {
            Form::Growing(_, leaf) => offset / leaf as u64,
            Form::Interleaved(mode) => offset / mode.block as u64 % mode.leaves as u64,
        }
    }

    /// The leaves, in ascending order, that hold any of these bytes, offset to end.
    pub fn leaves_in(self, bytes: &Range<u64>) -> Vec<u64> {
        if bytes.is_empty() {
            return Vec::new();
        }
        let block = self.block() as u64;
        let blocks = bytes.start / block..bytes.end.div_ceil(block);
        match self.form() {
            Form::Growing(..) => blocks.collect(),
            Form::Interleaved(mode) => {
                let mut leaves: Vec<u64> = blocks.take(mode.leaves).map(|block| block % mode.leaves as u64).collect();
                leaves.sort_unstable();
                leaves
            }
        }
    }

    /// The parts of a file of `length` bytes that a leaf is made of, in order.
    pub fn ranges(self, leaf: u64, length: u64) -> Ranges {
        let block = self.block() as u64;
        let step = match self.form() {
            Form::Growing(..) => None,
            Form::Interleaved(mode) => Some(mode.round() as u64),
        };
        Ranges { next: leaf.saturating_mul(block), block, step, length }
    }
}

/// The parts of a file that make a leaf, as ranges in bytes.
#[derive(Clone, Debug)]
pub struct Ranges {
    next: u64,
    block: u64,
    /// From a part to the next; `None` if there is one alone.
    step: Option<u64>,
    length: u64,
}

impl Iterator for Ranges {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        if self.next >= self.length {
            return None;
        }
        let range = self.next..self.length.min(self.next.saturating_add(self.block));
        self.next = self.step.map_or(u64::MAX, |step| self.next.saturating_add(step));
        Some(range)
    }
}
