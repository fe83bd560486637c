//! Which parts of a file are not what they were when its tree was made.

use super::{Failure, Pass, build};
use pfh_tree::outboard::Outboard;
use std::ops::Range;
use std::path::Path;

/// What a file is, seen from its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Bytes of the file now.
    pub length: u64,
    /// The root of the file's bytes now.
    pub root: [u8; 32],
    /// Byte ranges that differ: whole leaves, joined where they touch, in ascending order; also those that only one of file and tree
    /// has.
    pub corrupt: Vec<Range<u64>>,
}

/// Hashes the whole file and compares it with its tree, leaf by leaf.
///
/// # Errors
/// When the file cannot be read to its end, or changed meanwhile.
pub fn check(file: &Path, outboard: &Outboard, pass: &mut Pass<'_>) -> Result<Verdict, Failure> {
    let now = build(file, outboard.parameters(), pass)?;
    let mut corrupt = outboard.differences(&now)?;
    if corrupt.is_empty() && now.root() != outboard.root() {
        // Equal leaves and another root: only the length can differ, by which the file is wrong as a whole.
        corrupt.push(0..now.length().max(outboard.length()));
    }
    Ok(Verdict { length: now.length(), root: *now.root(), corrupt })
}
