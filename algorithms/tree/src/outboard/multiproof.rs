//! One proof for many leaves: the values that cannot be computed from the leaves shown, each once,
//! level by level from the leaves up, ascending within a level.

use std::io;

use super::{Parameters, Value, Values};

/// The number of values on a level below which lies a level of `count`, the highest having one or
/// two.
fn above(count: u64) -> Option<u64> {
    (count > 2).then(|| count.div_ceil(2))
}

/// Calls `missing` with level and index of each value that the root needs beside the leaves of
/// these indices, which ascend and are the file's.
fn walk(leaves: u64, indices: &[u64], mut missing: impl FnMut(u32, u64) -> io::Result<()>) -> io::Result<()> {
    let mut known = indices.to_vec();
    let mut count = Some(leaves);
    for level in 0.. {
        let Some(here) = count else { break };
        let mut parents: Vec<u64> = Vec::with_capacity(known.len());
        for &index in &known {
            if parents.last() == Some(&(index / 2)) {
                continue;
            }
            let sibling = index ^ 1;
            if sibling < here && known.binary_search(&sibling).is_err() {
                missing(level, sibling)?;
            }
            parents.push(index / 2);
        }
        known = parents;
        count = above(here);
    }
    Ok(())
}

/// The values that the root needs beside the leaves of these indices.
///
/// # Errors
/// Those of reading the values.
pub(crate) fn siblings(tree: &dyn Values, indices: &[u64]) -> io::Result<Vec<Value>> {
    let mut siblings = Vec::new();
    walk(tree.leaves(), indices, |level, index| {
        siblings.push(tree.value(level, index)?);
        Ok(())
    })?;
    Ok(siblings)
}

/// How many values [`siblings`] gives.
pub(crate) fn sibling_count(leaves: u64, indices: &[u64]) -> u64 {
    let mut count = 0;
    let counted = walk(leaves, indices, |_, _| {
        count += 1;
        Ok(())
    });
    debug_assert!(counted.is_ok(), "counting reads nothing");
    count
}

/// The root of a file of `length` bytes over leaf values with ascending indices; `None` if the
/// siblings are too few or too many.
pub(crate) fn root(
    parameters: &Parameters,
    length: u64,
    known: Vec<(u64, Value)>,
    siblings: &[Value],
) -> Option<Value> {
    root_and_nodes(parameters, length, known, siblings, |_, _, _| {})
}

/// As [`root`]; `node` is called with level, index and value of each stored value above the leaves
/// that was computed.
pub(crate) fn root_and_nodes(
    parameters: &Parameters,
    length: u64,
    mut known: Vec<(u64, Value)>,
    siblings: &[Value],
    mut node: impl FnMut(u32, u64, Value),
) -> Option<Value> {
    let mut siblings = siblings.iter().copied();
    let mut count = parameters.leaf_count(length);
    for level in 0.. {
        let mut pairs: Vec<(u64, Vec<Value>)> = Vec::with_capacity(known.len());
        let mut rest = known.into_iter().peekable();
        while let Some((index, value)) = rest.next() {
            let pair = if index % 2 == 1 {
                // Its left neighbour is not known, or it would have taken this one.
                vec![siblings.next()?, value]
            } else if index + 1 == count {
                vec![value]
            } else {
                match rest.next_if(|(next, _)| *next == index + 1) {
                    Some((_, next)) => vec![value, next],
                    None => vec![value, siblings.next()?],
                }
            };
            pairs.push((index / 2, pair));
        }
        let Some(parents) = above(count) else {
            let (_, top) = pairs.pop()?;
            return siblings.next().is_none().then(|| parameters.root(length, level, &top));
        };
        let up = |(index, pair): (u64, Vec<Value>)| match pair[..] {
            [left, right] => (index, parameters.node(level, &[left, right])),
            _ => (index, pair[0]),
        };
        known = pairs.into_iter().map(up).collect();
        known.iter().for_each(|&(index, value)| node(level + 1, index, value));
        count = parents;
    }
    None
}
