//! Changes of the tree with its file.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::ops::Range;

use pfh_digest::{Alone, Executor};

use super::{Outboard, Value};

/// Why a change does not fit a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongChange {
    /// The trees were built with different functions or leaf lengths.
    Parameters,
    /// The file has no leaf of this index.
    Index(u64),
    /// The data given for this leaf has not the leaf's length.
    Length(u64),
}

impl fmt::Display for WrongChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrongChange::Parameters => f.write_str("trees of different functions or leaf lengths"),
            WrongChange::Index(index) => write!(f, "the file has no leaf {index}"),
            WrongChange::Length(index) => write!(f, "the data of leaf {index} has another length than the leaf"),
        }
    }
}

impl Error for WrongChange {}

impl Outboard {
    /// Replaces leaves by their new data, given whole with their indices in any order (of two for
    /// one index the later counts), and computes the paths above them again. The cost is the
    /// changed leaves and their distinct ancestors: for one leaf the height of the tree. The length
    /// of the file stays. Returns the number of values that were computed.
    ///
    /// # Errors
    /// For an index or a length that the file has not; the tree is unchanged then.
    pub fn update(&mut self, changes: &[(u64, &[u8])]) -> Result<usize, WrongChange> {
        for &(index, data) in changes {
            if index >= self.leaf_count() {
                return Err(WrongChange::Index(index));
            }
            let range = self.parameters.leaf_range(index, self.length);
            if data.len() as u64 != range.end - range.start {
                return Err(WrongChange::Length(index));
            }
        }
        let changes: BTreeMap<u64, &[u8]> = changes.iter().copied().collect();
        let changes: Vec<(u64, &[u8])> = changes.into_iter().collect();
        let values = self.parameters.leaves_of(self.length, &changes);
        let values: Vec<(u64, Value)> = changes.iter().map(|(index, _)| *index).zip(values).collect();
        self.replace(&values)
    }

    /// As [`update`](Outboard::update), for leaves whose values have been computed; indices ascend
    /// and are distinct.
    ///
    /// # Errors
    /// For an index that the file has not; the tree is unchanged then.
    pub fn replace(&mut self, changes: &[(u64, Value)]) -> Result<usize, WrongChange> {
        if let Some(&(index, _)) = changes.iter().find(|(index, _)| *index >= self.leaf_count()) {
            return Err(WrongChange::Index(index));
        }
        let mut computed = changes.len();
        for &(index, value) in changes {
            self.levels[0][index as usize] = value;
        }
        let mut dirty: Vec<usize> = changes.iter().map(|&(index, _)| index as usize).collect();
        for level in 1..self.levels.len() {
            dirty.iter_mut().for_each(|index| *index /= 2);
            dirty.dedup();
            for &index in &dirty {
                let below = &self.levels[level - 1];
                let value: Value = match below[2 * index..] {
                    [left, right, ..] => {
                        computed += 1;
                        self.parameters.node(level as u32 - 1, &[left, right])
                    }
                    [alone] => alone,
                    [] => unreachable!("a node has a child"),
                };
                self.levels[level][index] = value;
            }
        }
        if !changes.is_empty() {
            self.root = self.compute_root();
            computed += 1;
        }
        Ok(computed)
    }

    /// Where the data for [`append`](Outboard::append) begins: the start of the last leaf if that
    /// is not full, else the end.
    pub fn append_start(&self) -> u64 {
        let leaf = self.parameters.leaf_length() as u64;
        // A lone full leaf is hashed again, as BLAKE3 hashes a root otherwise.
        if self.leaf_count() == 1 { 0 } else { self.length - self.length % leaf }
    }

    /// Lets the file end in `data`, which begins at [`append_start`](Outboard::append_start) and
    /// repeats the bytes of the file from there on before the new ones. Costs the leaves in `data`
    /// and the nodes above them.
    ///
    /// # Errors
    /// If `data` would make the file shorter; the tree is unchanged then.
    pub fn append(&mut self, data: &[u8]) -> Result<(), WrongChange> {
        self.append_on(data, &Alone)
    }

    /// As [`append`](Outboard::append), with leaves hashed by the executor's threads.
    ///
    /// # Errors
    /// As for [`append`](Outboard::append).
    pub fn append_on(&mut self, data: &[u8], executor: &dyn Executor) -> Result<(), WrongChange> {
        let start = self.append_start();
        let length = start + data.len() as u64;
        let kept = (start / self.parameters.leaf_length() as u64) as usize;
        if length < self.length {
            return Err(WrongChange::Length(kept as u64));
        }
        self.levels[0].truncate(kept);
        if self.parameters.leaf_count(length) == 1 {
            self.levels[0].push(self.parameters.only_leaf(data));
        } else {
            let leaves: Vec<(u64, &[u8])> = (kept as u64..).zip(data.chunks(self.parameters.leaf_length())).collect();
            self.levels[0].extend(self.parameters.leaves_on(&leaves, executor));
        }
        self.length = length;
        self.grow_from(kept.saturating_sub(1));
        Ok(())
    }

    /// The byte ranges, in ascending order, in which the file that this tree was built of differs
    /// from the one of `now`: leaves with other values, joined where they touch, and the bytes that
    /// only one of the files has. Nothing if the roots agree. Where only one of the files has a
    /// single leaf, BLAKE3's values of the first leaf differ even if its bytes agree.
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
