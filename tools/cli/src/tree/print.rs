//! What is printed of a tree: a line for the root, a line for each range.

use crate::exit::{self, Exit};
use pfh::outboard::Verdict;
use pfh::tree::outboard::Outboard;
use serde_json::json;
use std::ops::Range;

/// One file's result.
pub struct Said {
    what: &'static str,
    file: Vec<u8>,
    algorithm: &'static str,
    leaf: usize,
    length: u64,
    root: String,
    /// Ranges that were hashed anew, and the number of values that it took.
    changed: Option<(Vec<Range<u64>>, usize)>,
    appended: Option<Range<u64>>,
    verdict: Option<Verdict>,
}

fn hex(value: &[u8; 32]) -> String {
    value.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ranges(ranges: &[Range<u64>]) -> Vec<serde_json::Value> {
    ranges.iter().map(|range| json!({ "offset": range.start, "length": range.end - range.start })).collect()
}

impl Said {
    pub fn new(what: &'static str, file: &[u8], tree: &Outboard) -> Said {
        let parameters = tree.parameters();
        Said {
            what,
            file: file.to_vec(),
            algorithm: parameters.function().name(),
            leaf: parameters.leaf_length(),
            length: tree.length(),
            root: hex(tree.root()),
            changed: None,
            appended: None,
            verdict: None,
        }
    }

    pub fn changed(self, ranges: Vec<Range<u64>>, computed: usize) -> Said {
        Said { changed: Some((ranges, computed)), ..self }
    }

    pub fn appended(self, range: Range<u64>) -> Said {
        Said { appended: Some(range), ..self }
    }

    pub fn judged(self, verdict: Verdict) -> Said {
        Said { verdict: Some(verdict), ..self }
    }

    /// Prints it. A corrupt range is a negative verdict.
    pub fn print(&self, as_json: bool) -> Exit {
        let text = if as_json { self.json() } else { self.text().into_bytes() };
        if let Err(error) = exit::print(&text) {
            return exit::of_output(&error);
        }
        if self.verdict.as_ref().is_some_and(|verdict| !verdict.corrupt.is_empty()) {
            Exit::Verdict
        } else {
            Exit::Good
        }
    }

    fn json(&self) -> Vec<u8> {
        let mut more = json!({
            "algorithm": self.algorithm,
            "leaf": self.leaf,
            "length": self.length,
            "root": self.root,
        });
        if let Some((changed, computed)) = &self.changed {
            more["changed"] = json!(ranges(changed));
            more["values_computed"] = json!(computed);
        }
        if let Some(range) = &self.appended {
            more["appended"] = json!(range.end - range.start);
        }
        if let Some(verdict) = &self.verdict {
            more["verdict"] = json!(if verdict.corrupt.is_empty() { "good" } else { "corrupt" });
            more["found_length"] = json!(verdict.length);
            more["found_root"] = json!(hex(&verdict.root));
            more["corrupt"] = json!(ranges(&verdict.corrupt));
        }
        let mut line = format!("{{\"type\":\"{}\"", self.what).into_bytes();
        pfh::format::jsonl::path(&mut line, &self.file);
        line.push(b',');
        // The members without the opening brace.
        line.extend_from_slice(&more.to_string().as_bytes()[1..]);
        line.push(b'\n');
        line
    }

    fn text(&self) -> String {
        let name = crate::shown(&self.file);
        let Some(verdict) = &self.verdict else { return format!("{}  {name}\n", self.root) };
        if verdict.corrupt.is_empty() {
            return format!("{name}: OK\n");
        }
        let mut text = String::new();
        for range in &verdict.corrupt {
            text += &format!("{name}: corrupt: {}:{}\n", range.start, range.end - range.start);
        }
        if verdict.length != self.length {
            text += &format!("{name}: has {} bytes, its tree is of {}\n", verdict.length, self.length);
        }
        text
    }
}
