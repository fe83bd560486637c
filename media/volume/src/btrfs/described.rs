//! The nodes of an inode: itself, and its streams.

use std::sync::Arc;

use super::file::File;
use super::record::{Extent, ExtentPlace, Inode, Method, entries, kind};
use super::volume::Subvolume;
use crate::walk::join_stream;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node};
use pfh_bytes::stored::{HeldBytes, named};

/// The longest target of a link.
const LONGEST_TARGET: u64 = 64 << 10;
/// The most extents that are looked at to say whether a file is compressed.
const MOST_LOOKED_AT: usize = 4096;

impl Subvolume {
    /// The nodes of an inode by one of its names: itself, then its streams.
    pub fn nodes_of(
        self: &Arc<Self>,
        inode: &Inode,
        path: &[u8],
        allocation: Allocation,
    ) -> Vec<Result<Node, Failure>> {
        let mut nodes = vec![self.main(inode, path).map_err(|failed| named(failed, path))];
        for item in self.tree.of(inode.number, kind::ATTRIBUTE, 0) {
            match item.and_then(|(_, raw)| entries(&raw)) {
                Ok(found) => nodes
                    .extend(found.into_iter().map(|entry| self.stream(inode, &entry.name, entry.value.into(), path))),
                Err(failed) => nodes.push(Err(named(failed, path))),
            }
        }
        let allocation = if self.is_deleted { Allocation::Deleted } else { allocation };
        nodes.iter_mut().flatten().for_each(|node| node.allocation = allocation);
        nodes
    }

    /// The node of an inode.
    fn main(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Result<Node, Failure> {
        let kind = match inode.kind() {
            0x8000 => return Ok(self.plain(inode, blank(inode, path, Kind::File))),
            0x4000 => Kind::Directory,
            0xa000 => Kind::Link(self.target(inode)?),
            mode => Kind::special(mode).map_err(|cause| failure(None, cause))?,
        };
        Ok(blank(inode, path, kind))
    }

    fn file(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> File {
        let (size, has_checksums) = (inode.size, inode.has_checksums);
        File { volume: self.clone(), inode: inode.number, size, has_checksums, path: path.to_vec() }
    }

    fn target(self: &Arc<Self>, inode: &Inode) -> Result<Vec<u8>, Failure> {
        if inode.size > LONGEST_TARGET || inode.size == 0 {
            return Err(failure(None, format!("a symbolic link of {} bytes", inode.size)));
        }
        let mut target = Vec::new();
        let mut reader = self.file(inode, &[]).open()?;
        std::io::Read::read_to_end(&mut reader, &mut target).map_err(|error| failure(None, error.to_string()))?;
        Ok(target)
    }

    fn plain(self: &Arc<Self>, inode: &Inode, node: Node) -> Node {
        let (mut resident, mut compressed) = (false, false);
        for item in self.tree.of(inode.number, kind::EXTENT, 0).take(MOST_LOOKED_AT) {
            // Faults of extents are said when the file is read.
            let Ok(Ok(extent)) = item.map(|(key, raw)| Extent::new(key.offset, &raw)) else { break };
            resident |= matches!(extent.place, ExtentPlace::Inline(_));
            compressed |= extent.method != Method::Plain;
        }
        let content: Arc<dyn Content> = Arc::new(self.file(inode, &node.path));
        Node { size: Some(inode.size), resident, compressed, content: Some(content), ..node }
    }

    /// The node of an attribute of the file with this path.
    fn stream(&self, inode: &Inode, name: &[u8], bytes: Arc<[u8]>, of: &[u8]) -> Result<Node, Failure> {
        let path = join_stream(of, name)?;
        Ok(HeldBytes { bytes }.stream(blank(inode, &path, Kind::Stream)))
    }
}

/// A node without content.
fn blank(inode: &Inode, path: &[u8], kind: Kind) -> Node {
    Node::bare(path, kind, Some(inode.number), inode.times)
}
