//! Lists as another hand reads them.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The content of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// The SHA-256 in hex by the file, named by its path in the room.
    pub digests: BTreeMap<String, String>,
    /// Files and directories that have a record without a digest.
    pub without: BTreeSet<String>,
    /// Links and the like, which have no digest by their kind.
    pub passed: BTreeSet<String>,
    /// Lines that are nothing of that, and names that come twice.
    pub odd: usize,
    /// Whether the end that the format promises is there; of a format without one: whether the last
    /// line has its end.
    pub is_ended: bool,
}

/// The path in the room of a name in a list.
fn name(text: &str) -> String {
    let tree = if text.ends_with("/tree") { "/tree" } else { "/tree/" };
    text.rfind(tree).map_or(text, |at| &text[at + 1..]).to_owned()
}

/// Whether a name is one of these, or lies in one.
fn is_below(all: &BTreeSet<String>, name: &str) -> bool {
    all.iter().any(|one| name.strip_prefix(&**one).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

impl List {
    /// Reads a list of any form of [`Form`](crate::step::Form).
    pub fn read(bytes: &[u8]) -> List {
        let text = String::from_utf8_lossy(bytes);
        let mut list = List { is_ended: text.is_empty() || text.ends_with('\n'), ..List::default() };
        let is_json = text.starts_with('{');
        if is_json {
            let last = text.lines().next_back().unwrap_or_default();
            list.is_ended &= last.starts_with("{\"type\":\"summary\"");
        }
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if is_json { list.object(line) } else { list.line(line) }
        }
        list
    }

    /// Whether each file that it names has a digest, and it is whole.
    pub fn is_complete(&self) -> bool {
        self.without.is_empty() && self.odd == 0 && self.is_ended
    }

    /// Whether a name, or a directory that it lies in, was a link or the like.
    pub fn passes(&self, name: &str) -> bool {
        is_below(&self.passed, name)
    }

    /// Whether nobody looked at a file when the list was made.
    pub fn hides(&self, name: &str) -> bool {
        is_below(&self.without, name) || self.passes(name)
    }

    fn add(&mut self, path: &str, digest: &str) {
        let is_new = self.digests.insert(name(path), digest.to_owned()).is_none();
        self.odd += usize::from(!is_new || digest.len() != 64);
    }

    fn object(&mut self, line: &str) {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        match (value["type"].as_str(), value["path"].as_str(), value["digests"]["sha256"].as_str()) {
            (Some("file"), Some(path), Some(digest)) => self.add(path, digest),
            (Some("error"), Some(path), None) => {
                self.without.insert(name(path));
            }
            // A link or a FIFO lacks nothing.
            (Some("skipped"), Some(path), None) => {
                self.passed.insert(name(path));
            }
            (Some("summary" | "base"), ..) => {}
            _ => self.odd += 1,
        }
    }

    fn line(&mut self, line: &str) {
        let bsd = line.strip_prefix("SHA256 (").and_then(|rest| rest.rsplit_once(") = "));
        match bsd.or_else(|| line.split_once("  ").map(|(digest, path)| (path, digest))) {
            Some((path, digest)) => self.add(path, digest),
            None => self.odd += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_half_of_one_is_seen() {
        let hex = "ab".repeat(32);
        let sums = format!("{hex}  /x/tree/a\n");
        let bsd = format!("SHA256 (/x/tree/a) = {hex}\n");
        let json = format!(
            "{{\"type\":\"file\",\"path\":\"/x/tree/a\",\"digests\":{{\"sha256\":\"{hex}\"}}}}\n{{\"type\":\"error\",\"path\":\"/x/tree/b\"}}\n{{\"type\":\"summary\"}}\n"
        );
        for (text, without) in [(sums, 0), (bsd, 0), (json, 1)] {
            let list = List::read(text.as_bytes());
            assert_eq!((list.without.len(), list.odd, list.is_ended), (without, 0, true), "{text}");
            assert_eq!(list.digests, BTreeMap::from([("tree/a".to_owned(), hex.clone())]));
            assert!(!List::read(&text.as_bytes()[..text.len() - 1]).is_ended, "{text}");
            let half = List::read(&text.as_bytes()[..text.len() / 2]);
            assert!(!half.is_ended || half.odd > 0, "{text}");
        }
    }
}
