//! The kinds of trees that are kept beside a file, seen alike: leaf values in any order, and the
//! tree over all of them.

use std::ops::Range;

use pfh_digest::Executor;

use crate::flat::{Builder, Flat, Form, ReadRange, Shape};
use crate::outboard::{Outboard, Parameters, Value};

/// Under leaf interleaving no part of a file has a value of its own: parts of this length in bytes
/// are noted by their BLAKE3 digests, and the file is hashed in order in the end.
const PART: usize = 64 << 10;
/// Leaves whose values are computed in one go at most.
const BATCH: usize = 4096;
/// Bytes that are read back in one go at most, if a leaf is not longer.
const BACK: u64 = 4 << 20;

/// A tree of pairs, or of two levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// One of pairs with these parameters, whose key is known if they have one.
    Pairs(Parameters),
    /// One of two levels.
    Flat(Shape),
}

/// A tree of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grown {
    /// One of pairs.
    Pairs(Outboard),
    /// One of two levels.
    Flat(Flat),
}

/// Why a file whose parts have all come has no tree.
#[derive(Debug, PartialEq, Eq)]
pub enum NoTree<E> {
    /// Some of it could not be read back.
    Read(E),
    /// The bytes from this offset on are not those that came.
    Altered(u64),
}

/// A part of a leaf, with the value that a leaf of these bytes alone would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) range: Range<u64>,
    pub(crate) value: Vec<u8>,
}

/// The values of bytes that came in one piece.
#[derive(Clone, Debug)]
pub struct Values {
    /// Index of the first whole leaf.
    pub(crate) first: u64,
    /// The values of the whole leaves.
    pub(crate) values: Vec<u8>,
    /// The parts of leaves before and behind them.
    pub(crate) edges: Vec<Edge>,
}

impl TreeKind {
    /// The function, behind a colon the mark of its key if it has one; the algorithm of a tree of
    /// two levels.
    pub fn name(&self) -> String {
        match self {
            TreeKind::Pairs(parameters) => parameters.name(),
            TreeKind::Flat(shape) => shape.algorithm().to_string(),
        }
    }

    /// Bytes of a leaf, the last one excepted; under leaf interleaving of the parts that are noted.
    pub fn leaf(&self) -> usize {
        match self {
            TreeKind::Pairs(parameters) => parameters.leaf_length(),
            TreeKind::Flat(shape) if shape.is_interleaved() => PART,
            TreeKind::Flat(shape) => shape.block(),
        }
    }

    /// Bytes of a value.
    pub(crate) fn width(&self) -> usize {
        match self {
            TreeKind::Flat(shape) => match shape.form() {
                Form::Growing(mode, _) => mode.leaf().value,
                Form::Interleaved(_) => 32,
            },
            TreeKind::Pairs(_) => 32,
        }
    }

    /// Leaves of a file of `length` bytes that have any bytes.
    pub(crate) fn leaves(&self, length: u64) -> u64 {
        length.div_ceil(self.leaf() as u64)
    }

    /// Where leaf `index` of a file of `length` bytes lies.
    pub(crate) fn range(&self, index: u64, length: u64) -> Range<u64> {
        let leaf = self.leaf() as u64;
        let start = index.saturating_mul(leaf).min(length);
        start..start.saturating_add(leaf).min(length)
    }

    /// The values of bytes of a file of `length` bytes, from `offset` on; within the file. Whole
    /// leaves are hashed by the executor's threads.
    pub fn values(&self, length: u64, offset: u64, bytes: &[u8], executor: &dyn Executor) -> Values {
        let (leaf, end) = (self.leaf() as u64, offset + bytes.len() as u64);
        let first = offset.div_ceil(leaf);
        // The last leaf is whole where the file ends.
        let behind = if end == length { self.leaves(length) } else { end / leaf };
        let mut edges = Vec::new();
        let mut edge = |range: Range<u64>| {
            if !range.is_empty() {
                let bytes = &bytes[(range.start - offset) as usize..(range.end - offset) as usize];
                edges.push(Edge { value: self.value(range.start / leaf, length, bytes), range });
            }
        };
        if first >= behind {
            // At most parts of two leaves.
            let border = self.range(offset / leaf, length).end.min(end);
            edge(offset..border);
            edge(border..end);
            return Values { first, values: Vec::new(), edges };
        }
        let (from, until) = (self.range(first, length).start, self.range(behind - 1, length).end);
        edge(offset..from);
        edge(until..end);
        let whole = &bytes[(from - offset) as usize..(until - offset) as usize];
        Values { first, values: self.whole(first, length, whole, executor), edges }
    }

