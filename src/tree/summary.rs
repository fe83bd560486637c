//! What came of one file and its tree, as values, as text and as JSON.

use super::{FileState, Flat, FlatState, Header};
use crate::{jsonl, shown};
use pfh_digest::hex;
use serde_json::{Value, json};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where a root that a file must give was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stated {
    /// In the request.
    Root,
    /// In a line that an auditor keeps.
    Kept,
}

/// A root that a file must give, and the one that it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// Where it was stated.
    pub stated: Stated,
    /// The root that was stated.
    pub root: Vec<u8>,
    /// The root that the file gives.
    pub found: Vec<u8>,
}

/// What a file is beside its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Judged {
    /// It was compared with this tree, leaf by leaf.
    ByTree(PathBuf, FileState),
    /// It was compared with this tree of two levels, leaf by leaf.
    ByFlat(PathBuf, Box<Flat>, FlatState),
    /// There is no tree: this number of leaves was hashed, and only the root is compared.
    Alone(u64),
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Done {
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
        judged: Judged,
        /// With a root, if one was stated.
        expected: Option<Expected>,
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
    /// What was done.
    pub done: Done,
}

fn ranges(ranges: &[Range<u64>]) -> Vec<Value> {
    ranges.iter().map(|range| json!({ "offset": range.start, "length": range.end - range.start })).collect()
}

impl Summary {
    pub(super) fn new(file: &Path, tree: &Header, done: Done) -> Summary {
        let Header { parameters, length, root, .. } = *tree;
        let (algorithm, leaf) = (parameters.function().name().to_owned(), parameters.leaf_length());
        Summary { file: file.to_owned(), algorithm, leaf, length, root: root.to_vec(), done }
    }

    pub(super) fn flat(file: &Path, tree: &Flat, done: Done) -> Summary {
        let (algorithm, leaf) = (tree.shape().algorithm().to_string(), tree.shape().block());
        Summary { file: file.to_owned(), algorithm, leaf, length: tree.length(), root: tree.root().to_vec(), done }
    }

    /// How the file compares with its tree of two levels; `None` if it was not compared with one.
    pub fn judged_flat(&self) -> Option<&FlatState> {
        match &self.done {
            Done::Checked { judged: Judged::ByFlat(_, _, state), .. } => Some(state),
            _ => None,
        }
    }

    /// How the file compares with its tree; `None` if it was not compared with one.
    pub fn judged(&self) -> Option<&FileState> {
        match &self.done {
            Done::Checked { judged: Judged::ByTree(_, verdict), .. } => Some(verdict),
            _ => None,
        }
    }

