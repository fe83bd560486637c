//! Deleted files: records that nodes of the catalog still hold, in room that is not in use.

use std::collections::HashSet;
use std::sync::Arc;

use super::catalog::{self, Item, ROOT, ROOT_PARENT, RecordContent, units};
use super::fork::ForkKind;
use super::node::DESCRIPTOR;
use super::volume::Hfs;
use crate::listed::NumberSet;
use crate::walk::join;
use pfh_bytes::field::{be16, be32};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Allocation, Failure, Kind, Node};

/// The first number of a file, and the longest key of a catalog.
const FIRST: u32 = 16;
const LONGEST_KEY: usize = 516;
/// The most directories on a path.
const DEEPEST: usize = 2048;

/// The deleted files of a volume, in order of where their records stand: each number once, and no
/// number of a file in use.
pub fn deleted(volume: Arc<Hfs>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let mut known = None;
    (1..volume.catalog.nodes).flat_map(move |number| {
        let known = known.get_or_insert_with(|| numbers(&volume));
        let mut found = Vec::new();
        // Nodes that cannot be read were failures when live names were listed.
        let raw = u32::try_from(number).ok().and_then(|number| volume.catalog.raw(number).ok()).unwrap_or_default();
        let mut at = DESCRIPTOR;
        while let Some(rest) = raw.get(at..).filter(|rest| rest.len() > 88) {
            let Some((key, item, length)) = record(rest) else {
                at += 2;
                continue;
            };
            at += length;
            if !known.has(u64::from(item.id)) && volume.is_whole(&item) {
                known.insert(u64::from(item.id));
                found.extend(volume.gone(key, &item));
            }
        }
        found.into_iter().map(Ok)
    })
}

/// The numbers of all files in use.
fn numbers(volume: &Hfs) -> NumberSet {
    let mut known = NumberSet::default();
    for (_, value) in volume.catalog.from(|_| false).flatten() {
        if let Ok(RecordContent::Item(item)) = RecordContent::new(&value) {
            known.insert(u64::from(item.id));
        }
    }
    known
}

/// The record at the start of these bytes, if it can be one: its key, and its length.
fn record(raw: &[u8]) -> Option<(&[u8], Item, usize)> {
    let length = usize::from(be16(raw, 0));
    let is_key = (8..=LONGEST_KEY).contains(&length) && length == 6 + 2 * usize::from(be16(raw, 6));
    let parent = be32(raw, 2);
    if !is_key || parent != ROOT && parent < FIRST {
        return None;
    }
    let (key, value) = (raw.get(2..2 + length)?, raw.get(2 + length..)?);
    let value = match be16(value, 0) {
        1 => value.get(..88)?,
        2 => value.get(..248)?,
        _ => return None,
    };
    let Ok(RecordContent::Item(item)) = RecordContent::new(value) else { return None };
    let is_one = item.id >= FIRST && (item.is_folder || be32(value, 4) == 0);
    is_one.then_some((key, *item, 2 + length + value.len()))
}

impl Hfs {
    /// Whether the forks of a file are those of some file of this volume.
    fn is_whole(&self, item: &Item) -> bool {
        let blocks = self.blocks;
        [&item.data, &item.resource].into_iter().all(|fork| fork.is_within(blocks))
    }

    /// The nodes of a deleted file or directory: itself, and its resource fork.
    fn gone(self: &Arc<Self>, key: &[u8], item: &Item) -> Vec<Node> {
        let Some(path) = self.path_of(be32(key, 0), key) else { return Vec::new() };
        let layout = |fork, which| self.layout(fork, item.id, which).ok();
        let layouts = [layout(&item.data, ForkKind::Data), layout(&item.resource, ForkKind::Resource)];
        let is_free = |layout: &Option<Layout>| layout.as_ref().is_some_and(|layout| self.is_free(layout));
        let allocation = match layouts.iter().all(is_free) {
            true => Allocation::Deleted,
            false => Allocation::Overwritten,
        };
        let nodes = self.nodes_of(item, &path).into_iter().filter_map(Result::ok);
        let nodes = nodes.map(|mut node| {
            node.allocation = allocation;
            let is_here = match node.kind {
                Kind::Stream => layouts[1].is_some(),
                _ => layouts[0].is_some() && !node.compressed,
            };
            if !is_here {
                // The records that its content was made of are gone.
                (node.size, node.content) = (None, None);
            }
            if matches!(node.kind, Kind::Link(_)) && allocation == Allocation::Overwritten {
                node.kind = Kind::File;
            }
            node
        });
        nodes.collect()
    }

    /// Whether nothing in use has a block of these places.
    fn is_free(&self, layout: &Layout) -> bool {
        let Ok(space) = &self.space else { return false };
        layout.runs().iter().filter_map(|run| Some((run.medium_offset?, run.length))).all(|(offset, length)| {
            let first = (offset - self.blocks.base) / self.blocks.size;
            (first..first + length / self.blocks.size).all(|block| matches!(space.is_used(block), Ok(false)))
        })
    }

    /// The path of a name in the directory with this number; below `$OrphanFiles` if that is not in
    /// use. `None` for a name that no system can open.
    fn path_of(&self, parent: u32, key: &[u8]) -> Option<Vec<u8>> {
        let mut names = vec![catalog::name(&units(key)?).ok()?];
        let (mut directory, mut seen) = (parent, HashSet::new());
        while directory != ROOT {
            let thread = self.catalog.of(directory).next().and_then(Result::ok);
            match thread.map(|(_, value)| RecordContent::new(&value)) {
                Some(Ok(RecordContent::Thread(above, name)))
                    if names.len() < DEEPEST && above != ROOT_PARENT && seen.insert(directory) =>
                {
                    names.push(catalog::name(&name).ok()?);
                    directory = above;
                }
                _ => {
                    names.truncate(1);
                    names.push(b"$OrphanFiles".to_vec());
                    break;
                }
            }
        }
        names.iter().rev().try_fold(Vec::new(), |path, name| join(&path, name)).ok()
    }
}
