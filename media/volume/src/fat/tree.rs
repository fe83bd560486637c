//! The names of a volume, live and deleted.

use std::sync::{Arc, Mutex, PoisonError};

use super::boot;
use super::chain::{Clusters, Link, Width};
use super::entry::{Entry, EntryItem};
use super::exfat_boot;
use super::exfat_entry::ExfatEntries;
use super::fat_entry::FatEntries;
use super::records::records;
use crate::bits::Bits;
use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::unallocated::{self, slack};
use crate::walk::{Entries, Tree, Walk, WalkEntry, WalkFolder, join};
use pfh_bytes::account::{self, Claims, Holds, Layers};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Allocation, Failure, Kind, Node, Nodes};
use pfh_bytes::stored::{StoredBytes, Unreadable, named};

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

/// Opens a FAT volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
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

/// Opens an exFAT volume; `None` for another format.
pub fn open_exfat(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let Some(found) = exfat_boot::read(bytes)? else { return Ok(None) };
    let root = found.clusters.chain(found.root_cluster, None).map_err(root_is_wrong)?;
    let mut fat = Fat { clusters: found.clusters, format: Format::Exfat, root, root_cluster: found.root_cluster };
    let bitmap = fat.read(&fat.root).find_map(|read| match read {
        Ok(EntryItem::Bitmap(first, size)) => Some((first, size)),
        _ => None,
    });
    let mut warnings = found.warnings;
    match bitmap.map(|(first, size)| fat.clusters.chain(first, Some(size))) {
        Some(Ok(bitmap)) => fat.clusters.bitmap = Some(bitmap),
        Some(Err(failed)) => warnings.push(failure(failed.offset, format!("bitmap of clusters: {}", failed.cause))),
        None => warnings.push(failure(None, "there is no bitmap of clusters: the table says which are in use")),
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
    /// Whether it was found behind the end of another: its files may still have their chains.
    is_behind: bool,
}

/// The kind of names that a walk gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Live,
    Deleted,
    Slack,
    /// Nothing: the clusters of live files and directories are marked.
    Claims,
    /// Nothing: those of directories alone.
    Folders,
}

/// A volume while it is walked.
struct Names {
    fat: Arc<Fat>,
    pass: Pass,
    /// Whether deleted names are listed as well, with those behind the end of a directory.
    with_deleted: bool,
    /// Clusters that are claimed.
    claimed: Mutex<Bits>,
}

impl Fat {
    fn walk(self: &Arc<Self>, pass: Pass, with_deleted: bool) -> (Arc<Names>, Walk<Names>) {
        let root = Directory { layout: self.root.clone(), is_deleted: false, is_behind: false };
        let names = Arc::new(Names { fat: self.clone(), pass, with_deleted, claimed: Mutex::default() });
        (names.clone(), Walk::new(names, u64::from(self.root_cluster), root))
    }

    /// The clusters that live files, directories and tables have, from cluster 2 on; those of
    /// directories and tables alone in the pass of these.
    fn claims(self: &Arc<Self>, pass: Pass) -> Bits {
        let (names, walk) = self.walk(pass, false);
        walk.for_each(drop);
        let mut claimed = std::mem::take(&mut *names.claimed.lock().unwrap_or_else(PoisonError::into_inner));
        let tables = self.read(&self.root).filter_map(|read| match read {
            Ok(EntryItem::Bitmap(first, size) | EntryItem::Letters(first, size)) => Some((first, size)),
            _ => None,
        });
        tables.flat_map(|(first, size)| self.clusters.chain(first, Some(size))).for_each(|table| {
            self.claim(&mut claimed, &table);
        });
        claimed
    }

    /// The runs of clusters that are marked bad.
    fn bad(self: &Arc<Self>) -> Nodes {
        let clusters = &self.clusters;
        let within = clusters.bytes.size().saturating_sub(clusters.data) / clusters.cluster_size;
        let blocks = 0..u64::from(clusters.count).min(within);
        let fat = self.clone();
        let is_bad = move |index| {
            let number = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(2);
            fat.clusters.link(number).is_ok_and(|link| link == Link::Bad)
        };
        unallocated::bad(clusters.bytes.clone(), clusters.data, clusters.cluster_size, blocks, is_bad)
    }

