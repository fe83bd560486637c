//! The names of a volume, live and deleted.

use std::sync::Arc;

use super::boot;
use super::chain::Clusters;
use super::entry::{Entry, Read};
use super::exfat_boot;
use super::exfat_entry::ExfatEntries;
use super::fat_entry::FatEntries;
use super::records::records;
use crate::bytes::Bytes;
use crate::field::failure;
use crate::file_system::{FileSystem, Options, Recognised, Volume};
use crate::layout::Layout;
use crate::node::{Allocation, Failure, Kind, Node, Nodes};
use crate::stored::{Stored, named};
use crate::unallocated::{self, slack};
use crate::walk::{Entries, Found, Into, Tree, Walk, join};

/// How the records of a directory are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Fat { is_32: bool },
    Exfat,
}

/// A volume that is open.
struct Fat {
    clusters: Clusters,
    format: Format,
    /// Where the root lies, and its first cluster.
    root: Layout,
    root_cluster: u32,
}

/// Opens a FAT volume; `None` if there is none.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    let Some(found) = boot::read(bytes)? else { return Ok(None) };
    let is_32 = found.root.is_none();
    let root_cluster = if is_32 { found.root_cluster } else { 0 };
    let root = match found.root {
        Some(root) => root,
        None => found.clusters.chain(root_cluster, None).map_err(root_is_wrong)?,
    };
    let fat = Fat { clusters: found.clusters, format: Format::Fat { is_32 }, root, root_cluster };
    Ok(Some(fat.opened(found.kind, found.label, found.id, found.size, found.warnings)))
}

/// Opens an exFAT volume; `None` if there is none.
pub fn open_exfat(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    let Some(found) = exfat_boot::read(bytes)? else { return Ok(None) };
    let root = found.clusters.chain(found.root_cluster, None).map_err(root_is_wrong)?;
    let mut fat = Fat { clusters: found.clusters, format: Format::Exfat, root, root_cluster: found.root_cluster };
    let bitmap = fat.read(&fat.root).find_map(|read| match read {
        Ok(Read::Bitmap(first, size)) => Some((first, size)),
        _ => None,
    });
    let mut warnings = found.warnings;
    match bitmap.map(|(first, size)| fat.clusters.chain(first, Some(size))) {
        Some(Ok(bitmap)) => fat.clusters.bitmap = Some(bitmap),
        Some(Err(failed)) => warnings.push(failure(failed.offset, format!("bitmap of clusters: {}", failed.cause))),
        None => warnings.push(failure(None, "there is no bitmap of clusters: the table says what is in use")),
    }
    Ok(Some(fat.opened("exFAT", Vec::new(), found.id, found.size, warnings)))
}

fn root_is_wrong(failed: Failure) -> Failure {
    failure(failed.offset, format!("root directory: {}", failed.cause))
}

/// A directory to be listed.
struct Directory {
    layout: Layout,
    /// Whether everything in it is deleted with it.
    is_deleted: bool,
}

/// What a walk gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Live,
    Deleted,
    Slack,
}

/// A volume while it is walked.
struct Names {
    fat: Arc<Fat>,
    pass: Pass,
}

impl Volume for Fat {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let walk = |pass: Pass| {
            let root = Directory { layout: self.root.clone(), is_deleted: false };
            Walk::new(Arc::new(Names { fat: self.clone(), pass }), u64::from(self.root_cluster), root)
        };
        let mut nodes: Nodes = Box::new(walk(Pass::Live));
        if options.deleted {
            // What is wrong with directories was said when the live names were listed.
            nodes = Box::new(nodes.chain(walk(Pass::Deleted).filter(Result::is_ok)));
        }
        if options.unallocated {
            let clusters = &self.clusters;
            let within = clusters.bytes.size().saturating_sub(clusters.data) / clusters.cluster_size;
            let fat = self.clone();
            let free = unallocated::free(
                clusters.bytes.clone(),
                clusters.data,
                clusters.cluster_size,
                0..u64::from(clusters.count).min(within),
                Box::new(move |index| fat.clusters.is_used(u32::try_from(index).unwrap_or(u32::MAX).saturating_add(2))),
            );
            nodes = Box::new(nodes.chain(walk(Pass::Slack).filter(Result::is_ok)).chain(free));
        }
        nodes
    }
}

impl Tree for Names {
    type Directory = Directory;

    fn list(self: Arc<Self>, directory: Directory, path: Arc<[u8]>) -> Entries<Directory> {
        let read = self.fat.read(&directory.layout);
        Box::new(read.filter_map(move |read| match read {
            Err(failed) => Some(Err(named(failed, &path))),
            Ok(Read::Wrong(offset, cause)) => Some(Err(named(failure(Some(offset), cause), &path))),
            Ok(Read::Entry(entry)) => self.found(entry, directory.is_deleted, &path),
            Ok(_) => None,
        }))
    }
}

impl Fat {
    fn opened(
        self,
        kind: &'static str,
        label: Vec<u8>,
        id: String,
        size: u64,
        mut warnings: Vec<Failure>,
    ) -> Recognised {
        let in_root = self.read(&self.root).find_map(|read| match read {
            Ok(Read::Label(label)) => Some(label),
            _ => None,
        });
        let block_size = u32::try_from(self.clusters.cluster_size).unwrap_or(u32::MAX);
        warnings.dedup();
        let label = in_root.unwrap_or(label);
        Recognised::FileSystem(FileSystem { kind, label, id, block_size, size, warnings, volume: Arc::new(self) })
    }

