//! Which parts of a file are not what they were when its tree was made.

use super::{Failure, Pass, build};
use pfh_source::Ranges;
use pfh_source::os::names::OsStrExt;
use pfh_tree::outboard::{Outboard, Values};
use std::ops::Range;
use std::path::Path;

/// The state of a file, seen from its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// Bytes of the file now.
    pub length: u64,
    /// The root of the file's bytes now.
    pub root: [u8; 32],
    /// Leaves of the file now.
    pub leaves: u64,
    /// Byte ranges that differ: whole leaves, joined where they touch, in ascending order; also
    /// those that only one of file and tree has. Where the file has grown, the bytes that it had
    /// before are not among them if they are the same.
    pub corrupt: Vec<Range<u64>>,
}

/// Hashes the whole file and compares it with its tree, leaf by leaf.
///
/// # Errors
/// When the file cannot be read to its end, or changed meanwhile.
pub fn check(file: &Path, outboard: &Outboard, pass: &mut Pass<'_>) -> Result<FileState, Failure> {
    let now = build(file, outboard.parameters(), pass)?;
    let mut corrupt = outboard.differences(&now)?;
    if let Some(same) = same_under_another_length(file, outboard, &now)? {
        corrupt = corrupt.into_iter().flat_map(|range| without(range, &same)).collect();
    }
    if corrupt.is_empty() && now.root() != outboard.root() {
        // Equal leaves and another root: only the length can differ, by which the file is wrong as
        // a whole.
        corrupt.push(0..now.length().max(outboard.length()));
    }
    Ok(FileState { length: now.length(), root: *now.root(), leaves: now.leaf_count(), corrupt })
}

/// The rest of a range.
fn without(range: Range<u64>, same: &Range<u64>) -> Vec<Range<u64>> {
    let parts = [range.start..range.end.min(same.start), range.start.max(same.end)..range.end];
    parts.into_iter().filter(|part| part.start < part.end).collect()
}

/// The last leaf that both lengths have, if its value differs because of the length alone: a leaf
/// that was not full and has become longer, or, under BLAKE3, one that was alone or is so now.
fn same_under_another_length(file: &Path, old: &Outboard, now: &Outboard) -> Result<Option<Range<u64>>, Failure> {
    let (parameters, shorter) = (old.parameters(), old.length().min(now.length()));
    if old.length() == now.length() || shorter == 0 {
        return Ok(None);
    }
    let index = (shorter - 1) / parameters.leaf_length() as u64;
    let (was, is) = (parameters.leaf_range(index, old.length()), parameters.leaf_range(index, now.length()));
    if was.end > is.end {
        return Ok(None);
    }
    let read = Ranges::open(file.as_os_str().as_bytes()).map_err(Failure::read(file))?;
    let mut bytes = Vec::new();
    read.read(is.clone(), &mut bytes).map_err(Failure::read(file))?;
    let value = |tree: &Outboard, bytes: &[u8]| parameters.leaves_of(tree.length(), &[(index, bytes)])[0];
    let stored = |tree: &Outboard| tree.value(0, index).ok();
    // The bytes are those that were hashed just now, and the tree was made of their front.
    let same = stored(now) == Some(value(now, &bytes))
        && stored(old) == Some(value(old, &bytes[..(was.end - was.start) as usize]));
    Ok(same.then_some(was))
}
