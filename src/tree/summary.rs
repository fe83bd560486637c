//! What came of one file and its tree, as values, as text and as JSON.

use super::{FileState, Header, Parameters};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expected {
    /// Where it was stated.
    pub stated: Stated,
    /// The root that was stated.
    pub root: [u8; 32],
    /// The root that the file gives.
    pub found: [u8; 32],
}

/// What a file is beside its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Judged {
    /// It was compared with this tree, leaf by leaf.
    ByTree(PathBuf, FileState),
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
    /// Function and leaf length of its tree.
    pub parameters: Parameters,
    /// Bytes of the file, as the tree has them.
    pub length: u64,
    /// The root, as the tree has it.
    pub root: [u8; 32],
    /// What was done.
    pub done: Done,
}

fn ranges(ranges: &[Range<u64>]) -> Vec<Value> {
    ranges.iter().map(|range| json!({ "offset": range.start, "length": range.end - range.start })).collect()
}

impl Summary {
    pub(super) fn new(file: &Path, tree: &Header, done: Done) -> Summary {
        let Header { parameters, length, root, .. } = *tree;
        Summary { file: file.to_owned(), parameters, length, root, done }
    }

    /// How the file compares with its tree; `None` if it was not compared with one.
    pub fn judged(&self) -> Option<&FileState> {
        match &self.done {
            Done::Checked { judged: Judged::ByTree(_, verdict), .. } => Some(verdict),
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
            || self.expected().is_some_and(|expected| expected.root != expected.found)
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> Vec<u8> {
        let mut more = json!({
            "algorithm": self.parameters.function().name(),
            "leaf": self.parameters.leaf_length(),
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
                if matches!(judged, Judged::ByTree(..)) || expected.is_some() {
                    more["verdict"] = json!(if self.differs() { "differs" } else { "verified" });
                }
                if let Judged::ByTree(tree, verdict) = judged {
                    more["found_length"] = json!(verdict.length);
                    more["found_root"] = json!(hex::encode(&verdict.root));
                    more["corrupt"] = json!(ranges(&verdict.corrupt));
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
        let (name, algorithm) = (shown(&self.file), self.parameters.function().name());
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
                text += &format!("{name}: gives the root stated; it is {tree} that differs: build it anew\n");
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
