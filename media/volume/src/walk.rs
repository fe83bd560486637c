//! Lists a tree of directories, each once, even if the directories form a circle.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pfh_bytes::node::{Failure, Node};

/// The most directories on a path. Linux reaches 2,048 by an absolute name.
const DEEPEST: usize = 2048;

/// The most bytes of a path: as many as NTFS allows, and eight times as many as Linux does.
const LONGEST: usize = 32 << 10;

/// Directories of one, and of all that wait, that are looked at ahead of the listing.
const SOON: usize = 16;

/// An entry of a directory.
pub struct WalkEntry<D> {
    /// The name; `None` for a directory that is only walked through.
    pub node: Option<Node>,
    /// The directory behind the name, with a number that no other directory has.
    pub into: Option<WalkFolder<D>>,
}

/// A directory to be listed.
pub struct WalkFolder<D> {
    /// The number that a circle is recognised by.
    pub id: u64,
    /// Its path.
    pub path: Vec<u8>,
    /// The key that opens it.
    pub directory: D,
}

/// The kind of nodes that a walk gives, of a file system that is walked several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Live,
    Deleted,
    Slack,
}

impl Pass {
    /// The entries for a name of a file in use: in the live pass its nodes, in the slack pass the
    /// room behind its file. Directories are walked through in every pass, also for the deleted
    /// names in them.
    pub fn found<I, D>(
        self,
        found: Result<(I, Vec<u8>), Failure>,
        into: impl Fn(&I, &[u8]) -> Option<WalkFolder<D>>,
        live: impl FnOnce(&I, &[u8]) -> Vec<Result<Node, Failure>>,
        slack: impl FnOnce(&I, &[u8]) -> Option<Node>,
    ) -> Vec<Result<WalkEntry<D>, Failure>> {
        let (inode, path) = match found {
            Ok(found) => found,
            Err(failed) if self == Pass::Live => return vec![Err(failed)],
            Err(_) => return Vec::new(),
        };
        let mut into = into(&inode, &path);
        if self == Pass::Live {
            let nodes = live(&inode, &path).into_iter();
            return nodes.map(|node| node.map(|node| WalkEntry { node: Some(node), into: into.take() })).collect();
        }
        let node = if self == Pass::Slack { slack(&inode, &path) } else { None };
        (node.is_some() || into.is_some()).then_some(Ok(WalkEntry { node, into })).into_iter().collect()
    }
}

/// The entries of a directory, read as they are asked for.
pub type Entries<D> = Box<dyn Iterator<Item = Result<WalkEntry<D>, Failure>> + Send>;

/// A file system that lists one directory.
pub trait Tree: Send + Sync + 'static {
    /// The key that opens a directory.
    type Directory: Send;

    /// The entries of the directory with this path. Names are joined to the path by [`join`].
    fn list(self: Arc<Self>, directory: Self::Directory, path: Arc<[u8]>) -> Entries<Self::Directory>;

    /// Has the bytes of a directory read by a thread that goes ahead of the listing, if there is
    /// one: see [`Bytes::ahead`](pfh_bytes::bytes::Bytes::ahead). `is_open` says that the listing
    /// has come to it.
    fn foresee(self: &Arc<Self>, _directory: &Self::Directory, _is_open: &Arc<AtomicBool>) {}
}

/// A directory that waits. Siblings share the path of their parent.
struct Pending<D> {
    parent: Arc<[u8]>,
    name: Vec<u8>,
    directory: D,
    depth: usize,
    /// Of one that another thread looks at ahead: whether it was listed meanwhile.
    is_open: Option<Arc<AtomicBool>>,
}

/// Has a directory looked at, once.
fn foresee<T: Tree>(tree: &Arc<T>, pending: &mut Pending<T::Directory>) {
    if pending.is_open.is_none() {
        let is_open = Arc::default();
        tree.foresee(&pending.directory, &is_open);
        pending.is_open = Some(is_open);
    }
}

/// All names of a tree: those of a directory in its own order, then those of its subdirectories.
pub struct Walk<T: Tree> {
    tree: Arc<T>,
    open: Option<Entries<T::Directory>>,
    path: Arc<[u8]>,
    depth: usize,
    children: Vec<Pending<T::Directory>>,
    pending: Vec<Pending<T::Directory>>,
    visited: HashSet<u64>,
    /// The failure that follows the last name.
    next: Option<Failure>,
}

impl<T: Tree> Walk<T> {
    /// The tree below `root`, whose number is `id`.
    pub fn new(tree: Arc<T>, id: u64, root: T::Directory) -> Self {
        let path: Arc<[u8]> = Arc::from(&[][..]);
        let open = tree.clone().list(root, path.clone());
        let visited = HashSet::from([id]);
        let (children, pending) = (Vec::new(), Vec::new());
        Walk { tree, open: Some(open), path, depth: 0, children, pending, visited, next: None }
    }

