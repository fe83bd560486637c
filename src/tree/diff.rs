//! `diff`: where two files differ, by their trees alone.

use super::{Error, Flat, Outboard, SUFFIX, beside};
use crate::shown;
use pfh_digest::hex;
use pfh_outboard as outboard;
use serde_json::json;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Two files with a tree beside each, or two trees (`*.pfhtree`).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// One file, which is not read, or its tree.
    pub one: PathBuf,
    /// The other.
    pub other: PathBuf,
}

impl Request {
    /// These two.
    pub fn new(one: impl Into<PathBuf>, other: impl Into<PathBuf>) -> Request {
        Request { one: one.into(), other: other.into() }
    }
}

/// One of two files, by its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Side {
    /// The name in the request.
    pub path: PathBuf,
    /// Its root.
    pub root: Vec<u8>,
    /// Its bytes.
    pub length: u64,
}

/// How two files compare.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// One file.
    pub one: Side,
    /// The other.
    pub other: Side,
    /// The function or the algorithm of both trees.
    pub algorithm: String,
    /// Leaves of one tree.
    pub leaves: u64,
    /// Byte ranges that differ: whole leaves, joined where they touch, in ascending order.
    pub differ: Vec<Range<u64>>,
}

impl Summary {
    /// Whether the files are the same.
    pub fn is_same(&self) -> bool {
        self.differ.is_empty() && self.one.root == self.other.root
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let range = |range: &Range<u64>| json!({ "offset": range.start, "length": range.end - range.start });
        let object = json!({
            "type": "diff",
            "verdict": if self.is_same() { "verified" } else { "differs" },
            "one": shown(&self.one.path),
            "other": shown(&self.other.path),
            "algorithm": self.algorithm,
            "root": hex::encode(&self.one.root),
            "other_root": hex::encode(&self.other.root),
            "length": self.one.length,
            "other_length": self.other.length,
            "differ": self.differ.iter().map(range).collect::<Vec<_>>(),
        });
        format!("{object}\n")
    }

    /// Lines for people: a range each, or that the files are the same.
    pub fn text(&self) -> String {
        if self.is_same() {
            let (one, other, algorithm) = (shown(&self.one.path), shown(&self.other.path), &self.algorithm);
            let (leaves, root) = (self.leaves, hex::encode(&self.one.root));
            return format!("{one} and {other}: the same {leaves} leaves, {algorithm} root {root}\n");
        }
        self.differ.iter().map(|range| format!("{}:{}\n", range.start, range.end - range.start)).collect()
    }
}

fn tree_of(path: &Path) -> PathBuf {
    let is_tree = path.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
    if is_tree { path.to_owned() } else { beside(path) }
}

/// Compares two trees of two levels. Of files of different lengths nothing can be said but that.
fn flat(request: &Request, one: &Flat, other: &Flat) -> Result<Summary, Error> {
    if one.shape() != other.shape() {
        return Err(Error::Incomparable);
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
/// When a tree cannot be read, or they have different functions or leaf lengths.
pub fn run(request: &Request) -> Result<Summary, Error> {
    let (first, second) = (tree_of(&request.one), tree_of(&request.other));
    match (outboard::flat_name(&first)?, outboard::flat_name(&second)?) {
        (None, None) => {}
        (Some(_), Some(_)) => return flat(request, &outboard::load_flat(&first)?, &outboard::load_flat(&second)?),
        _ => return Err(Error::Incomparable),
    }
    let (one, other) = (outboard::load(&first)?, outboard::load(&second)?);
    let differ = one.differences(&other).map_err(|_| Error::Incomparable)?;
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
