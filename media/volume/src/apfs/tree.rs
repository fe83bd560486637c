//! The names of a volume.

use std::sync::{Arc, Mutex, PoisonError};

use super::attribute::{LINK, PackedParts};
use super::orphans::orphans;
use super::record::{Attribute, Inode, Name, RECORD};
use super::volume::Apfs;
use crate::decmpfs::{COMPRESSION, CompressedFile, FORK, Header, lost};
use crate::file_system::{Options, Volume};
use crate::listed::NumberSet;
use crate::walk::{Entries, Tree, Walk, WalkEntry, WalkFolder, join};
use pfh_bytes::field::failure;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes};
use pfh_bytes::stored::{Unreadable, named};

/// The inode of the root directory.
const ROOT: u64 = 2;
/// The longest target of a link.
const LONGEST_TARGET: u64 = 64 << 10;

/// A volume while it is walked.
struct Names {
    volume: Arc<Apfs>,
    /// Inodes that some directory lists.
    listed: Arc<Mutex<NumberSet>>,
}

impl Volume for Apfs {
    fn nodes(self: Arc<Self>, _: Options) -> Nodes {
        let listed: Arc<Mutex<NumberSet>> = Arc::default();
        let names = Names { volume: self.clone(), listed: listed.clone() };
        Box::new(Walk::new(Arc::new(names), ROOT, ROOT).chain(orphans(self, listed)))
    }
}

impl Tree for Names {
    type Directory = u64;

    fn list(self: Arc<Self>, directory: u64, path: Arc<[u8]>) -> Entries<u64> {
        let is_hashed = self.volume.is_hashed;
        let records = self.volume.tree.of(directory, RECORD.name);
        Box::new(records.flat_map(move |record| {
            let name = record.and_then(|record| Name::new(&record, is_hashed));
            match name {
                Ok(name) => self.found(&name, &path),
                Err(failed) => vec![Err(named(failed, &path))],
            }
        }))
    }
}

impl Names {
    /// The nodes of a name: its file, and the streams of the file.
    fn found(&self, name: &Name, parent: &[u8]) -> Vec<Result<WalkEntry<u64>, Failure>> {
        // A file counts as seen even if its name cannot be written.
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).insert(name.number);
        let path = match join(parent, &name.name) {
            Ok(path) => path,
            Err(failed) => return vec![Err(failed)],
        };
        let inode = match self.volume.inode(name.number) {
            Ok(inode) => inode,
            Err(failed) => return vec![Err(named(failed, &path))],
        };
        if u16::from(name.kind) != inode.kind() >> 12 {
            let cause = "of one type by its name, and of another by its inode";
            return vec![Err(named(failure(None, cause), &path))];
        }
        let is_directory = inode.kind() == 0x4000;
        let mut into =
            is_directory.then(|| WalkFolder { id: inode.number, path: path.clone(), directory: inode.number });
        let nodes = self.volume.nodes_of(&inode, &path).into_iter();
        nodes.map(|node| node.map(|node| WalkEntry { into: into.take(), node: Some(node) })).collect()
    }
}

impl Apfs {
    /// The nodes of an inode by one of its names: itself, then its streams.
    pub fn nodes_of(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Vec<Result<Node, Failure>> {
        let (mut attributes, mut failures) = (Vec::new(), Vec::new());
        for attribute in self.attributes(inode.number) {
            match attribute {
                Ok(attribute) => attributes.push(attribute),
                Err(failed) => failures.push(Err(named(failed, path))),
            }
        }
        let (node, used) = self.main(inode, &attributes, path);
        let mut nodes = vec![node];
        let streams = attributes.into_iter().filter(|attribute| !used.contains(&&attribute.name[..]));
        nodes.extend(streams.map(|attribute| self.stream(inode, attribute, path)));
        nodes.extend(failures);
        nodes
    }

    /// The node of an inode, and the names of the attributes that it is made of.
    fn main(
        self: &Arc<Self>,
        inode: &Inode,
        attributes: &[Attribute],
        path: &[u8],
    ) -> (Result<Node, Failure>, &'static [&'static [u8]]) {
        let blank = |kind: Kind| Node::bare(path, kind, Some(inode.number), inode.times);
        let find = |name: &[u8]| attributes.iter().find(|attribute| attribute.name == name);
        let kind = match inode.kind() {
            0x8000 if inode.is_compressed => {
                let unreadable = |cause: String| {
                    let content: Arc<dyn Content> = Arc::new(Unreadable(named(failure(None, cause), path)));
                    Node { size: inode.size, compressed: true, content: Some(content), ..blank(Kind::File) }
                };
                let Some(attribute) = find(COMPRESSION) else {
                    return (Ok(unreadable(lost().cause)), &[]);
                };
                if inode.size.is_some_and(|size| size > 0) {
                    return (Ok(unreadable("is compressed, and has a plain content as well".to_owned())), &[]);
                }
                let header = match self.value(attribute, Header::MOST).and_then(|raw| Header::read(&raw)) {
                    Ok(header) => header,
                    Err(failed) => return (Ok(unreadable(failed.cause)), &[]),
                };
                let parts = PackedParts { volume: self.clone(), number: inode.number };
                let content = CompressedFile { parts, path: path.to_vec() };
                let node = Node {
                    size: Some(header.size),
                    resident: !header.is_in_fork(),
                    compressed: true,
                    content: Some(Arc::new(content)),
                    ..blank(Kind::File)
                };
                // The attributes of a file that cannot be decompressed stay visible.
                let used: &[&[u8]] = match header.is_in_fork() {
                    _ if !header.is_read() => &[],
                    true => &[COMPRESSION, FORK],
                    false => &[COMPRESSION],
                };
                return (Ok(node), used);
            }
            0x8000 => return (Ok(self.plain(inode, blank(Kind::File))), &[]),
            0x4000 => Kind::Directory,
            0xa000 => {
                let target = find(LINK).ok_or_else(|| failure(None, "a symbolic link without a target"));
                let target = target.and_then(|attribute| self.value(attribute, LONGEST_TARGET));
                let node =
                    target.map(|target| blank(Kind::Link(target.strip_suffix(b"\0").unwrap_or(&target).to_vec())));
                return (node.map_err(|failed| named(failed, path)), &[LINK]);
            }
            0xe000 => Kind::Special("whiteout"),
            mode => match Kind::special(mode) {
                Ok(kind) => kind,
                Err(cause) => return (Err(named(failure(None, cause), path)), &[]),
            },
        };
        (Ok(blank(kind)), &[])
    }

    /// A file whose content is not compressed.
    fn plain(self: &Arc<Self>, inode: &Inode, node: Node) -> Node {
        let size = inode.size.unwrap_or(0);
        let content: Arc<dyn Content> = if inode.is_elsewhere {
            let cause = "its content is not on the medium (a dataless file of a cloud)";
            Arc::new(Unreadable(named(failure(None, cause), &node.path)))
        } else {
            self.content(&node.path, (inode.stream, size, inode.is_sparse))
        };
        Node { size: Some(size), content: Some(content), ..node }
    }
}