    /// Notes a directory for later; the failure of one that is not walked into.
    fn note(&mut self, into: WalkFolder<T::Directory>) -> Option<Failure> {
        let WalkFolder { id, path, directory } = into;
        let refused = |cause: &str| Some(Failure { path: path.clone(), cause: cause.to_owned(), ..Failure::default() });
        if self.depth >= DEEPEST {
            return refused("lies deeper than 2048 directories: not listed");
        }
        if !self.visited.insert(id) {
            return refused("the directory is listed elsewhere already, or leads to itself: not listed again");
        }
        let name = path.get(self.path.len()..).unwrap_or_default();
        let name = name.strip_prefix(b"/").unwrap_or(name).to_vec();
        let mut child = Pending { parent: self.path.clone(), name, directory, depth: self.depth + 1, is_open: None };
        if self.children.len() < SOON {
            foresee(&self.tree, &mut child);
        }
        self.children.push(child);
        None
    }

    /// Opens the next directory; `false` if there is none.
    fn descend(&mut self) -> bool {
        self.pending.extend(self.children.drain(..).rev());
        let Some(pending) = self.pending.pop() else { return false };
        if let Some(is_open) = &pending.is_open {
            is_open.store(true, Ordering::Relaxed);
        }
        self.pending.iter_mut().rev().take(SOON).for_each(|next| foresee(&self.tree, next));
        self.path = joined(&pending.parent, &pending.name).into();
        self.depth = pending.depth;
        self.open = Some(self.tree.clone().list(pending.directory, self.path.clone()));
        true
    }
}

impl<T: Tree> Iterator for Walk<T> {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(failed) = self.next.take() {
                return Some(Err(failed));
            }
            let Some(open) = &mut self.open else {
                if self.descend() {
                    continue;
                }
                return None;
            };
            match open.next() {
                None => self.open = None,
                Some(Err(failed)) => return Some(Err(failed)),
                Some(Ok(found)) => {
                    self.next = found.into.and_then(|into| self.note(into));
                    if let Some(node) = found.node {
                        return Some(Ok(node));
                    }
                }
            }
        }
    }
}

fn joined(parent: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(parent.len() + name.len() + 1);
    path.extend_from_slice(parent);
    if !parent.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The path of a stream of a file: of an attribute, of a fork.
///
/// # Errors
/// If its name cannot be that of one: an attribute's may have a slash.
pub fn join_stream(of: &[u8], name: &[u8]) -> Result<Vec<u8>, Failure> {
    let path = [of, b":", name].concat();
    if name.is_empty() || name.iter().any(|byte| matches!(byte, b'/' | 0)) || path.len() > LONGEST {
        let cause = "an extended attribute whose name is none of a stream".to_owned();
        return Err(Failure { path: of.to_vec(), cause, ..Failure::default() });
    }
    Ok(path)
}

/// The path of `name` in the directory `parent`.
///
/// # Errors
/// For a name that no system can open: empty, with a slash or a zero, or too far down.
pub fn join(parent: &[u8], name: &[u8]) -> Result<Vec<u8>, Failure> {
    let cause = if name.is_empty() {
        "an empty name"
    } else if name.contains(&b'/') || name.contains(&0) {
        "a name with a slash or a zero byte"
    } else if name == b"." || name == b".." {
        "a name that leads out of its directory"
    } else if parent.len() + name.len() >= LONGEST {
        "a path of more than 32 KiB"
    } else {
        return Ok(joined(parent, name));
    };
    let shown: Vec<u8> =
        name.iter().take(64).map(|&byte| if byte == b'/' || byte == 0 { b'?' } else { byte }).collect();
    Err(Failure { path: joined(parent, &shown), cause: cause.to_owned(), ..Failure::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_bytes::node::{Allocation, Kind, Times};

    /// Directory `n` holds `n + 1` and the root.
    struct Circle;

    impl Tree for Circle {
        type Directory = u64;

        fn list(self: Arc<Self>, directory: u64, path: Arc<[u8]>) -> Entries<u64> {
            let ids = [(directory + 1) % 5000, 0];
            Box::new(ids.into_iter().map(move |id| {
                let path = join(&path, format!("{id}").as_bytes())?;
                let node = Node {
                    path: path.clone(),
                    kind: Kind::Directory,
                    size: None,
                    id: Some(id),
                    times: Times::default(),
                    allocation: Allocation::Live,
                    resident: false,
                    compressed: false,
                    content: None,
                };
                Ok(WalkEntry { node: Some(node), into: Some(WalkFolder { id, path, directory: id }) })
            }))
        }
    }

    #[test]
    fn circles_end() {
        let (nodes, failures): (Vec<_>, Vec<_>) = Walk::new(Arc::new(Circle), 0, 0).partition(Result::is_ok);
        assert!(nodes.len() > 2 * DEEPEST && nodes.len() < 2 * DEEPEST + 10, "{}", nodes.len());
        assert!(failures.len() > DEEPEST);
        assert_eq!(failures[0].as_ref().err().unwrap().path, b"0");
    }

    #[test]
    fn hostile_names_are_failures() {
        assert_eq!(join(b"a", b"b").unwrap(), b"a/b");
        for name in [&b""[..], b"a/b", b"a\0", b".", b"..", &[b'x'; LONGEST]] {
            join(b"a", name).unwrap_err();
        }
    }
}
