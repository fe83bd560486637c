//! The names in the directories of a volume.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::content::inline_rest;
use super::directory::{Entry, entries};
use super::group::Ext;
use super::inode::{ENCRYPTED, INDEXED, INLINE};
use super::node::into;
use super::place::{Place, SeenInodes};
use super::superblock::FILETYPE;
use crate::unallocated::slack;
use crate::walk::{WalkEntry, join};
use pfh_bytes::field::{failure, le16, le32};
use pfh_bytes::node::{Failure, Run};
use pfh_bytes::stored::named;

/// The kind of names that a walk gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Live,
    Deleted,
    Slack,
}

/// A volume while it is walked.
pub struct Names {
    pub volume: Arc<Ext>,
    pub pass: Pass,
    pub seen: Arc<Mutex<SeenInodes>>,
    /// Deleted inodes that have a name.
    pub named: Mutex<HashSet<u32>>,
}

/// The entries of one block, and the fault of the block.
pub type Block = Result<(Vec<Entry>, Option<Failure>), Failure>;

impl Names {
    /// The entries of a directory, block by block.
    pub fn blocks(&self, directory: u32) -> Result<Box<dyn Iterator<Item = Block> + Send>, Failure> {
        let volume = self.volume.clone();
        let inode = volume.inode(directory)?;
        let has_types = volume.superblock.incompatible & FILETYPE != 0;
        let deleted = self.pass == Pass::Deleted;
        if !inode.is_directory() {
            return Err(failure(None, "not a directory"));
        }
        if inode.flags & ENCRYPTED != 0 {
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).has_encrypted = true;
            return Err(failure(None, "the names are encrypted (fscrypt)"));
        }
        let parse = move |bytes: &[u8], from: usize, place: Option<u64>| {
            let (found, broken) = entries(bytes, from, has_types, deleted);
            let failed = broken.map(|broken| {
                let offset = place.map(|place| place + broken.0 as u64);
                failure(offset, "an entry of the directory contradicts itself: the rest of its block is not listed")
            });
            (found, failed)
        };
        if inode.flags & INLINE != 0 {
            let offset = volume.inode_offset(inode.number).ok();
            let rest = match inode.size > inode.block.len() as u64 {
                true => {
                    inline_rest(&inode.rest).map(|rest| parse(rest, 0, None)).map_err(|cause| failure(offset, cause))
                }
                false => Ok((Vec::new(), None)),
            };
            return Ok(Box::new([Ok(parse(&inode.block, 4, None)), rest].into_iter()));
        }
        let layout = volume.layout(&inode)?;
        let block_size = volume.block_size();
        let is_indexed = inode.flags & INDEXED != 0;
        // Holes hold no entries, and a size that was made up must not keep a reader busy.
        let runs = layout.window(0, inode.size).into_iter().filter_map(|run| Some((run, run.medium_offset?)));
        let blocks = runs.flat_map(move |(run, start): (Run, u64)| {
            (0..run.length.div_ceil(block_size))
                .map(move |index| (run.file_offset + index * block_size, start + index * block_size))
        });
        Ok(Box::new(blocks.map(move |(place, offset)| {
            let bytes = volume.block(offset / block_size)?;
            let is_index =
                is_indexed && (place == 0 || le32(&bytes, 0) == 0 && u64::from(le16(&bytes, 4)) == block_size);
            if is_index && deleted {
                // The room behind the names is the index itself.
                return Ok((Vec::new(), None));
            }
            Ok(parse(&bytes, 0, Some(offset)))
        })))
    }

    /// The node of a directory's entry in this pass.
    pub fn found(&self, entry: &Entry, parent: &[u8]) -> Option<Result<WalkEntry<Place>, Failure>> {
        if entry.name == b"." || entry.name == b".." {
            return None;
        }
        if self.pass == Pass::Live {
            // A file counts as listed even if its name cannot be written.
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).listed.insert(entry.inode.into());
        }
        if entry.is_deleted != (self.pass == Pass::Deleted) {
            if entry.is_deleted || self.pass != Pass::Deleted {
                return None;
            }
            // A live directory is walked through for the deleted names in it.
            let inode = self.volume.inode(entry.inode).ok().filter(|inode| inode.is_directory() && inode.links > 0)?;
            let path = join(parent, &entry.name).ok()?;
            return Some(Ok(WalkEntry { node: None, into: Some(into(&inode, path)) }));
        }
        let path = match join(parent, &entry.name) {
            Ok(path) => path,
            Err(failed) => return (self.pass == Pass::Live).then_some(Err(failed)),
        };
        match self.pass {
            Pass::Live => Some(self.live(entry.inode, path)),
            Pass::Deleted => {
                let is_orphan =
                    self.seen.lock().unwrap_or_else(PoisonError::into_inner).orphans.has(entry.inode.into());
                self.volume.deleted(entry.inode, path, is_orphan, &self.named).map(Ok)
            }
            Pass::Slack => self.slack(entry.inode, path).map(Ok),
        }
    }

    fn live(&self, number: u32, path: Vec<u8>) -> Result<WalkEntry<Place>, Failure> {
        let inode = self.volume.inode(number).map_err(|failed| named(failed, &path))?;
        if inode.links == 0 {
            return Err(named(
                failure(self.volume.inode_offset(number).ok(), "the name leads to an inode that is not in use"),
                &path,
            ));
        }
        let into = inode.is_directory().then(|| into(&inode, path.clone()));
        let node = self.volume.node(&inode, path)?;
        Ok(WalkEntry { node: Some(node), into })
    }

    /// The room behind a file in its last block, and a directory to go through.
    fn slack(&self, number: u32, path: Vec<u8>) -> Option<WalkEntry<Place>> {
        let inode = self.volume.inode(number).ok().filter(|inode| inode.links > 0)?;
        if inode.is_directory() {
            return Some(WalkEntry { node: None, into: Some(into(&inode, path)) });
        }
        let layout =
            (inode.kind() == 0x8000 && inode.flags & INLINE == 0).then(|| self.volume.layout(&inode).ok())??;
        let node = slack(&self.volume.bytes, &path, inode.size, &layout)?;
        Some(WalkEntry { node: Some(node), into: None })
    }
}
