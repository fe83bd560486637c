//! The result for one file and its tree.

use super::{FileState, Flat, FlatState, Header};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Where a root that a file must give was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSource {
    /// In the request.
    Root,
    /// In a line that an auditor keeps.
    Kept,
}

/// A root that a file must give, and the one that it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedRoot {
    /// Where it was stated.
    pub stated: RootSource,
    /// The root that was stated.
    pub root: Vec<u8>,
    /// The root that the file gives.
    pub found: Vec<u8>,
}

/// The comparison of a file with its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeComparison {
    /// It was compared with this tree, leaf by leaf.
    ByTree(PathBuf, FileState),
    /// It was compared with this tree of two levels, leaf by leaf.
    ByFlat(PathBuf, Box<Flat>, FlatState),
    /// There is no tree: this number of leaves was hashed, and only the root is compared.
    Alone(u64),
}

/// The work that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeWork {
    /// The tree was built.
    Built,
    /// The tree was brought up to date.
    Updated {
        /// The ranges that were hashed again, in bytes.
        ranges: Vec<Range<u64>>,
        /// Values of the tree that were computed.
        computed: usize,
    },
    /// The tree took in these bytes.
    Appended(Range<u64>),
    /// The file was compared.
    Checked {
        /// With its tree, if it has one.
        judged: TreeComparison,
        /// With a root, if one was stated.
        expected: Option<ExpectedRoot>,
    },
    /// The file was received, and its tree built.
    Received {
        /// Bytes that had come in earlier runs.
        before: u64,
    },
    /// The tree was written in another program's form.
    Exported,
    /// The tree was taken from another program's form.
    Imported,
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The file.
    pub file: PathBuf,
    /// The function or the algorithm of its tree.
    pub algorithm: String,
    /// Bytes of a leaf; of a block, where blocks are dealt out to leaves.
    pub leaf: usize,
    /// Bytes of the file, as the tree has them.
    pub length: u64,
    /// The root, as the tree has it.
    pub root: Vec<u8>,
    /// The work that was done.
    pub done: TreeWork,
}

impl Summary {
    pub(super) fn new(file: &Path, tree: &Header, done: TreeWork) -> Summary {
        let Header { parameters, length, root, .. } = *tree;
        let (algorithm, leaf) = (parameters.function().name().to_owned(), parameters.leaf_length());
        Summary { file: file.to_owned(), algorithm, leaf, length, root: root.to_vec(), done }
    }

    pub(super) fn flat(file: &Path, tree: &Flat, done: TreeWork) -> Summary {
        let (algorithm, leaf) = (tree.shape().algorithm().to_string(), tree.shape().block());
        Summary { file: file.to_owned(), algorithm, leaf, length: tree.length(), root: tree.root().to_vec(), done }
    }

    /// How the file compares with its tree of two levels; `None` if it was not compared with one.
    pub fn judged_flat(&self) -> Option<&FlatState> {
        match &self.done {
            TreeWork::Checked { judged: TreeComparison::ByFlat(_, _, state), .. } => Some(state),
            _ => None,
        }
    }

    /// How the file compares with its tree; `None` if it was not compared with one.
    pub fn judged(&self) -> Option<&FileState> {
        match &self.done {
            TreeWork::Checked { judged: TreeComparison::ByTree(_, verdict), .. } => Some(verdict),
            _ => None,
        }
    }

    /// The byte ranges of a file that differ from its tree of two levels, joined where they touch.
    pub fn corrupt_flat(&self) -> Option<Vec<Range<u64>>> {
        match &self.done {
            TreeWork::Checked { judged: TreeComparison::ByFlat(_, tree, state), .. } => Some(corrupt(tree, state)),
            _ => None,
        }
    }

    /// The byte ranges that differ from the tree, of either kind; `None` if there was no comparison
    /// with one.
    pub fn corrupt(&self) -> Option<Vec<Range<u64>>> {
        match &self.done {
            TreeWork::Checked { judged: TreeComparison::ByTree(_, state), .. } => Some(state.corrupt.clone()),
            TreeWork::Checked { judged: TreeComparison::ByFlat(_, tree, state), .. } => {
                let mut ranges = corrupt(tree, state);
                if ranges.is_empty() && state.root != self.root {
                    ranges.push(0..self.length.max(state.length));
                }
                Some(ranges)
            }
            _ => None,
        }
    }

    /// The root that was stated, if one was, and the one that was found.
    pub fn expected(&self) -> Option<&ExpectedRoot> {
        match &self.done {
            TreeWork::Checked { expected, .. } => expected.as_ref(),
            _ => None,
        }
    }

    /// Whether anything differs from what it must be.
    pub fn differs(&self) -> bool {
        self.judged().is_some_and(|verdict| !verdict.corrupt.is_empty())
            || self.judged_flat().is_some_and(|state| state.root != self.root)
            || self.expected().is_some_and(|expected| expected.root != expected.found)
    }
}

/// The bytes that differ from a tree whose leaves follow each other, joined where they touch.
fn corrupt(tree: &Flat, state: &FlatState) -> Vec<Range<u64>> {
    let both = tree.length().min(state.length);
    let wrong = state.wrong.iter().flat_map(|leaf| tree.shape().ranges(*leaf, both));
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in wrong.chain(state.beyond.clone()) {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}
