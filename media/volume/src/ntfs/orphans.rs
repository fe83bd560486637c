//! Files in use that no directory lists: they are left by an interrupted write, a repaired index or
//! a manipulation. And clusters in use that no file has.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::attribute::DATA;
use super::deleted::name_of;
use super::record::Record;
use super::stream::Stream;
use super::volume::{File, Ntfs};
use crate::bits::Bits;
use crate::walk::join;
use pfh_bytes::node::{Failure, Node};
use pfh_bytes::stored::named;

/// Where they are listed.
const APART: &[u8] = b"$OrphanFiles";

/// The root, which no directory lists.
const ROOT: u64 = 5;

/// Records in front of this one are the system's: those without content have no name either.
const FIRST: u64 = 24;

/// The nodes of all records in use that are not among `listed` once the directories were walked, in
/// order of their numbers: below `$OrphanFiles`, with the path that their parents state.
pub fn orphans(volume: Arc<Ntfs>, listed: Arc<Mutex<Bits>>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let most = volume.bytes.size() / volume.record_size as u64;
    let mut taken = HashSet::new();
    (0..volume.records.min(most)).flat_map(move |number| {
        let is_listed = number == ROOT || listed.lock().unwrap_or_else(PoisonError::into_inner).has(number);
        if is_listed { Vec::new() } else { volume.orphan(number, &mut taken) }
    })
}

impl Ntfs {
    fn orphan(self: &Arc<Self>, number: u64, taken: &mut HashSet<u64>) -> Vec<Result<Node, Failure>> {
        // A record that cannot be read may never have been in use.
        let Ok(record) = self.record(number) else { return Vec::new() };
        let holds = record
            .attributes
            .iter()
            .any(|found| found.kind == DATA && found.resident().is_none_or(|value| !value.is_empty()));
        if !record.is_used || record.base != 0 || number < FIRST && !holds {
            return Vec::new();
        }
        let path = self.orphan_path(&record, taken);
        match self.all_attributes(&record) {
            Ok(attributes) => self.nodes_of(&File { record, attributes }, &path),
            Err(failed) => vec![Err(named(failed, &path))],
        }
    }

    /// The path of a record that no directory lists. Equal paths are distinguished by the number of
    /// the second.
    fn orphan_path(&self, record: &Record, taken: &mut HashSet<u64>) -> Vec<u8> {
        let numbered = || [APART, format!("/OrphanFile-{}", record.number).as_bytes()].concat();
        let stated = name_of(record).and_then(|name| {
            let parent = self.path_of(name.parent).filter(|path| !path.is_empty());
            let parent = parent.map_or(APART.to_vec(), |path| [APART, b"/", &path].concat());
            join(&parent, &name.name).ok()
        });
        let path = stated.unwrap_or_else(numbered);
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        if taken.insert(hasher.finish()) {
            path
        } else {
            [&path[..], format!("-{}", record.number).as_bytes()].concat()
        }
    }
}

/// The clusters that the attributes of all records in use have.
pub fn claims(volume: &Arc<Ntfs>) -> Bits {
    let mut claimed = Bits::default();
    let most = volume.bytes.size() / volume.record_size as u64;
    for number in 0..volume.records.min(most) {
        let Some(record) = volume.record(number).ok().filter(|record| record.is_used && record.base == 0) else {
            continue;
        };
        let Ok(attributes) = volume.all_attributes(&record) else { continue };
        for attribute in attributes.iter().filter(|found| found.resident().is_none()) {
            let stream = Stream::of(&attributes, attribute.kind, &attribute.name);
            let Ok(Some(layout)) = stream.and_then(|stream| stream.map(|stream| volume.layout(&stream)).transpose())
            else {
                continue;
            };
            for run in layout.runs() {
                let Some(offset) = run.medium_offset else { continue };
                claimed.set(offset / volume.cluster_size..(offset + run.length).div_ceil(volume.cluster_size));
            }
        }
    }
    claimed
}
