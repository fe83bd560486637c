//! The nodes of an inode: the inode's own, those of its attributes, and that of the room behind it.

use std::sync::Arc;

use super::blocks::LostNodes;
use super::file::ClusteredFile;
use super::inode::Inode;
use super::superblock::BLOCK;
use super::volume::F2fs;
use crate::unallocated::slack;
use crate::walk::join_stream;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Content, Failure, Kind, Node};
use pfh_bytes::stored::{HeldBytes, StoredBytes, Unreadable, gather, named};

/// The longest target of a link.
const LONGEST_LINK: u64 = 4096;

impl F2fs {
    /// The node of an inode, then those of its attributes.
    pub fn nodes_of(
        self: &Arc<Self>,
        inode: &Inode,
        path: &[u8],
        gone: Option<&Arc<LostNodes>>,
    ) -> Vec<Result<Node, Failure>> {
        let number = Some(inode.number.into());
        let bare = |path: &[u8], kind: Kind| Node::bare(path, kind, number, inode.times);
        let fail = |cause: String| vec![Err(named(failure(Some(inode.offset), cause), path))];
        let kind = match inode.kind() {
            0x8000 => Kind::File,
            0x4000 => Kind::Directory,
            0xa000 if inode.is_encrypted => return fail("the target is encrypted (fscrypt)".to_owned()),
            0xa000 if inode.size > LONGEST_LINK => {
                return fail(format!("a link with a target of {} bytes", inode.size));
            }
            0xa000 => {
                let layout = self.layout(inode, gone.cloned());
                match layout.and_then(|layout| gather(&*self.bytes, &layout, 0, inode.size as usize)) {
                    Ok(target) => Kind::Link(target),
                    Err(failed) => return vec![Err(named(failed, path))],
                }
            }
            mode => match Kind::special(mode) {
                Ok(kind) => kind,
                Err(cause) => return fail(cause),
            },
        };
        let is_file = kind == Kind::File;
        let mut node = bare(path, kind);
        if is_file {
            node.size = Some(inode.size);
            node.resident = inode.inline.is_some();
            node.compressed = inode.compression.is_some();
            node.content = Some(self.content(inode, path, gone));
        }
        let mut nodes = vec![Ok(node)];
        match self.attributes(inode) {
            // The node of a deleted file's attributes is gone.
            Err(_) if gone.is_some() => {}
            Err(failed) => nodes.push(Err(named(failed, path))),
            Ok(attributes) => nodes.extend(attributes.into_iter().map(|(name, bytes)| {
                join_stream(path, &name).map(|path| HeldBytes { bytes }.stream(bare(&path, Kind::Stream)))
            })),
        }
        nodes
    }

    fn content(self: &Arc<Self>, inode: &Inode, path: &[u8], gone: Option<&Arc<LostNodes>>) -> Arc<dyn Content> {
        let (volume, gone, path) = (self.clone(), gone.cloned(), path.to_vec());
        let (number, block) = (inode.number, (inode.offset / BLOCK) as u32);
        if inode.is_encrypted {
            let failed = failure(Some(inode.offset), "the content is encrypted (fscrypt)");
            return Arc::new(Unreadable(named(failed, &path)));
        }
        if inode.compression.is_some() && inode.inline.is_none() {
            return Arc::new(ClusteredFile { volume, number, block, path, gone });
        }
        let locate = Box::new(move || {
            let inode = volume.inode_at(block, number)?;
            volume.layout(&inode, gone.clone())
        });
        Arc::new(StoredBytes { bytes: self.bytes.clone(), path, from: 0, size: inode.size, locate })
    }

    /// The room behind a file in its last block, or in its inode.
    pub fn slack(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Option<Node> {
        if inode.kind() != 0x8000 || inode.compression.is_some() || inode.inline.is_some() {
            return None;
        }
        slack(&self.bytes, path, inode.size, &self.layout(inode, None).ok()?)
    }
}
