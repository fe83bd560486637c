//! The names of a volume.

use std::sync::{Arc, Mutex, PoisonError};

use super::attribute::{ATTRIBUTE_LIST, Attribute, DATA, VOLUME_INFORMATION, VOLUME_NAME};
use super::boot::{self, Boot};
use super::deleted::deleted;
use super::index::{Listed, names};
use super::orphans::{claims, orphans};
use super::record::{NUMBER, Record};
use super::reparse::{Reparse, reparse};
use super::stream::Stream;
use super::volume::Ntfs;
use crate::bits::Bits;
use crate::bytes::Bytes;
use crate::field::{failure, le16, read};
use crate::file_system::{FileSystem, Options, Recognised, Volume};
use crate::layout::Layout;
use crate::node::{Failure, Node, Nodes};
use crate::stored::named;
use crate::text::{units, utf16};
use crate::unallocated::{self, IsUsed, slack};
use crate::walk::{Entries, Found, Into, Tree, Walk, join};

const MFT: u64 = 0;
const VOLUME: u64 = 3;
const ROOT: u64 = 5;
const CLUSTERS: u64 = 6;

/// Opens an NTFS volume; `None` if there is none.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    open_by(bytes, &**bytes)
}

/// Opens a volume whose boot sector is that of `start`: a file holds the one that stands there.
pub fn open_by(bytes: &Arc<dyn Bytes>, start: &dyn Bytes) -> Result<Option<Recognised>, Failure> {
    let Some(boot) = boot::read(start)? else { return Ok(None) };
    let mut warnings = Vec::new();
    let first = first_record(&**bytes, &boot, &mut warnings)?;
    let mut volume = Ntfs {
        bytes: bytes.clone(),
        cluster_size: boot.cluster_size,
        clusters: boot.clusters,
        record_size: boot.record_size,
        index_size: boot.index_size,
        mft: Layout::default(),
        records: 0,
        bitmap: Layout::default(),
        held: Mutex::default(),
    };
    volume.find_mft(&first).map_err(|failed| failure(failed.offset, format!("MFT: {}", failed.cause)))?;
    match volume.system_file(CLUSTERS) {
        Ok((bitmap, _)) => volume.bitmap = bitmap,
        Err(failed) => warnings.push(failure(failed.offset, format!("map of clusters: {}", failed.cause))),
    }
    let (mut label, size) = (Vec::new(), volume.size());
    match volume.record(VOLUME) {
        Ok(record) => {
            let value =
                |kind: u32| record.attributes.iter().find(|found| found.kind == kind).and_then(Attribute::resident);
            label = utf16(&units(value(VOLUME_NAME).unwrap_or_default()));
            if value(VOLUME_INFORMATION).is_some_and(|raw| le16(raw, 10) & 1 != 0) {
                warnings.push(failure(volume.record_offset(VOLUME), "the volume was not unmounted"));
            }
        }
        Err(failed) => warnings.push(failed),
    }
    if size > bytes.size() {
        let cause = format!("the file system has {size} bytes, the volume only {}", bytes.size());
        warnings.push(failure(Some(0x28), cause));
    }
    let block_size = u32::try_from(boot.cluster_size).unwrap_or(u32::MAX);
    let volume = Arc::new(volume);
    Ok(Some(Recognised::FileSystem(FileSystem {
        kind: "NTFS",
        label,
        id: boot.id,
        block_size,
        size,
        warnings,
        unread: super::shadow::copies(&**bytes).into_iter().collect(),
        volume,
    })))
}

/// The record of the MFT itself, or its copy.
fn first_record(bytes: &dyn Bytes, boot: &Boot, warnings: &mut Vec<Failure>) -> Result<Record, Failure> {
    let record = |cluster: u64| {
        let offset =
            cluster.checked_mul(boot.cluster_size).ok_or_else(|| failure(None, "the MFT is beyond any volume"))?;
        let found = read(bytes, offset, boot.record_size).and_then(|raw| Record::new(MFT, raw));
        found.map_err(|failed| failure(Some(offset), format!("MFT: {}", failed.cause)))
    };
    record(boot.mft).or_else(|failed| {
        let copy = record(boot.mirror).map_err(|_| failed.clone())?;
        warnings.push(failure(failed.offset, format!("{}: its copy is used", failed.cause)));
        Ok(copy)
    })
}

impl Ntfs {
    /// Finds where the MFT lies: first by its own record, then with those that its list names,
    /// which are in the part that is found first.
    fn find_mft(&mut self, first: &Record) -> Result<(), Failure> {
        let missing = || failure(None, "its record states no place");
        let stream = Stream::of(&first.attributes, DATA, &[])?.ok_or_else(missing)?;
        let has_list = first.attributes.iter().any(|found| found.kind == ATTRIBUTE_LIST);
        let size = stream.size;
        self.records = size / self.record_size as u64;
        if has_list {
            let mut begin = stream.clone();
            begin.size = 0;
            self.mft = self.layout(&begin)?;
            let known = self.records;
            self.records = known.min(self.mft.end() / self.record_size as u64);
            let attributes = self.all_attributes(first)?;
            self.mft = self.layout(&Stream::of(&attributes, DATA, &[])?.ok_or_else(missing)?)?;
            self.records = known;
        } else {
            self.mft = self.layout(&stream)?;
        }
        self.mft.disjoint()
    }
}

/// A volume while it is walked.
struct Names {
    volume: Arc<Ntfs>,
    /// Whether slack is listed instead of files.
    slack: bool,
    /// Records that some index lists.
    listed: Arc<Mutex<Bits>>,
}

impl Volume for Ntfs {
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
    /// What an entry of an index stands for: a file, its streams, and what is below it.
    fn found(&self, listed: &Listed, parent: &[u8]) -> Vec<Result<Found<u64>, Failure>> {
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
        let below =
            (file.record.is_directory && !is_link).then(|| Into { id: number, path: path.clone(), directory: number });
        let nodes = self.volume.nodes_of(&file, &path);
        if self.slack {
            let of = |node: Node| self.volume.slack_of(&file.attributes, &node, path.len());
            let slack =
                nodes.into_iter().flatten().filter_map(of).map(|node| Ok(Found { node: Some(node), into: None }));
            return slack.chain(below.map(|below| Ok(Found { node: None, into: Some(below) }))).collect();
        }
        let found = nodes.into_iter().map(|node| Ok(Found { node: Some(node?), into: None }));
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
