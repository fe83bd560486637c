//! `diff`: where two files differ, by their trees alone.

use super::{Error, Failure, Outboard, Parameters, SUFFIX, beside};
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
    pub root: [u8; 32],
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
    /// Function and leaf length of both trees.
    pub parameters: Parameters,
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
            "algorithm": self.parameters.function().name(),
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
            let (one, other, algorithm) =
                (shown(&self.one.path), shown(&self.other.path), self.parameters.function().name());
            let (leaves, root) = (self.leaves, hex::encode(&self.one.root));
            return format!("{one} and {other}: the same {leaves} leaves, {algorithm} root {root}\n");
        }
        self.differ.iter().map(|range| format!("{}:{}\n", range.start, range.end - range.start)).collect()
    }
}

fn load(path: &Path) -> Result<Outboard, Failure> {
    let is_tree = path.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
    outboard::load(&if is_tree { path.to_owned() } else { beside(path) })
}

/// Compares two trees. Nothing is written.
///
/// # Errors
/// When a tree cannot be read, or they have different functions or leaf lengths.
pub fn run(request: &Request) -> Result<Summary, Error> {
    let (one, other) = (load(&request.one)?, load(&request.other)?);
    let differ = one.differences(&other).map_err(|_| Error::Incomparable)?;
    let side = |path: &Path, tree: &Outboard| Side { path: path.to_owned(), root: *tree.root(), length: tree.length() };
    Ok(Summary {
        one: side(&request.one, &one),
        other: side(&request.other, &other),
        parameters: one.parameters(),
        leaves: one.leaf_count(),
        differ,
    })
}
