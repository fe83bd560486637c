//! The bytes that stood in each file, and when: the knowledge that jobs are judged by.

use crate::other::{Others, Special};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The content of a file at one moment.
#[derive(Debug, PartialEq, Eq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their SHA-256 in hex, by RustCrypto.
    pub digest: String,
}

impl Content {
    fn of(bytes: Vec<u8>) -> Content {
        let digest = sha256(&bytes);
        Content { bytes, digest }
    }
}

/// The SHA-256 in hex, by RustCrypto.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All files that somebody made, and their changes since the step began.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// The files by their names, now.
    names: BTreeMap<String, usize>,
    /// The contents of each file in turn; the last one stands.
    files: Vec<Vec<Arc<Content>>>,
    /// Which of the contents of each file stood when the step began.
    from: Vec<usize>,
    /// The files that had each name since the step began.
    had: BTreeMap<String, BTreeSet<usize>>,
    /// The names that were missing at a moment since.
    absent: BTreeSet<String>,
    /// How often somebody changed something about each name or its file since.
    touched: BTreeMap<String, usize>,
    /// The names of links, FIFOs and sockets.
    others: Others,
}

/// The bearer of a name.
enum Thing {
    /// This file.
    File(usize),
    /// No file.
    Other(Special),
}

impl Past {
    /// A step begins.
    pub fn begin(&mut self) {
        self.from = self.files.iter().map(|contents| contents.len() - 1).collect();
        self.had = self.names.iter().map(|(name, file)| (name.clone(), BTreeSet::from([*file]))).collect();
        self.absent.clear();
        self.touched.clear();
        self.others.begin();
    }

    fn touch(&mut self, file: usize) {
        let names: Vec<String> =
            self.had.iter().filter(|(_, files)| files.contains(&file)).map(|(name, _)| name.clone()).collect();
        for name in names {
            *self.touched.entry(name).or_default() += 1;
        }
    }

    fn put(&mut self, name: &str, file: Option<usize>) {
        self.others.take(name);
        let before = match file {
            Some(file) => self.names.insert(name.to_owned(), file),
            None => self.names.remove(name),
        };
        // Of a file that lost a name the other names are touched: its count of links is another.
        if let Some(before) = before.filter(|before| Some(*before) != file) {
            let others = self.names.iter().filter(|(_, file)| **file == before).map(|(other, _)| other.clone());
            for other in others.collect::<Vec<_>>() {
                *self.touched.entry(other).or_default() += 1;
            }
        }
        let had = self.had.entry(name.to_owned()).or_default();
        had.extend(file);
        if before.is_none() || file.is_none() {
            self.absent.insert(name.to_owned());
        }
        *self.touched.entry(name.to_owned()).or_default() += 1;
    }

    /// A new file has a name.
    pub fn make(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push(vec![Arc::new(Content::of(bytes))]);
        self.from.push(0);
        self.put(name, Some(self.files.len() - 1));
    }

    /// A file has another content.
    pub fn change(&mut self, name: &str, bytes: Vec<u8>) {
        let Some(&file) = self.names.get(name) else { return };
        self.files[file].push(Arc::new(Content::of(bytes)));
        self.touch(file);
    }

    /// Something else about a file is another.
    pub fn mark(&mut self, name: &str) {
        if let Some(&file) = self.names.get(name) {
            self.touch(file);
        }
    }

    /// A name is gone.
    pub fn remove(&mut self, name: &str) {
        if let Some(&file) = self.names.get(name) {
            self.touch(file);
        }
        self.put(name, None);
    }

    /// A name is of no file, in the place of any that had it.
    pub fn place(&mut self, name: &str, other: Special) {
        self.remove(name);
        self.others.put(name, other);
    }