    /// Marks the clusters of a layout.
    fn claim(&self, claimed: &mut Bits, layout: &Layout) {
        for run in layout.runs() {
            let Some(from) = run.medium_offset.and_then(|offset| offset.checked_sub(self.clusters.data)) else {
                continue;
            };
            let size = self.clusters.cluster_size;
            claimed.set(from / size..(from + run.length).div_ceil(size));
        }
    }
}

impl Volume for Fat {
    fn layers(self: Arc<Self>) -> Result<Layers, Failure> {
        let clusters = &self.clusters;
        let mut own = Claims::default();
        if self.format == Format::Exfat {
            let sector = 1_u64 << read(&*clusters.bytes, 0, 512)?[108];
            own.add(0..24 * sector, Holds::Structure, b"boot region");
            let end = clusters.table + (u64::from(clusters.count) + 2) * 4;
            own.add(clusters.table..end.next_multiple_of(sector), Holds::Structure, b"allocation table");
        } else {
            let boot = read(&*clusters.bytes, 0, 512)?;
            let sector = u64::from(le16(&boot, 11));
            own.add(0..sector, Holds::Structure, b"boot sector");
            if clusters.width == Width::ThirtyTwo {
                // The information of the volume, more boot code, and the copies of all.
                let copy = u64::from(le16(&boot, 50)).min(clusters.table / sector);
                for place in [1, 2, 12, copy, copy + 1, copy + 2].into_iter().filter(|place| *place > 0) {
                    own.add_once(place * sector..(place + 1) * sector, Holds::Reserved, b"boot code");
                }
            }
            let root = self.root.runs().first().and_then(|run| run.medium_offset);
            let end = root.filter(|root| *root < clusters.data).unwrap_or(clusters.data);
            own.add(clusters.table..end, Holds::Structure, b"allocation tables");
            own.add(end..clusters.data, Holds::Structure, b"root directory");
        }
        let blocks = |claimed: &Bits, holds: Holds, name: &[u8], into: &mut Claims| {
            for index in (0..u64::from(clusters.count)).filter(|index| claimed.has(*index)) {
                let start = clusters.data + index * clusters.cluster_size;
                into.add_next(start..start + clusters.cluster_size, holds, name);
            }
        };
        blocks(&self.claims(Pass::Folders), Holds::Structure, b"directory or table", &mut own);
        let mut beneath = Claims::default();
        blocks(&self.claims(Pass::Claims), Holds::Slack, b"allocated beyond the content", &mut beneath);
        Ok(Layers { own, beneath, is_itemised: true })
    }

    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        // Bytes in clusters marked bad belong to no file, and are hidden from every other list.
        let hidden = self.bad().filter_map({
            let bytes = self.clusters.bytes.clone();
            move |node| {
                let run = node.ok()?.content?.runs()?.first().copied()?;
                let start = run.medium_offset?;
                let failed = account::said(&*bytes, &(start..start + run.length)).ok()??;
                Some(Err(failure(failed.offset, format!("clusters marked bad hold bytes: {}", failed.cause))))
            }
        });
        let mut nodes: Nodes = Box::new(self.walk(Pass::Live, options.deleted).1.chain(hidden));
        if options.deleted {
            // Faults of directories were reported when the live names were listed.
            nodes = Box::new(nodes.chain(self.walk(Pass::Deleted, true).1.filter(Result::is_ok)));
        }
        if options.unallocated {
            let clusters = &self.clusters;
            let within = clusters.bytes.size().saturating_sub(clusters.data) / clusters.cluster_size;
            let blocks = 0..u64::from(clusters.count).min(within);
            let number = |index: u64| u32::try_from(index).unwrap_or(u32::MAX).saturating_add(2);
            let fat = self.clone();
            let is_used = Box::new(move |index| fat.clusters.is_used(number(index)));
            let (bytes, size) = (clusters.bytes.clone(), clusters.cluster_size);
            let free = unallocated::free(bytes.clone(), clusters.data, size, blocks.clone(), is_used);
            let fat = self.clone();
            let is_bad = move |index| fat.clusters.link(number(index)).is_ok_and(|link| link == Link::Bad);
            let fat = self.clone();
            let is_used = Box::new(move |index| Ok(fat.clusters.is_used(number(index))? && !is_bad(index)));
            let (fat, data) = (self.clone(), clusters.data);
            let lost =
                unallocated::lost(bytes, data, size, blocks, is_used, Box::new(move || fat.claims(Pass::Claims)));
            let bad = self.bad().filter(Result::is_ok);
            let slack = self.walk(Pass::Slack, false).1.filter(Result::is_ok);
            nodes = Box::new(nodes.chain(slack).chain(free).chain(lost).chain(bad));
        }
        nodes
    }
}

