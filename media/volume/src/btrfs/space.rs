//! Space that no file has: the ranges of chunks without an extent, and the ranges of devices
//! without a chunk.

use std::ops::Range;
use std::sync::Arc;

use super::btree::Tree;
use super::chunk::{Chunk, Stripe};
use super::node::Key;
use super::pool::Pool;
use super::record::kind;
use super::superblock::{PLACES, SIZE};
use crate::file_system::Free;
use crate::unallocated::gap;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Nodes};

/// The most free runs, in 64 MiB.
const MOST: usize = 4 << 20;

/// The free space of a file system.
pub struct Space {
    pub pool: Arc<Pool>,
    /// The tree of extents in use, or why there is none.
    pub extents: Result<Arc<Tree>, Failure>,
}

impl Free for Space {
    fn runs(&self) -> Nodes {
        let (mut ranges, mut failed) = (self.beside(), Vec::new());
        match &self.extents {
            Ok(tree) => self.within(tree, &mut ranges, &mut failed),
            Err(why) => failed.push(why.clone()),
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        let bytes = self.pool.devices.bytes.clone();
        let free =
            joined.into_iter().flat_map(without_superblocks(&self.pool)).map(move |range| Ok(gap(&bytes, range)));
        Box::new(failed.into_iter().map(Err).chain(free))
    }
}

/// A range without the superblocks in it.
fn without_superblocks(pool: &Pool) -> impl Fn(Range<u64>) -> Vec<Range<u64>> + Send + use<> {
    let bases: Vec<Range<u64>> =
        pool.devices.found.iter().map(|device| device.base..device.base.saturating_add(device.own.size)).collect();
    move |range| {
        let mut rest = range;
        let mut found = Vec::new();
        for base in &bases {
            for place in PLACES {
                let at = base.start.saturating_add(place);
                let end = at.saturating_add(SIZE as u64);
                if end <= base.end && at < rest.end && end > rest.start {
                    found.push(rest.start..at.max(rest.start));
                    rest.start = end.min(rest.end);
                }
            }
        }
        found.push(rest);
        found.retain(|range| !range.is_empty());
        found
    }
}

impl Space {
    /// The ranges of the devices that are in no chunk.
    fn beside(&self) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        for device in &self.pool.devices.found {
            let mut used: Vec<Range<u64>> = Vec::new();
            for chunk in self.pool.chunks() {
                let stripes = chunk.stripes.iter().filter(|stripe| stripe.device == device.own.id);
                used.extend(stripes.map(|stripe| stripe.offset..stripe.offset.saturating_add(chunk.stripe_length())));
            }
            used.sort_unstable_by_key(|range| range.start);
            let mut at = 0;
            used.push(device.own.size..device.own.size);
            for range in used {
                let end = range.start.min(device.own.size);
                if end > at {
                    found.push(device.base.saturating_add(at)..device.base.saturating_add(end));
                }
                at = at.max(range.end);
            }
        }
        found
    }

    /// The ranges of the chunks that no extent uses.
    fn within(&self, tree: &Arc<Tree>, found: &mut Vec<Range<u64>>, failed: &mut Vec<Failure>) {
        // The chunks on a present device, which bounds them.
        let is_there = |chunk: &&Chunk| {
            let length = chunk.stripe_length();
            let stripe = |at: &Stripe| self.pool.devices.place(at.device, at.uuid, at.offset, length).is_ok();
            chunk.stripes.iter().any(stripe)
        };
        let mut chunks = self.pool.chunks().filter(is_there).map(|chunk| chunk.logical..chunk.end());
        let mut chunk = chunks.next();
        // Where the space that no extent had so far begins; nothing is known behind a bad node.
        let (mut at, mut is_known) = (0, true);
        let mut is_full = false;
        let mut free = |range: Range<u64>, is_known: bool, failed: &mut Vec<Failure>| {
            if is_known
                && !is_full
                && let Err(why) = self.push(range, found)
            {
                failed.push(why);
                is_full = true;
            }
        };
        for item in tree.from(Key::of(0, 0, 0)) {
            let (key, used) = match item {
                Ok((key, _)) if key.kind == kind::USED => (key, key.offset),
                Ok((key, _)) if key.kind == kind::USED_NODE => (key, self.pool.node_size),
                Ok(_) => continue,
                Err(why) => {
                    failed.push(why);
                    is_known = false;
                    continue;
                }
            };
            while let Some(range) = chunk.clone().filter(|range| range.end <= key.id) {
                free(at.max(range.start)..range.end, is_known, failed);
                chunk = chunks.next();
            }
            if let Some(range) = &chunk {
                free(at.max(range.start)..key.id, is_known, failed);
            }
            at = at.max(key.id.saturating_add(used));
            is_known = true;
        }
        while let Some(range) = chunk {
            free(at.max(range.start)..range.end, is_known, failed);
            chunk = chunks.next();
        }
    }

    /// Adds the places of a logical range, in all its copies.
    fn push(&self, range: Range<u64>, found: &mut Vec<Range<u64>>) -> Result<(), Failure> {
        let mut at = range.start;
        while at < range.end {
            let (places, left) = self.pool.places(at)?;
            let length = left.min(range.end - at);
            if found.len().saturating_add(places.len()) > MOST {
                return Err(failure(None, "more than four million free runs: the rest is not listed"));
            }
            found.extend(places.into_iter().map(|place| place..place.saturating_add(length)));
            at += length;
        }
        Ok(())
    }
}
