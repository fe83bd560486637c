//! A volume, and the content of its inodes.

use std::sync::{Arc, OnceLock};

use super::inode::{Form, Inode};
use super::packed::{Packed, Parts};
use super::superblock::Superblock;
use crate::bytes::Bytes;
use crate::field::failure;
use crate::node::{Content, Failure};
use crate::stored::{Stored, gather};

/// A volume that is open.
pub struct Erofs {
    pub bytes: Arc<dyn Bytes>,
    pub superblock: Superblock,
    /// The inode that holds the ends of files.
    pub ends: OnceLock<Result<Arc<Parts>, Failure>>,
    /// The prefixes of long names of attributes.
    pub prefixes: OnceLock<Result<Vec<Vec<u8>>, Failure>>,
}

impl Erofs {
    /// A volume with this superblock.
    pub fn new(bytes: Arc<dyn Bytes>, superblock: Superblock) -> Erofs {
        Erofs { bytes, superblock, ends: OnceLock::new(), prefixes: OnceLock::new() }
    }

    /// Where a block begins.
    pub fn block(&self, number: u32) -> u64 {
        u64::from(number) << self.superblock.block_log
    }

    /// The content of an inode.
    pub fn content(self: &Arc<Self>, inode: &Inode, path: &[u8]) -> Arc<dyn Content> {
        if let Form::Packed { .. } = inode.form {
            return Arc::new(Packed { volume: self.clone(), inode: inode.clone(), path: path.to_vec() });
        }
        let (volume, held) = (self.clone(), inode.clone());
        let locate = Box::new(move || volume.layout(&held));
        Arc::new(Stored { bytes: self.bytes.clone(), path: path.to_vec(), from: 0, size: inode.size, locate })
    }

    /// `length` bytes of an inode from `from` on, fewer at its end. The caller bounds them.
    pub fn range(self: &Arc<Self>, inode: &Inode, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let length = usize::try_from(inode.size.saturating_sub(from)).unwrap_or(usize::MAX).min(length);
        if let Form::Packed { .. } = inode.form {
            return Parts::new(self, inode)?.range(from, length);
        }
        gather(&*self.bytes, &self.layout(inode)?, from, length)
    }

    /// `length` bytes of the inode that holds the ends of files. The caller bounds them.
    pub fn end(self: &Arc<Self>, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let number = self.superblock.packed;
        let number = number.ok_or_else(|| failure(None, "an end of a file in a volume that has none apart"))?;
        let inode = self.inode(number)?;
        let is_there = from.checked_add(length as u64).is_some_and(|end| end <= inode.size);
        if !is_there {
            let cause = format!("the end of a file at {from}, {length} bytes: behind those of all files");
            return Err(failure(Some(inode.offset), cause));
        }
        if let Form::Packed { .. } = inode.form {
            let parts = self.ends.get_or_init(|| Parts::new(self, &inode).map(Arc::new));
            return parts.clone()?.range(from, length);
        }
        gather(&*self.bytes, &self.layout(&inode)?, from, length)
    }
}
