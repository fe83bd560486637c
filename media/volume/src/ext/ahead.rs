//! Directories that are looked at ahead of the listing, by a thread that decodes.

use super::inode::ENCRYPTED;
use super::tree::Names;
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks of a directory that are looked at: those behind them lie one behind the other, mostly.
const MOST: usize = 64;
/// Inodes that lie nearer than this, in bytes, are decoded together.
const NEAR: u64 = 4096;

impl Names {
    /// Reads the blocks of a directory and where the inodes of its entries are; no faults are
    /// noted, since the listing will find them. Nothing once `is_open`.
    pub fn look_at(&self, directory: u32, is_open: &AtomicBool) {
        let is_late = is_open.load(Ordering::Relaxed);
        let inode = self.volume.inode(directory).ok().filter(|inode| !is_late && inode.flags & ENCRYPTED == 0);
        let Some(Ok(blocks)) = inode.map(|_| self.blocks(directory)) else { return };
        let mut last = u64::MAX;
        for (entries, _) in blocks.take(MOST).flatten() {
            for offset in entries.iter().filter_map(|entry| self.volume.inode_offset(entry.inode).ok()) {
                if offset.abs_diff(last) >= NEAR {
                    _ = self.volume.bytes.read_at(offset, &mut [0]);
                    last = offset;
                }
            }
        }
    }
}
