//! What is printed of a tree: a line for the root, a line for each range.

use crate::exit::{self, Exit};
use pfh::hex;
use pfh::outboard::Verdict;
use pfh::tree::outboard::Header;
use serde_json::json;
use std::ops::Range;

/// Where a root that a file must give was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stated {
    /// On the command line.
    Root,
    /// In a line that an auditor keeps.
    Kept,
}

/// A root that a file must give, and the one that it gives.
#[derive(Debug, Clone)]
pub struct Expected {
    pub stated: Stated,
    pub root: [u8; 32],
    pub found: [u8; 32],
}

/// One file's result.
pub struct Said {
    what: &'static str,
    file: Vec<u8>,
    algorithm: &'static str,
    leaf: usize,
    length: u64,
    root: [u8; 32],
    /// Ranges that were hashed anew, and the number of values that it took.
    changed: Option<(Vec<Range<u64>>, usize)>,
    appended: Option<Range<u64>>,
    /// What the file is beside its tree, and the tree's name.
    verdict: Option<(Verdict, Vec<u8>)>,
    /// Leaves of a file that was hashed without a tree.
    alone: Option<u64>,
    expected: Option<Expected>,
}

fn ranges(ranges: &[Range<u64>]) -> Vec<serde_json::Value> {
    ranges.iter().map(|range| json!({ "offset": range.start, "length": range.end - range.start })).collect()
}

impl Said {
    pub fn new(what: &'static str, file: &[u8], tree: &Header) -> Said {
        Said {
            what,
            file: file.to_vec(),
            algorithm: tree.parameters.function().name(),
            leaf: tree.parameters.leaf_length(),
            length: tree.length,
            root: tree.root,
            changed: None,
            appended: None,
            verdict: None,
            alone: None,
            expected: None,
        }
    }

    pub fn changed(self, ranges: Vec<Range<u64>>, computed: usize) -> Said {
        Said { changed: Some((ranges, computed)), ..self }
    }

    pub fn appended(self, range: Range<u64>) -> Said {
        Said { appended: Some(range), ..self }
    }

    pub fn judged(self, verdict: Verdict, tree: &[u8]) -> Said {
        Said { verdict: Some((verdict, tree.to_vec())), ..self }
    }

    pub fn without_tree(self, leaves: u64) -> Said {
        Said { alone: Some(leaves), ..self }
    }

    pub fn expected(self, expected: Option<Expected>) -> Said {
        Said { expected, ..self }
    }

    /// Whether anything differs from what it must be.
    fn differs(&self) -> bool {
        self.verdict.as_ref().is_some_and(|(verdict, _)| !verdict.corrupt.is_empty())
            || self.expected.as_ref().is_some_and(|expected| expected.root != expected.found)
    }

    /// Prints it. A corrupt range and another root than the one stated are negative verdicts.
    pub fn print(&self, as_json: bool) -> Exit {
        let text = if as_json { self.json() } else { self.text().into_bytes() };
        if let Err(error) = exit::print(&text) {
            return exit::of_output(&error);
        }
        if self.differs() { Exit::Verdict } else { Exit::Good }
    }

    fn json(&self) -> Vec<u8> {
        let mut more = json!({
            "algorithm": self.algorithm,
            "leaf": self.leaf,
            "length": self.length,
            "root": hex::encode(&self.root),
        });
        if let Some((changed, computed)) = &self.changed {
            more["changed"] = json!(ranges(changed));
            more["values_computed"] = json!(computed);
        }
        if let Some(range) = &self.appended {
            more["appended"] = json!(range.end - range.start);
        }
        if self.verdict.is_some() || self.expected.is_some() {
            more["verdict"] = json!(if self.differs() { "differs" } else { "verified" });
        }
        if let Some((verdict, tree)) = &self.verdict {
            more["found_length"] = json!(verdict.length);
            more["found_root"] = json!(hex::encode(&verdict.root));
            more["corrupt"] = json!(ranges(&verdict.corrupt));
            more["tree"] = json!(crate::shown(tree));
        }
        if let Some(expected) = &self.expected {
            more["expected_root"] = json!(hex::encode(&expected.root));
            more["root_found"] = json!(hex::encode(&expected.found));
        }
        let mut line = format!("{{\"type\":\"{}\"", self.what).into_bytes();
        pfh::manifest::jsonl::path(&mut line, &self.file);
        line.push(b',');
        // The members without the opening brace.
        line.extend_from_slice(&more.to_string().as_bytes()[1..]);
        line.push(b'\n');
        line
    }

    fn text(&self) -> String {
        let name = crate::shown(&self.file);
        if self.verdict.is_none() && self.expected.is_none() {
            return format!("{}  {name}\n", hex::encode(&self.root));
        }
        let mut text = String::new();
        if let Some((verdict, tree)) = &self.verdict {
            for range in &verdict.corrupt {
                text += &format!("{name}: corrupt: {}:{}\n", range.start, range.end - range.start);
            }
            if verdict.length != self.length {
                text += &format!("{name}: has {} bytes, its tree is of {}\n", verdict.length, self.length);
            }
            let right = self.expected.as_ref().is_some_and(|expected| expected.root == expected.found);
            if right && !verdict.corrupt.is_empty() {
                text += &format!(
                    "{name}: gives the root stated; it is {} that differs: build it anew\n",
                    crate::shown(tree)
                );
            }
        }
        if let Some(expected) = self.expected.as_ref().filter(|expected| expected.root != expected.found) {
            let (found, root) = (hex::encode(&expected.found), hex::encode(&expected.root));
            text += &format!("{name}: DIFFERS: gives the {} root {found}, not {root}\n", self.algorithm);
        }
        if !text.is_empty() {
            return text;
        }
        let leaves = match (&self.verdict, self.alone) {
            (Some((verdict, tree)), _) => format!("{} leaves are those of {}, ", verdict.leaves, crate::shown(tree)),
            (None, Some(leaves)) => format!("{leaves} leaves, no tree, "),
            (None, None) => String::new(),
        };
        let stated = match self.expected.as_ref().map(|expected| expected.stated) {
            None => "",
            Some(Stated::Root) => ", the one stated",
            Some(Stated::Kept) => ", the one that is kept",
        };
        format!("{name}: OK: {leaves}{} root {}{stated}\n", self.algorithm, hex::encode(&self.root))
    }
}
