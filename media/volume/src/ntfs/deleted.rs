//! Deleted files: records of the MFT that are not in use and still describe a file.

use std::sync::Arc;

use super::attribute::{Attribute, DATA, FILE_NAME, FileName};
use super::record::{NUMBER, Record};
use super::stream::Stream;
use super::volume::{File, Ntfs};
use crate::walk::join;
use pfh_bytes::node::{Allocation, Failure, Node};

const ROOT: u64 = 5;

/// The most directories on a path: more are a circle.
const DEEPEST: usize = 512;

/// The name of a record, the long one where it has two.
pub fn name_of(record: &Record) -> Option<FileName> {
    let names = record.attributes.iter().filter(|found| found.kind == FILE_NAME).filter_map(Attribute::resident);
    let names: Vec<_> = names.filter_map(FileName::read).collect();
    names.iter().find(|name| !name.is_short).or(names.first()).cloned()
}

/// The nodes of all deleted files, in order of their records.
pub fn deleted(volume: Arc<Ntfs>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    // Records beyond the medium cannot be read, regardless of the stated size of the MFT.
    let most = volume.bytes.size() / volume.record_size as u64;
    (0..volume.records.min(most)).flat_map(move |number| volume.deleted_nodes(number).into_iter().map(Ok))
}

impl Ntfs {
    fn deleted_nodes(self: &Arc<Self>, number: u64) -> Vec<Node> {
        let Ok(record) = self.record(number) else { return Vec::new() };
        let Some(name) = name_of(&record).filter(|_| !record.is_used && record.base == 0) else { return Vec::new() };
        let parent = self.path_of(name.parent).unwrap_or_else(|| b"$OrphanFiles".to_vec());
        let Ok(path) = join(&parent, &name.name) else { return Vec::new() };
        // Records that held further attributes may be another file's by now.
        let (attributes, is_whole) = match self.all_attributes(&record) {
            Ok(attributes) => (attributes, true),
            Err(_) => (record.attributes.clone(), false),
        };
        let is_free = |kind: u32, name: &[u16]| match Stream::of(&attributes, kind, name) {
            Ok(Some(stream)) if stream.resident.is_none() => {
                self.layout(&stream).is_ok_and(|layout| self.is_free(&layout))
            }
            Ok(_) => true,
            Err(_) => false,
        };
        let streams = attributes.iter().filter(|found| found.kind == DATA);
        let is_free = is_whole && streams.into_iter().all(|found| is_free(DATA, &found.name));
        let allocation = if is_free { Allocation::Deleted } else { Allocation::Overwritten };
        let file = File { attributes: attributes.clone(), record };
        let nodes = self.nodes_of(&file, &path).into_iter().flatten();
        nodes.map(|node| Node { allocation, ..node }).collect()
    }

    /// The path of a directory by its reference; `None` if it is another file by now, or leads
    /// nowhere. A directory that was deleted has the next sequence number.
    pub fn path_of(&self, mut reference: u64) -> Option<Vec<u8>> {
        let mut names = Vec::new();
        while reference & NUMBER != ROOT {
            let record = self.record(reference & NUMBER).ok()?;
            let sequence = (reference >> 48) as u16;
            let is_it = record.sequence == sequence || !record.is_used && record.sequence == sequence.wrapping_add(1);
            if !is_it || !record.is_directory || names.len() >= DEEPEST {
                return None;
            }
            let name = name_of(&record)?;
            names.push(name.name);
            reference = name.parent;
        }
        names.iter().rev().try_fold(Vec::new(), |path, name| join(&path, name).ok())
    }
}
