//! Names that are neither files nor directories: links, FIFOs and sockets, and when they were.

use std::collections::{BTreeMap, BTreeSet};

/// How many links a name is followed through.
const DEEPEST: usize = 8;

/// Something that has a name and no content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Special {
    /// A symbolic link to this target, as it is written in it.
    Link(String),
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
}

/// All of them by their names, now and since the step began.
#[derive(Debug, Clone, Default)]
pub struct Others {
    now: BTreeMap<String, Special>,
    had: BTreeMap<String, BTreeSet<Special>>,
}

impl Others {
    /// A step begins.
    pub fn begin(&mut self) {
        self.had = self.now.iter().map(|(name, other)| (name.clone(), BTreeSet::from([other.clone()]))).collect();
    }

    /// A name is of another kind.
    pub fn put(&mut self, name: &str, other: Special) {
        self.had.entry(name.to_owned()).or_default().insert(other.clone());
        self.now.insert(name.to_owned(), other);
    }

    /// A name is not of another kind any more.
    pub fn take(&mut self, name: &str) -> Option<Special> {
        self.now.remove(name)
    }

    /// All of them now.
    pub fn now(&self) -> &BTreeMap<String, Special> {
        &self.now
    }

    /// Whether a name was one at a moment since the step began.
    pub fn was(&self, name: &str) -> bool {
        self.had.contains_key(name)
    }

    /// Whether a name, or a directory that it lies in, was one at a moment since the step began.
    pub fn was_above(&self, name: &str) -> bool {
        self.was(name) || ends(name).any(|end| self.was(&name[..end]))
    }

    /// The names that a name led to at a moment since the step began, by links above it or as one,
    /// and itself.
    pub fn reach(&self, name: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::from([name.to_owned()]);
        let mut open = vec![name.to_owned()];
        for _ in 0..DEEPEST {
            let mut next = Vec::new();
            for name in open.drain(..) {
                for end in ends(&name).chain([name.len()]) {
                    let directory = name[..end].rsplit_once('/').map_or("", |(directory, _)| directory);
                    for other in self.had.get(&name[..end]).into_iter().flatten() {
                        let Special::Link(target) = other else { continue };
                        let led = plain(&format!("{directory}/{target}{}", &name[end..]));
                        if found.insert(led.clone()) {
                            next.push(led);
                        }
                    }
                }
            }
            open = next;
        }
        found
    }
}

/// Where the names of the directories above a name end.
fn ends(name: &str) -> impl Iterator<Item = usize> + '_ {
    name.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| at)
}

/// A path without `.` and `..`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_where_the_links_above_it_lead() {
        let mut others = Others::default();
        others.put("tree/d", Special::Link("k".to_owned()));
        others.begin();
        others.take("tree/d");
        others.put("tree/d", Special::Link("../tree/e/.".to_owned()));
        let names = ["tree/d/f", "tree/e/f", "tree/k/f"].map(str::to_owned);
        assert_eq!(others.reach("tree/d/f"), BTreeSet::from(names));
        assert_eq!(others.reach("tree/d").len(), 3, "the link itself");
        others.put("tree/d", Special::Link("d".to_owned()));
        assert_eq!(others.reach("tree/d/f").len(), 3, "a link to itself leads nowhere");
        assert!(others.was_above("tree/d/f") && others.was("tree/d") && !others.was("tree/d/f"));
    }
}
