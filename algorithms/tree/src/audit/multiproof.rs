//! One proof for many leaves: the values that cannot be computed from the leaves shown, each once, level by level from the leaves
//! up, ascending within a level.

use crate::outboard::{Outboard, Parameters, Value};

/// The values that the root needs beside the leaves of these indices, which ascend and are the file's.
pub(super) fn siblings(outboard: &Outboard, indices: &[u64]) -> Vec<Value> {
    let mut siblings = Vec::new();
    let mut known = indices.to_vec();
    for level in 0..outboard.height() {
        let values = outboard.level(level);
        let mut above: Vec<u64> = Vec::new();
        for &index in &known {
            if above.last() == Some(&(index / 2)) {
                continue;
            }
            let sibling = index ^ 1;
            let shown = known.binary_search(&sibling).is_ok();
            if let Some(value) = values.get(sibling as usize).filter(|_| !shown) {
                siblings.push(*value);
            }
            above.push(index / 2);
        }
        known = above;
    }
    siblings
}

/// The root of a file of `length` bytes over leaf values with ascending indices; `None` if the siblings are too few or too many.
pub(super) fn root(
    parameters: &Parameters,
    length: u64,
    mut known: Vec<(u64, Value)>,
    siblings: &[Value],
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
        if count <= 2 {
            let (_, top) = pairs.pop()?;
            return siblings.next().is_none().then(|| parameters.root(length, level, &top));
        }
        let up = |(index, pair): (u64, Vec<Value>)| match pair[..] {
            [left, right] => (index, parameters.node(level, &[left, right])),
            _ => (index, pair[0]),
        };
        known = pairs.into_iter().map(up).collect();
        count = count.div_ceil(2);
    }
    None
}