    /// What the records of a directory add up to, up to their end.
    fn read(&self, layout: &Layout) -> impl Iterator<Item = Result<Read, Failure>> + Send + use<> {
        let (mut fat, mut exfat) = (FatEntries::default(), ExfatEntries::default());
        let format = self.format;
        fat.is_32 = format == Format::Fat { is_32: true };
        let read = records(self.clusters.bytes.clone(), layout).filter_map(move |record| match record {
            Err(failed) => Some(Err(failed)),
            Ok((offset, raw)) if format == Format::Exfat => exfat.read(&raw, offset).map(Ok),
            Ok((offset, raw)) => fat.read(&raw, offset).map(Ok),
        });
        read.take_while(|read| !matches!(read, Ok(Read::End)))
    }

    /// Where a file lies. The table says nothing of a deleted one: it is taken to lie in one piece.
    fn layout(&self, entry: &Entry, size: u64) -> Result<Layout, Failure> {
        if entry.is_deleted || entry.is_contiguous {
            self.clusters.contiguous(entry.first, size)
        } else {
            self.clusters.chain(entry.first, Some(size))
        }
    }

    /// Where a directory lies; of a deleted one in FAT the first cluster, because its size is not
    /// stated.
    fn directory(&self, entry: &Entry) -> Result<Layout, Failure> {
        match self.format {
            Format::Exfat => self.layout(entry, entry.size),
            Format::Fat { .. } if entry.is_deleted => self.clusters.contiguous(entry.first, 1),
            Format::Fat { .. } => self.clusters.chain(entry.first, None),
        }
    }
}

impl Names {
    /// What an entry stands for in this pass.
    fn found(&self, mut entry: Entry, in_deleted: bool, parent: &[u8]) -> Option<Result<Found<Directory>, Failure>> {
        entry.is_deleted |= in_deleted;
        let is_live = self.pass == Pass::Live;
        if entry.is_deleted && self.pass != Pass::Deleted {
            return None;
        }
        let path = match join(parent, &entry.name) {
            Ok(path) => path,
            Err(failed) => return is_live.then(|| Err(Failure { offset: Some(entry.offset), ..failed })),
        };
        if entry.is_directory {
            return self.into(&entry, path);
        }
        match self.pass {
            Pass::Slack => {
                let layout = self.fat.layout(&entry, entry.size).ok()?;
                let node = slack(&self.fat.clusters.bytes, &path, entry.size, &layout)?;
                Some(Ok(Found { node: Some(node), into: None }))
            }
            Pass::Deleted if !entry.is_deleted => None,
            _ => Some(Ok(Found { node: Some(self.file(entry, path)), into: None })),
        }
    }

    fn into(&self, entry: &Entry, path: Vec<u8>) -> Option<Result<Found<Directory>, Failure>> {
        let clusters = &self.fat.clusters;
        let node = self.node(entry, path.clone(), Kind::Directory);
        if entry.is_deleted {
            let size = if self.fat.format == Format::Exfat { entry.size } else { 1 };
            let is_there = clusters.is_free(entry.first, size);
            let layout = self.fat.directory(entry).ok().filter(|_| is_there);
            let directory = layout.map(|layout| Directory { layout, is_deleted: true });
            // Two deleted directories may claim the same cluster: each is listed once.
            let into = directory.map(|directory| Into { id: u64::from(entry.first), path, directory });
            let allocation = if is_there { Allocation::Deleted } else { Allocation::Overwritten };
            return Some(Ok(Found { node: Some(Node { allocation, ..node }), into }));
        }
        let node = (self.pass == Pass::Live).then_some(node);
        match self.fat.directory(entry) {
            Ok(layout) => {
                let directory = Directory { layout, is_deleted: false };
                Some(Ok(Found { node, into: Some(Into { id: u64::from(entry.first), path, directory }) }))
            }
            Err(failed) => Some(Err(named(Failure { offset: failed.offset.or(Some(entry.offset)), ..failed }, &path))),
        }
    }

    fn file(&self, entry: Entry, path: Vec<u8>) -> Node {
        let node = self.node(&entry, path.clone(), Kind::File);
        let allocation = match entry.is_deleted {
            false => Allocation::Live,
            true if self.fat.clusters.is_free(entry.first, entry.size) => Allocation::Deleted,
            true => Allocation::Overwritten,
        };
        if entry.is_deleted && entry.size > 0 && self.fat.clusters.offset(entry.first).is_err() {
            return Node { allocation: Allocation::Overwritten, ..node };
        }
        let (fat, size) = (self.fat.clone(), entry.size);
        let locate = Box::new(move || {
            let whole = fat.layout(&entry, entry.size)?;
            let mut layout = Layout::new(fat.clusters.size());
            for run in whole.window(0, entry.valid) {
                layout.push(run.medium_offset, run.length)?;
            }
            Ok(layout)
        });
        let content = Stored { bytes: self.fat.clusters.bytes.clone(), path, from: 0, size, locate };
        Node { allocation, content: Some(Arc::new(content)), ..node }
    }

    fn node(&self, entry: &Entry, path: Vec<u8>, kind: Kind) -> Node {
        Node {
            path,
            size: (kind == Kind::File || self.fat.format == Format::Exfat).then_some(entry.size),
            kind,
            id: (entry.first != 0).then_some(u64::from(entry.first)),
            times: entry.times,
            allocation: Allocation::Live,
            resident: false,
            compressed: false,
            content: None,
        }
    }
}
