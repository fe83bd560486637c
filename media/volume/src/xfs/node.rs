//! The nodes of a name: that of its inode, and those of its streams.

use std::sync::Arc;

use super::attribute::{Attribute, LONGEST, Value};
use super::inode::{Format, Inode};
use super::volume::Xfs;
use crate::unallocated::slack;
use crate::walk::join_stream;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Content, Failure, Kind, Node};
use pfh_bytes::stored::{HeldBytes, StoredBytes, Unreadable, named};

/// A node without content.
pub fn blank(inode: &Inode, path: &[u8], kind: Kind) -> Node {
    Node::bare(path, kind, Some(inode.number), inode.times)
}

impl Xfs {
    /// The nodes of an inode by one of its names: itself, then its attributes.
    pub fn nodes_of(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Vec<Result<Node, Failure>> {
        let mut nodes = vec![self.main(inode, path).map_err(|failed| named(failed, path))];
        for attribute in self.attributes(inode) {
            nodes.push(
                attribute
                    .and_then(|found| self.stream(inode, found, path))
                    .map_err(|failed| if failed.path.is_empty() { named(failed, path) } else { failed }),
            );
        }
        nodes
    }

    /// The node of a file, link, directory or special file.
    fn main(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Result<Node, Failure> {
        let kind = match inode.kind() {
            0x8000 => {
                let content = Some(self.content(inode, path));
                return Ok(Node { size: Some(inode.size), content, ..blank(inode, path, Kind::File) });
            }
            0x4000 => Kind::Directory,
            0xa000 => Kind::Link(self.target(inode)?),
            mode => Kind::special(mode).map_err(|cause| failure(Some(inode.offset), cause))?,
        };
        Ok(blank(inode, path, kind))
    }

    /// The content of a file.
    pub fn content(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Arc<dyn Content> {
        let unreadable =
            |cause: &str| -> Arc<dyn Content> { Arc::new(Unreadable(named(failure(Some(inode.offset), cause), path))) };
        if inode.is_realtime && !(inode.content.format == Format::Extents && inode.content.extents == 0) {
            return unreadable("its content is on the realtime device");
        }
        if inode.size >= 1 << 63 {
            return unreadable("a size that no file has");
        }
        let (volume, its) = (self.clone(), inode.content.clone());
        let (number, is_shared) = (inode.number, inode.is_shared);
        let locate = Box::new(move || volume.layout(number, &its, is_shared));
        Arc::new(StoredBytes { bytes: self.bytes.clone(), path: path.to_vec(), from: 0, size: inode.size, locate })
    }

    /// The node of an attribute of the file with this path.
    fn stream(self: &Arc<Self>, inode: &Inode, attribute: Attribute, of: &[u8]) -> Result<Node, Failure> {
        let name = &attribute.name;
        let path = join_stream(of, name).map_err(|failed| Failure { offset: Some(inode.offset), ..failed })?;
        let node = blank(inode, &path, Kind::Stream);
        Ok(match attribute.value {
            Value::Held(bytes) => HeldBytes { bytes }.stream(node),
            Value::Remote { size, .. } if size > LONGEST => {
                let failed = failure(Some(inode.offset), "a value of more than 64 KiB");
                let content: Arc<dyn Content> = Arc::new(Unreadable(named(failed, &path)));
                Node { size: Some(u64::from(size)), content: Some(content), ..node }
            }
            Value::Remote { block, size } => {
                let (volume, number, fork) = (self.clone(), inode.number, inode.attributes.clone());
                let lost = || failure(None, "an inode without attributes");
                let locate = Box::new(move || {
                    let fork = fork.as_ref().ok_or_else(lost)?;
                    volume.value_layout(number, fork, block, size)
                });
                let bytes = self.bytes.clone();
                let content = StoredBytes { bytes, path: path.clone(), from: 0, size: u64::from(size), locate };
                Node { size: Some(u64::from(size)), content: Some(Arc::new(content)), ..node }
            }
        })
    }

    /// The room behind a file in its last blocks.
    pub fn slack(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Option<Node> {
        if inode.kind() != 0x8000 || inode.is_realtime {
            return None;
        }
        let layout = self.layout(inode.number, &inode.content, inode.is_shared).ok()?;
        slack(&self.bytes, path, inode.size, &layout)
    }
}