    /// A file has another name, in the place of any that had it.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Some(other) = self.others.take(from) {
            self.put(from, None);
            self.place(to, other);
            return;
        }
        let Some(&file) = self.names.get(from) else { return };
        self.touch(file);
        self.put(from, None);
        self.put(to, Some(file));
    }

    /// Whether two names are of one file.
    pub fn is_one(&self, one: &str, other: &str) -> bool {
        self.names.get(one).is_some_and(|file| self.names.get(other) == Some(file))
    }

    /// A file has a second name, in the place of any that had it.
    pub fn link(&mut self, from: &str, to: &str) {
        let Some(&file) = self.names.get(from) else { return };
        self.touch(file);
        self.put(to, Some(file));
    }

    /// Two names have changed places, with all names below them.
    pub fn swap(&mut self, one: &str, other: &str) {
        let (first, second) = (self.below(one), self.below(other));
        for (name, things) in [(one, &first), (other, &second)] {
            // A directory.
            if things.iter().all(|(rest, _)| !rest.is_empty()) {
                *self.touched.entry(name.to_owned()).or_default() += 1;
            }
            for (rest, thing) in things {
                if let Thing::File(file) = thing {
                    self.touch(*file);
                }
                self.put(&format!("{name}{rest}"), None);
            }
        }
        for (name, things) in [(other, first), (one, second)] {
            for (rest, thing) in things {
                let name = format!("{name}{rest}");
                match thing {
                    Thing::File(file) => self.put(&name, Some(file)),
                    Thing::Other(kind) => self.place(&name, kind),
                }
            }
        }
    }

    /// Everything that has a name, or a name below it, by the rest of that name.
    fn below(&self, name: &str) -> Vec<(String, Thing)> {
        let inside = |other: &str| {
            other.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('/')).map(str::to_owned)
        };
        let files = self.names.iter().filter_map(|(name, file)| Some((inside(name)?, Thing::File(*file))));
        let others = self.others.now().iter();
        let others = others.filter_map(|(name, kind)| Some((inside(name)?, Thing::Other(kind.clone()))));
        files.chain(others).collect()
    }

    /// The content that a name has now.
    pub fn content(&self, name: &str) -> Option<Arc<Content>> {
        self.names.get(name).and_then(|&file| self.files[file].last()).cloned()
    }

    /// All names now, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// All contents that stood in a file of this name since the step began.
    pub fn stood(&self, name: &str) -> Vec<&Content> {
        let files = self.had.get(name).into_iter().flatten();
        files.flat_map(|&file| &self.files[file][self.from[file]..]).map(|content| &**content).collect()
    }

    /// Whether this digest is that of a content which stood under the name since the step began.
    pub fn has_stood(&self, name: &str, digest: &str) -> bool {
        self.stood(name).iter().any(|content| content.digest == digest)
    }

    /// Whether the name was missing at a moment since the step began.
    pub fn was_absent(&self, name: &str) -> bool {
        self.absent.contains(name) || !self.had.contains_key(name)
    }

    /// How often somebody changed something about the name or its file since the step began.
    pub fn touches(&self, name: &str) -> usize {
        self.touched.get(name).copied().unwrap_or(0)
    }

    /// The names of links, FIFOs and sockets.
    pub fn others(&self) -> &Others {
        &self.others
    }

    /// The contents that stood since the step began in the files that a name led to, also by links.
    pub fn reached(&self, name: &str) -> Vec<&Content> {
        self.others.reach(name).iter().flat_map(|name| self.stood(name)).collect()
    }

    /// The names of links and the like that nobody touched since the step began, below a directory.
    pub fn idle(&self, directory: &str) -> Vec<&str> {
        let names = self.others.now().keys().map(String::as_str);
        names.filter(|name| name.starts_with(directory) && self.touches(name) == 0).collect()
    }

    /// The names that were there all the time since the step began, below this directory.
    pub fn constant(&self, directory: &str) -> Vec<&str> {
        let names = self.names.keys().filter(|name| name.starts_with(directory) && !self.was_absent(name));
        names.map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_of_a_step_has_stood_and_none_before_it() {
        let mut past = Past::default();
        past.make("a", b"one".to_vec());
        past.change("a", b"two".to_vec());
        past.make("b", b"other".to_vec());
        past.begin();
        assert!(past.has_stood("a", &sha256(b"two")) && !past.has_stood("a", &sha256(b"one")));
        assert_eq!((past.touches("a"), past.was_absent("a"), past.was_absent("c")), (0, false, true));
        past.rename("b", "a");
        past.change("a", b"third".to_vec());
        for content in [&b"two"[..], b"other", b"third"] {
            assert!(past.has_stood("a", &sha256(content)));
        }
        // The file was still open under its first name.
        assert!(past.has_stood("b", &sha256(b"third")) && past.was_absent("b") && !past.was_absent("a"));
        assert!(past.touches("a") > 0 && past.touches("b") > 0);
        assert_eq!(past.constant(""), ["a"]);
    }
}
