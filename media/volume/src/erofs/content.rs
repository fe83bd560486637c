//! The content of inodes, however it lies.

use std::sync::Arc;

use super::inode::{Form, Inode};
use super::packed::{PackedFile, Parts};
use super::volume::{Ends, Erofs};
use pfh_bytes::field::failure;
use pfh_bytes::node::{Content, Failure};
use pfh_bytes::stored::{StoredBytes, gather};

impl Erofs {
    /// The content of an inode.
    pub fn content(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Arc<dyn Content> {
        if let Form::Packed { .. } = inode.form {
            return Arc::new(PackedFile { volume: self.clone(), inode: inode.clone(), path: path.to_vec() });
        }
        let (volume, held) = (self.clone(), inode.clone());
        let locate = Box::new(move || volume.layout(&held));
        Arc::new(StoredBytes { bytes: self.bytes.clone(), path: path.to_vec(), from: 0, size: inode.size, locate })
    }

    /// `length` bytes of an inode from `from` on, fewer at its end. The caller bounds them.
    pub fn range(self: &Arc<Self>, inode: &Inode, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let length = usize::try_from(inode.size.saturating_sub(from)).unwrap_or(usize::MAX).min(length);
        if let Form::Packed { .. } = inode.form {
            return Parts::new(self, inode)?.range(from, length);
        }
        gather(&*self.bytes, &self.layout(inode)?, from, length)
    }
}

/// The ends of files, in the inode of this number. `volume` has no ends set: the inode does not
/// need them.
pub fn ends(volume: Arc<Erofs>, number: u64) -> Result<Arc<dyn Ends>, Failure> {
    let inode = volume.inode(number)?;
    let parts = match inode.form {
        Form::Packed { .. } => Some(Parts::new(&volume, &inode)?),
        _ => None,
    };
    Ok(Arc::new(OfInode { volume, inode, parts }))
}

/// The inode that holds ends.
struct OfInode {
    volume: Arc<Erofs>,
    inode: Inode,
    /// Of one that is compressed.
    parts: Option<Parts>,
}

impl Ends for OfInode {
    fn range(&self, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let is_there = from.checked_add(length as u64).is_some_and(|end| end <= self.inode.size);
        if !is_there {
            let cause = format!("the end of a file at {from}, {length} bytes: behind those of all files");
            return Err(failure(Some(self.inode.offset), cause));
        }
        match &self.parts {
            Some(parts) => parts.range(from, length),
            None => gather(&*self.volume.bytes, &self.volume.layout(&self.inode)?, from, length),
        }
    }
}
