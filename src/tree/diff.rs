//! `diff`: where two files differ, by their trees alone.

pub use super::rows::{FileComparison as Summary, Side};
use super::{Error, Event, Events, Flat, Outboard, Problem, SUFFIX, beside, key, keyless};
use crate::algorithms::Secret;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::os::names::OsStrExt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Two files with a tree beside each, or two trees (`*.pfhtree`).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// One file, which is not read, or its tree.
    pub one: PathBuf,
    /// The other.
    pub other: PathBuf,
    /// The key of trees that have one.
    pub secret: Option<Secret>,
}

impl Request {
    /// These two.
    pub fn new(one: impl Into<PathBuf>, other: impl Into<PathBuf>) -> Request {
        Request { one: one.into(), other: other.into(), secret: None }
    }
}

fn tree_of(path: &Path) -> PathBuf {
    let is_tree = path.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
    if is_tree { path.to_owned() } else { beside(path) }
}

/// Compares two trees of two levels. Of files of different lengths nothing can be said but that.
fn flat(request: &Request, one: &Flat, other: &Flat) -> Result<Summary, Error> {
    if one.shape() != other.shape() {
        return Err(Problem::Incomparable.into());
    }
    let side =
        |path: &Path, tree: &Flat| Side { path: path.to_owned(), root: tree.root().to_vec(), length: tree.length() };
    let longest = one.length().max(other.length());
    let mut differ: Vec<Range<u64>> = if one.length() == other.length() {
        one.differences(other).into_iter().flat_map(|leaf| one.shape().ranges(leaf, longest)).collect()
    } else {
        std::iter::once(0..longest).collect()
    };
    differ.sort_by_key(|range| range.start);
    differ.dedup_by(|next, last| {
        last.end == next.start && {
            last.end = next.end;
            true
        }
    });
    Ok(Summary {
        one: side(&request.one, one),
        other: side(&request.other, other),
        algorithm: one.shape().algorithm().to_string(),
        leaves: one.leaves(),
        differ,
    })
}

/// Compares two trees. Nothing is written.
///
/// # Errors
/// When a tree cannot be read, they have different functions or leaf lengths, or the events are
/// refused.
pub fn run(request: &Request, events: &mut Events<'_>, _control: &Control<'_>) -> Result<Summary, Error> {
    let summary = compared(request)?;
    events(Event::Compared(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn compared(request: &Request) -> Result<Summary, Error> {
    let (first, second) = (tree_of(&request.one), tree_of(&request.other));
    match (outboard::flat_name(&first)?, outboard::flat_name(&second)?) {
        (None, None) => {}
        (Some(_), Some(_)) => {
            keyless(request.secret.as_ref(), &first)?;
            return flat(request, &outboard::load_flat(&first)?, &outboard::load_flat(&second)?);
        }
        _ => return Err(Problem::Incomparable.into()),
    }
    let key = key(request.secret.as_ref());
    let (one, other) = (outboard::load(&first, key)?, outboard::load(&second, key)?);
    let differ = one.differences(&other).map_err(|_| Problem::Incomparable)?;
    let side = |path: &Path, tree: &Outboard| Side {
        path: path.to_owned(),
        root: tree.root().to_vec(),
        length: tree.length(),
    };
    Ok(Summary {
        one: side(&request.one, &one),
        other: side(&request.other, &other),
        algorithm: one.parameters().function().name().to_owned(),
        leaves: one.leaf_count(),
        differ,
    })
}
