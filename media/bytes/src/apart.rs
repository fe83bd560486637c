//! Several trees of names over one disc: all names of the first, and of each other tree the files
//! that the trees before do not hold.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::node::{Failure, Kind, Node, Nodes};

/// The key by which the same file is known in two trees; `None` if it has no bytes on the disc.
pub type Key = fn(&Node) -> Option<(u64, u64)>;

/// Another tree of names.
pub struct OtherTree {
    /// The prefix of its names.
    pub prefix: Vec<u8>,
    /// All its names.
    pub nodes: Nodes,
}

/// The files of the trees before.
#[derive(Default)]
struct SeenFiles {
    files: HashSet<(u64, u64)>,
    /// Names without bytes: empty files, links, devices.
    empty: usize,
}

type SharedFiles = Arc<Mutex<SeenFiles>>;

fn is_file(node: &Node) -> bool {
    matches!(node.kind, Kind::File | Kind::Stream)
}

fn note(seen: &SharedFiles, node: &Node, key: Key) {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    match key(node) {
        Some(key) => {
            seen.files.insert(key);
        }
        None => seen.empty += usize::from(node.kind != Kind::Directory),
    }
}

/// The names of `main`, then those of each other tree whose content no tree before has. Empty files
/// all have the same content: if another tree has more of them, all its files are listed.
pub fn apart(main: Nodes, others: Vec<OtherTree>, key: Key) -> Nodes {
    let seen = SharedFiles::default();
    let places = seen.clone();
    let mut all: Nodes = Box::new(main.inspect(move |node| {
        if let Ok(node) = node {
            note(&places, node, key);
        }
    }));
    for OtherTree { prefix, nodes } in others {
        all = Box::new(all.chain(only_new(prefix, nodes, seen.clone(), key)));
    }
    all
}

/// The names of a tree that the trees before do not have.
fn only_new(
    prefix: Vec<u8>,
    mut nodes: Nodes,
    seen: SharedFiles,
    key: Key,
) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let (mut empty, mut is_read) = (Vec::new(), false);
    let named = move |path: &[u8]| [&prefix[..], path].concat();
    std::iter::from_fn(move || {
        while !is_read {
            match nodes.next() {
                Some(Err(failed)) => return Some(Err(Failure { path: named(&failed.path), ..failed })),
                Some(Ok(node)) if !is_file(&node) => {}
                Some(Ok(node)) => {
                    let node = Node { path: named(&node.path), ..node };
                    let Some(place) = key(&node) else {
                        empty.push(node);
                        continue;
                    };
                    if seen.lock().unwrap_or_else(PoisonError::into_inner).files.insert(place) {
                        return Some(Ok(node));
                    }
                }
                None => {
                    is_read = true;
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    if empty.len() <= seen.empty {
                        empty.clear();
                    }
                    seen.empty = seen.empty.max(empty.len());
                    empty.reverse();
                }
            }
        }
        empty.pop().map(Ok)
    })
}