    /// The values of whole leaves from `first` on.
    fn whole(&self, first: u64, length: u64, bytes: &[u8], executor: &dyn Executor) -> Vec<u8> {
        let mut values = Vec::with_capacity(self.width() * bytes.len().div_ceil(self.leaf()));
        for (start, some) in (first..).step_by(BATCH).zip(bytes.chunks(BATCH.saturating_mul(self.leaf()))) {
            let leaves: Vec<&[u8]> = some.chunks(self.leaf()).collect();
            match self {
                TreeKind::Pairs(parameters) => {
                    let numbered: Vec<(u64, &[u8])> = (start..).zip(leaves).collect();
                    let now = match &numbered[..] {
                        [_] => parameters.leaves_of(length, &numbered),
                        _ => parameters.leaves_on(&numbered, executor),
                    };
                    values.extend_from_slice(now.as_flattened());
                }
                TreeKind::Flat(shape) => match shape.form() {
                    Form::Growing(mode, leaf) => {
                        let (before, width) = (values.len(), mode.leaf().value);
                        values.resize(before + width * leaves.len(), 0);
                        let full = leaves.iter().take_while(|bytes| bytes.len() == leaf).count();
                        let (alike, last) = values[before..].split_at_mut(width * full);
                        mode.leaf().chain_on(&leaves[..full], alike, executor);
                        if let Some(short) = leaves.get(full) {
                            mode.leaf().chain_one(short, last);
                        }
                    }
                    Form::Interleaved(_) => leaves.iter().for_each(|part| values.extend(blake3::hash(part).as_bytes())),
                },
            }
        }
        values
    }

    /// The value of a leaf that has these bytes.
    pub(crate) fn value(&self, index: u64, length: u64, bytes: &[u8]) -> Vec<u8> {
        self.whole(index, length, bytes, &pfh_digest::Alone)
    }

    /// The tree over all values, those of the leaves one after the other. Bytes that it holds
    /// itself, and under leaf interleaving all, are read back and compared with their values.
    ///
    /// # Errors
    /// Those of `read`; that bytes are not those of their values.
    pub(crate) fn tree<E>(
        &self,
        length: u64,
        values: &[u8],
        read: &mut ReadRange<'_, E>,
        executor: &dyn Executor,
    ) -> Result<Grown, NoTree<E>> {
        let mut back = |range: Range<u64>| {
            let mut bytes = Vec::new();
            read(range.clone(), &mut bytes).map_err(NoTree::Read)?;
            match self.compare(length, range.start, &bytes, values, executor) {
                Some(offset) => Err(NoTree::Altered(offset)),
                None => Ok(bytes),
            }
        };
        let shape = match self {
            TreeKind::Pairs(parameters) => {
                let mut leaves: Vec<Value> = values.as_chunks::<32>().0.to_vec();
                if length == 0 {
                    leaves.push(parameters.only_leaf(&[]));
                }
                return Ok(Grown::Pairs(Outboard::over(*parameters, length, leaves)));
            }
            TreeKind::Flat(shape) => *shape,
        };
        let mut builder = Builder::new(shape);
        match shape.form() {
            Form::Growing(mode, leaf) => {
                let kept = if mode.has_single() && shape.leaves(length) == 1 { 0 } else { length / leaf as u64 };
                if kept > 0 {
                    let first = if mode.hops() { back(0..leaf as u64)? } else { Vec::new() };
                    let (hops, width) = (usize::from(mode.hops()), mode.leaf().value);
                    builder = Builder::over(shape, kept, first, values[hops * width..kept as usize * width].to_vec());
                }
                if builder.length() < length {
                    builder.update_on(&back(builder.length()..length)?, executor);
                }
            }
            Form::Interleaved(_) => {
                while builder.length() < length {
                    let bytes = back(builder.length()..length.min(builder.length() + BACK))?;
                    builder.update_on(&bytes, executor);
                }
            }
        }
        Ok(Grown::Flat(builder.finish()))
    }

    /// Where bytes of whole leaves, from `offset` on, are not those of their values, if anywhere:
    /// the start of the leaf.
    pub(crate) fn compare(
        &self,
        length: u64,
        offset: u64,
        bytes: &[u8],
        values: &[u8],
        executor: &dyn Executor,
    ) -> Option<u64> {
        let (first, width) = (offset / self.leaf() as u64, self.width());
        let found = self.whole(first, length, bytes, executor);
        let noted = values[first as usize * width..].chunks(width);
        let differs = found.chunks(width).zip(noted).position(|(found, noted)| found != noted)?;
        Some(self.range(first + differs as u64, length).start)
    }
}