    /// The byte ranges that differ from the tree, of either kind; `None` if there was no comparison
    /// with one.
    pub fn corrupt(&self) -> Option<Vec<Range<u64>>> {
        match &self.done {
            Done::Checked { judged: Judged::ByTree(_, state), .. } => Some(state.corrupt.clone()),
            Done::Checked { judged: Judged::ByFlat(_, tree, state), .. } => {
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
    pub fn expected(&self) -> Option<&Expected> {
        match &self.done {
            Done::Checked { expected, .. } => expected.as_ref(),
            _ => None,
        }
    }

    /// Whether anything differs from what it must be.
    pub fn differs(&self) -> bool {
        self.judged().is_some_and(|verdict| !verdict.corrupt.is_empty())
            || self.judged_flat().is_some_and(|state| state.root != self.root)
            || self.expected().is_some_and(|expected| expected.root != expected.found)
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> Vec<u8> {
        let mut more = json!({
            "algorithm": self.algorithm,
            "leaf": self.leaf,
            "length": self.length,
            "root": hex::encode(&self.root),
        });
        let kind = match &self.done {
            Done::Built => "built",
            Done::Updated { ranges: changed, computed } => {
                more["changed"] = json!(ranges(changed));
                more["values_computed"] = json!(computed);
                "updated"
            }
            Done::Appended(range) => {
                more["appended"] = json!(range.end - range.start);
                "appended"
            }
            Done::Checked { judged, expected } => {
                if !matches!(judged, Judged::Alone(..)) || expected.is_some() {
                    more["verdict"] = json!(if self.differs() { "differs" } else { "verified" });
                }
                if let Judged::ByTree(tree, verdict) = judged {
                    more["found_length"] = json!(verdict.length);
                    more["found_root"] = json!(hex::encode(&verdict.root));
                    more["corrupt"] = json!(ranges(&verdict.corrupt));
                    more["tree"] = json!(shown(tree));
                }
                if let Judged::ByFlat(tree, flat, state) = judged {
                    more["found_length"] = json!(state.length);
                    more["found_root"] = json!(hex::encode(&state.root));
                    more["corrupt_leaves"] = json!(state.wrong);
                    more["leaves"] = json!(flat.leaves());
                    if !flat.shape().is_interleaved() {
                        more["corrupt"] = json!(ranges(&corrupt(flat, state)));
                    }
                    more["tree"] = json!(shown(tree));
                }
                if let Some(expected) = expected {
                    more["expected_root"] = json!(hex::encode(&expected.root));
                    more["root_found"] = json!(hex::encode(&expected.found));
                }
                "checked"
            }
            Done::Exported => "exported",
            Done::Imported => "imported",
        };
        jsonl::object(kind, self.file.as_os_str().as_bytes(), &more)
    }

    /// Lines for people: the root and the name, or the verdict.
    pub fn text(&self) -> String {
        match &self.done {
            Done::Checked { judged, expected } => self.verdict(judged, expected.as_ref()),
            _ => format!("{}  {}\n", hex::encode(&self.root), shown(&self.file)),
        }
    }

    fn verdict(&self, judged: &Judged, expected: Option<&Expected>) -> String {
        let (name, algorithm) = (shown(&self.file), &self.algorithm);
        let wrong = expected.filter(|expected| expected.root != expected.found);
        let mut text = String::new();
        if let Judged::ByTree(tree, verdict) = judged {
            for range in &verdict.corrupt {
                text += &format!("{name}: corrupt: {}:{}\n", range.start, range.end - range.start);
            }
            if verdict.length != self.length {
                text += &format!("{name}: has {} bytes, its tree is of {}\n", verdict.length, self.length);
            }
            if expected.is_some() && wrong.is_none() && !verdict.corrupt.is_empty() {
                let tree = shown(tree);
                text += &format!("{name}: gives the root stated; it is {tree} that differs: build it again\n");
            }
        }
        if let Judged::ByFlat(tree, flat, state) = judged {
            text += &flat_lines(&name, flat, state);
            if state.root != self.root && text.is_empty() {
                text += &format!("{name}: has another root than {}\n", shown(tree));
            }
        }
        if let Some(expected) = wrong {
            let (found, root) = (hex::encode(&expected.found), hex::encode(&expected.root));
            text += &format!("{name}: DIFFERS: gives the {algorithm} root {found}, not {root}\n");
        }
        if !text.is_empty() {
            return text;
        }
        let leaves = match judged {
            Judged::ByTree(tree, verdict) => format!("{} leaves are those of {}", verdict.leaves, shown(tree)),
            Judged::ByFlat(tree, _, state) => format!("{} leaves are those of {}", state.leaves, shown(tree)),
            Judged::Alone(leaves) => format!("{leaves} leaves, no tree"),
        };
        let stated = match expected.map(|expected| expected.stated) {
            None => "",
            Some(Stated::Root) => ", the one stated",
            Some(Stated::Kept) => ", the one that is kept",
        };
        format!("{name}: OK: {leaves}, {algorithm} root {}{stated}\n", hex::encode(&self.root))
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

/// A line for each part of a file that differs from its tree of two levels.
fn flat_lines(name: &str, tree: &Flat, state: &FlatState) -> String {
    let mut text = String::new();
    if tree.shape().is_interleaved() {
        let (block, leaves) = (tree.shape().block() as u64, tree.leaves());
        for leaf in &state.wrong {
            let (round, first) = (block * leaves, leaf * block);
            text += &format!(
                "{name}: corrupt: leaf {leaf} of {leaves}: {block} bytes of every {round}, the first at {first}\n"
            );
        }
    }
    for range in corrupt(tree, state)
        .iter()
        .filter(|range| !tree.shape().is_interleaved() || state.beyond.as_ref() == Some(range))
    {
        text += &format!("{name}: corrupt: {}:{}\n", range.start, range.end - range.start);
    }
    if state.length != tree.length() {
        text += &format!("{name}: has {} bytes, its tree is of {}\n", state.length, tree.length());
    }
    text
}