impl Tree for Names {
    type Directory = Directory;

    fn list(self: Arc<Self>, directory: Directory, path: Arc<[u8]>) -> Entries<Directory> {
        if matches!(self.pass, Pass::Claims | Pass::Folders) {
            self.claim(&directory.layout);
        }
        let mut read = self.fat.read(&directory.layout);
        let (mut ended_at, mut behind) = (None, 0_u64);
        Box::new(std::iter::from_fn(move || {
            loop {
                let found = match read.next() {
                    // Records behind the end are deleted, or must at least be counted.
                    None if behind > 0 && self.pass == Pass::Live && !self.with_deleted => {
                        let records = if behind == 1 { "1 record stands" } else { &format!("{behind} records stand") };
                        let cause = format!("{records} behind the end of the directory: among deleted files");
                        behind = 0;
                        Some(Err(named(failure(ended_at, cause), &path)))
                    }
                    None => return None,
                    Some(Err(failed)) => Some(Err(named(failed, &path))),
                    Some(Ok(EntryItem::End(offset))) => {
                        ended_at = Some(offset);
                        None
                    }
                    Some(Ok(EntryItem::Remains)) => {
                        behind += 1;
                        None
                    }
                    Some(Ok(EntryItem::Wrong(..))) if ended_at.is_some() => {
                        behind += 1;
                        None
                    }
                    Some(Ok(EntryItem::Wrong(offset, cause))) => Some(Err(named(failure(Some(offset), cause), &path))),
                    Some(Ok(EntryItem::Entry(mut entry))) => {
                        let is_there = self.fat.clusters.offset(entry.first).is_ok() || entry.size == 0;
                        if ended_at.is_some() && !is_there {
                            continue;
                        }
                        behind += u64::from(ended_at.is_some());
                        entry.is_behind |= directory.is_behind && !entry.is_deleted;
                        self.found(entry, directory.is_deleted || ended_at.is_some(), &path)
                    }
                    Some(Ok(_)) => None,
                };
                if found.is_some() {
                    return found;
                }
            }
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
    ) -> VolumeContent {
        let in_root = self.read(&self.root).find_map(|read| match read {
            Ok(EntryItem::Label(label)) => Some(label),
            _ => None,
        });
        let block_size = u32::try_from(self.clusters.cluster_size).unwrap_or(u32::MAX);
        warnings.dedup();
        let names = (in_root.unwrap_or(label), id);
        FileSystem::alone(kind, names, (block_size, size), warnings, Arc::new(self))
    }

    /// The entries of a directory, and behind its end the remains of others.
    fn read(&self, layout: &Layout) -> impl Iterator<Item = Result<EntryItem, Failure>> + Send + use<> {
        let (mut fat, mut exfat) = (FatEntries::default(), ExfatEntries::default());
        let format = self.format;
        fat.is_32 = format == Format::Fat { is_32: true };
        let mut has_ended = false;
        records(self.clusters.bytes.clone(), layout).flat_map(move |record| {
            let (offset, raw) = match record {
                Ok(record) => record,
                Err(failed) => return [Some(Err(failed)), None].into_iter().flatten(),
            };
            let is_exfat = format == Format::Exfat;
            let read = if is_exfat { exfat.read(&raw, offset) } else { fat.read(&raw, offset) };
            if !matches!(read, Some(EntryItem::End(_))) || has_ended {
                return [read.map(Ok), None].into_iter().flatten();
            }
            has_ended = true;
            (fat.is_behind, exfat.is_behind) = (true, true);
            // The mark may stand on the first letter of a name.
            let hidden = if is_exfat { None } else { fat.read(&raw, offset) };
            [Some(Ok(EntryItem::End(offset))), hidden.map(Ok)].into_iter().flatten()
        })
    }

    /// Where a file lies. The table says nothing of a deleted one: it is taken to lie in one piece.
    fn layout(&self, entry: &Entry, size: u64) -> Result<Layout, Failure> {
        if entry.is_contiguous || entry.is_deleted && !entry.is_behind {
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
            Format::Fat { .. } if entry.is_deleted && !entry.is_behind => self.clusters.contiguous(entry.first, 1),
            Format::Fat { .. } => self.clusters.chain(entry.first, None),
        }
    }
}

impl Names {
    fn claim(&self, layout: &Layout) {
        self.fat.claim(&mut self.claimed.lock().unwrap_or_else(PoisonError::into_inner), layout);
    }

    /// The node of an entry in this pass.
    fn found(
        &self,
        mut entry: Entry,
        in_deleted: bool,
        parent: &[u8],
    ) -> Option<Result<WalkEntry<Directory>, Failure>> {
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
                Some(Ok(WalkEntry { node: Some(node), into: None }))
            }
            Pass::Claims => {
                if let Ok(layout) = self.fat.layout(&entry, entry.size) {
                    self.claim(&layout);
                }
                None
            }
            Pass::Folders => None,
            Pass::Deleted if !entry.is_deleted => None,
            _ => Some(Ok(WalkEntry { node: Some(self.file(entry, path)), into: None })),
        }
    }

    fn into(&self, entry: &Entry, path: Vec<u8>) -> Option<Result<WalkEntry<Directory>, Failure>> {
        let clusters = &self.fat.clusters;
        let node = self.node(entry, path.clone(), Kind::Directory);
        if entry.is_deleted {
            let size = if self.fat.format == Format::Exfat { entry.size } else { 1 };
            let layout = self.fat.directory(entry).ok();
            let is_there = if entry.is_behind { layout.is_some() } else { clusters.is_free(entry.first, size) };
            let is_behind = entry.is_behind;
            let directory = layout.filter(|_| is_there).map(|layout| Directory { layout, is_deleted: true, is_behind });
            // Two deleted directories may claim the same cluster: each is listed once.
            let id = u64::from(entry.first) | u64::from(is_behind) << 32;
            let into = directory.map(|directory| WalkFolder { id, path, directory });
            let allocation = if is_there { Allocation::Deleted } else { Allocation::Overwritten };
            return Some(Ok(WalkEntry { node: Some(Node { allocation, ..node }), into }));
        }
        let node = (self.pass == Pass::Live).then_some(node);
        match self.fat.directory(entry) {
            Ok(layout) => {
                let directory = Directory { layout, is_deleted: false, is_behind: false };
                Some(Ok(WalkEntry { node, into: Some(WalkFolder { id: u64::from(entry.first), path, directory }) }))
            }
            Err(failed) => Some(Err(named(Failure { offset: failed.offset.or(Some(entry.offset)), ..failed }, &path))),
        }
    }

    fn file(&self, entry: Entry, path: Vec<u8>) -> Node {
        let node = self.node(&entry, path.clone(), Kind::File);
        let allocation = match entry.is_deleted {
            false => Allocation::Live,
            // The table still has its chain, or it needs none.
            true if entry.is_behind && self.fat.layout(&entry, entry.size).is_ok() => Allocation::Deleted,
            true if !entry.is_behind && self.fat.clusters.is_free(entry.first, entry.size) => Allocation::Deleted,
            true => Allocation::Overwritten,
        };
        if entry.is_deleted && entry.size > 0 && self.fat.clusters.offset(entry.first).is_err() {
            return Node { allocation: Allocation::Overwritten, ..node };
        }
        if is_encrypted(&entry) {
            let cause = "is encrypted (EFS, by its name's .PFILE): its content needs the key of its user";
            let content = Unreadable(named(failure(Some(entry.offset), cause), &path));
            return Node { allocation, content: Some(Arc::new(content)), ..node };
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
        let content = StoredBytes { bytes: self.fat.clusters.bytes.clone(), path, from: 0, size, locate };
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

/// Whether Windows keeps the content encrypted: FAT and exFAT have no attribute for that, and such
/// files have an ending that the system hides.
fn is_encrypted(entry: &Entry) -> bool {
    let at = entry.name.len().saturating_sub(6);
    at > 0 && entry.name[at..].eq_ignore_ascii_case(b".PFILE") && entry.size > 0
}
