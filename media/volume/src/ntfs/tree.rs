//! The names of a volume.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::attribute::{Attribute, DATA};
use super::deleted::deleted;
use super::index::{IndexedName, names};
use super::layers::layers;
use super::orphans::{claims, orphans};
use super::record::NUMBER;
use super::reparse::{Reparse, reparse};
use super::stream::Stream;
use super::volume::Ntfs;
use crate::bits::Bits;
use crate::file_system::{Options, Volume};
use crate::foresight::look_at;
use crate::unallocated::{self, IsUsed, slack};
use crate::walk::{Entries, Tree, Walk, WalkEntry, WalkFolder, join};
use pfh_bytes::account::Layers;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Node, Nodes};
use pfh_bytes::stored::named;
use pfh_bytes::text::utf16;

const ROOT: u64 = 5;
/// Names of a directory that are looked at ahead.
const SEEN: usize = 4096;

/// A volume while it is walked.
struct Names {
    volume: Arc<Ntfs>,
    /// Whether slack is listed instead of files.
    slack: bool,
    /// Records that some index lists.
    listed: Arc<Mutex<Bits>>,
}

impl Volume for Ntfs {
    fn layers(self: Arc<Self>) -> Result<Layers, Failure> {
        Ok(layers(&self))
    }

    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let listed: Arc<Mutex<Bits>> = Arc::default();
        let walk = |slack: bool| {
            let names = Names { volume: self.clone(), slack, listed: listed.clone() };
            Walk::new(Arc::new(names), ROOT, ROOT)
        };
        let mut nodes: Nodes = Box::new(walk(false).chain(orphans(self.clone(), listed.clone())));
        if options.deleted {
            nodes = Box::new(nodes.chain(deleted(self.clone())));
        }
        if options.unallocated {
            let clusters = self.clusters.min(self.bytes.size() / self.cluster_size);
            let volume = self.clone();
            let is_used = move || -> IsUsed {
                let volume = volume.clone();
                Box::new(move |cluster| volume.is_used(cluster))
            };
            let (bytes, size, volume) = (self.bytes.clone(), self.cluster_size, self.clone());
            let free = unallocated::free(bytes.clone(), 0, size, 0..clusters, is_used());
            let lost = unallocated::lost(bytes, 0, size, 0..clusters, is_used(), Box::new(move || claims(&volume)));
            nodes = Box::new(nodes.chain(walk(true).filter(Result::is_ok)).chain(free).chain(lost));
        }
        nodes
    }
}

impl Tree for Names {
    type Directory = u64;

    fn foresee(self: &Arc<Self>, directory: &u64, is_open: &Arc<AtomicBool>) {
        let (volume, directory) = (self.volume.clone(), *directory);
        look_at(&self.volume.bytes, is_open, move || {
            let listed = volume.file(directory).and_then(|file| names(&volume, &file)).ok()?;
            let records = listed.take(SEEN).flatten().map(|listed| listed.reference & NUMBER);
            Some(records.filter_map(move |number| volume.record_offset(number)))
        });
    }

    fn list(self: Arc<Self>, directory: u64, path: Arc<[u8]>) -> Entries<u64> {
        let found = self.volume.file(directory).and_then(|file| names(&self.volume, &file));
        match found {
            Err(failed) => Box::new(std::iter::once(Err(named(failed, &path)))),
            Ok(listed) => Box::new(listed.flat_map(move |listed| match listed {
                Err(failed) => vec![Err(named(failed, &path))],
                Ok(listed) => self.found(&listed, &path),
            })),
        }
    }
}

impl Names {
    /// The nodes of an entry of an index: a file, its streams, and the directory behind it.
    fn found(&self, listed: &IndexedName, parent: &[u8]) -> Vec<Result<WalkEntry<u64>, Failure>> {
        let number = listed.reference & NUMBER;
        if listed.name.is_short || number == ROOT {
            return Vec::new();
        }
        let path = match join(parent, &listed.name.name) {
            Ok(path) => path,
            Err(failed) => return vec![Err(failed)],
        };
        let file = match self.volume.file(number) {
            Ok(file) => file,
            Err(failed) => return vec![Err(named(failed, &path))],
        };
        let sequence = (listed.reference >> 48) as u16;
        if !file.record.is_used || file.record.base != 0 || sequence != 0 && sequence != file.record.sequence {
            let cause = "the name leads to a record that is not in use, or is another file by now";
            return vec![Err(named(failure(self.volume.record_offset(number), cause), &path))];
        }
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).set(number..number + 1);
        let is_link = matches!(reparse(&self.volume, &file.attributes), Reparse::Link(_));
        let below = (file.record.is_directory && !is_link).then(|| WalkFolder {
            id: number,
            path: path.clone(),
            directory: number,
        });
        let nodes = self.volume.nodes_of(&file, &path);
        if self.slack {
            let of = |node: Node| self.volume.slack_of(&file.attributes, &node, path.len());
            let slack =
                nodes.into_iter().flatten().filter_map(of).map(|node| Ok(WalkEntry { node: Some(node), into: None }));
            return slack.chain(below.map(|below| Ok(WalkEntry { node: None, into: Some(below) }))).collect();
        }
        let found = nodes.into_iter().map(|node| Ok(WalkEntry { node: Some(node?), into: None }));
        let mut found: Vec<_> = found.collect();
        if let Some(Ok(first)) = found.first_mut() {
            first.into = below;
        }
        found
    }
}

impl Ntfs {
    /// The room behind a stream of a file in its last cluster.
    fn slack_of(&self, attributes: &[Attribute], node: &Node, path: usize) -> Option<Node> {
        let stream_name = node.path.get(path + 1..).unwrap_or_default();
        let names = attributes.iter().filter(|found| found.kind == DATA).map(|found| &found.name);
        let name = names.into_iter().find(|name| utf16(name) == stream_name)?;
        let stream = Stream::of(attributes, DATA, name).ok()??;
        let is_plain = !stream.is_compressed() && stream.resident.is_none() && node.content.is_some();
        let layout = self.layout(&stream).ok().filter(|_| is_plain)?;
        slack(&self.bytes, &node.path, stream.size, &layout)
    }
}
