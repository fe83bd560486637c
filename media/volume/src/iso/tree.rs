//! The names of a disc.

use std::collections::VecDeque;
use std::sync::Arc;

use super::descriptor::{self, Descriptors, Kind as TreeKind, SECTOR, utf16_be};
use super::disc::{Iso, Names};
use super::layers::layers;
use super::record::{Record, records};
use super::rock_ridge::{RockRidge, rock_ridge, skip};
use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::walk::{Entries, Tree, Walk, WalkEntry, WalkFolder, join};
use pfh_bytes::account::Layers;
use pfh_bytes::apart::{OtherTree, apart};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le32, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node, Nodes, Times};
use pfh_bytes::stored::{StoredBytes, Unreadable, named};

/// Opens a disc; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let Some((mut disc, mut trees)) = session(bytes, 0)? else { return Ok(None) };
    let end = disc.size.div_ceil(SECTOR);
    let later = if disc.size < bytes.size() { descriptor::sessions(&**bytes, end)? } else { Vec::new() };
    let mut sessions = vec![0];
    for (number, start) in (2_u32..).zip(later) {
        match session(bytes, start) {
            Ok(Some((other, its))) => {
                sessions.push(start);
                disc.warnings.extend(other.warnings);
                let named = its.into_iter().map(|(prefix, iso)| {
                    let prefix = if prefix == b"$ISO9660/" { Vec::new() } else { prefix };
                    ([format!("$Session-{number}/").as_bytes(), &prefix].concat(), iso)
                });
                trees.extend(named);
            }
            Ok(None) => {}
            Err(failed) => disc.warnings.push(failure(failed.offset, format!("session {number}: {}", failed.cause))),
        }
    }
    disc.volume = Arc::new(Disc { trees, sessions });
    Ok(Some(VolumeContent::FileSystem(disc)))
}

/// The trees of a disc or of a session of it, each with the prefix of the names that only it has.
type Trees = Vec<(Vec<u8>, Arc<Iso>)>;

/// Opens the session that begins at this sector; `None` for another format.
fn session(bytes: &Arc<dyn Bytes>, start: u64) -> Result<Option<(FileSystem, Trees)>, Failure> {
    let found = match descriptor::read(&**bytes, start)? {
        descriptor::DescriptorSearch::Iso(found) => found,
        descriptor::DescriptorSearch::Nothing => return Ok(None),
    };
    let Descriptors { block_size, blocks, mut trees, contradictions } = found;
    // A later session counts its blocks from its own start, and its places from that of the disc.
    let size = start * SECTOR + blocks * block_size;
    let mut warnings = contradictions;
    if size > bytes.size() {
        let cause = format!("the file system has {size} bytes, the volume only {}", bytes.size());
        warnings.push(failure(Some(16 * SECTOR + 80), cause));
    }
    // The first record of the root says whether there is Rock Ridge.
    let first = read(&**bytes, u64::from(trees[0].root.0) * block_size, SECTOR as usize)
        .map_err(|failed| failure(failed.offset, format!("root directory: {}", failed.cause)))?;
    let first = records(&first, 0).0.into_iter().next();
    let skip = first.and_then(|first| skip(&first.system));
    if skip.is_none()
        && let Some(at) = trees.iter().rposition(|tree| tree.kind == TreeKind::Joliet)
    {
        trees[..=at].rotate_right(1);
    }
    let label = trees[0].label.clone();
    let mut opened: Vec<(Vec<u8>, Arc<Iso>)> = Vec::new();
    for tree in trees {
        let names = match (tree.kind, skip) {
            (TreeKind::Joliet, _) => Names::Joliet,
            (TreeKind::Primary, Some(skip)) => Names::RockRidge(skip),
            _ => Names::Plain,
        };
        let name = match tree.kind {
            TreeKind::Primary => "ISO9660",
            TreeKind::Joliet => "Joliet",
            TreeKind::Supplementary => "Supplementary",
        };
        // Each has a name of its own: `$Joliet/`, `$Joliet-2/`.
        let named = |number: usize| match number {
            1 => format!("${name}/").into_bytes(),
            number => format!("${name}-{number}/").into_bytes(),
        };
        let prefix = (1..).map(named).find(|prefix| opened.iter().skip(1).all(|(other, _)| other != prefix));
        let iso = Iso { bytes: bytes.clone(), block_size, size, root: tree.root, names };
        opened.push((prefix.unwrap_or_default(), Arc::new(iso)));
    }
    let (kind, id, unread) = ("ISO 9660", String::new(), Vec::new());
    let block_size = u32::try_from(block_size).unwrap_or(u32::MAX);
    let volume = Arc::new(Disc { trees: opened.clone(), sessions: vec![start] });
    let disc = FileSystem { kind, label, id, block_size, size, warnings, unread, snapshots: Vec::new(), volume };
    Ok(Some((disc, opened)))
}

/// The trees of a disc, the one that counts first.
struct Disc {
    trees: Trees,
    /// The sectors at which its sessions begin.
    sessions: Vec<u64>,
}

impl Volume for Disc {
    fn layers(self: Arc<Self>) -> Result<Layers, Failure> {
        layers(self.trees.iter().map(|(_, iso)| &**iso), &self.sessions)
    }

    // Nothing is deleted from a disc, and no map states the free space.
    fn nodes(self: Arc<Self>, _: Options) -> Nodes {
        let walk = |iso: &Arc<Iso>| -> Nodes { Box::new(Walk::new(iso.clone(), u64::from(iso.root.0), iso.root)) };
        let Some(((_, main), others)) = self.trees.split_first() else { return Box::new(std::iter::empty()) };
        let others = others.iter().map(|(prefix, iso)| OtherTree { prefix: prefix.clone(), nodes: walk(iso) });
        apart(walk(main), others.collect(), |node| Some((node.id?, node.size.filter(|size| *size > 0)?)))
    }
}

impl Tree for Iso {
    type Directory = (u32, u32);

    fn list(self: Arc<Self>, (block, size): (u32, u32), path: Arc<[u8]>) -> Entries<(u32, u32)> {
        let start = u64::from(block) * self.block_size;
        // A directory behind the end of the disc is one failure, not one for each sector.
        if start.saturating_add(u64::from(size)) > self.size {
            let cause = "the directory leads out of the volume";
            return Box::new(std::iter::once(Err(named(failure(Some(start), cause), &path))));
        }
        let iso = self.clone();
        let sectors = (0..u64::from(size).div_ceil(SECTOR)).flat_map(move |index| {
            let offset = start + index * SECTOR;
            let left = (u64::from(size) - index * SECTOR).min(SECTOR) as usize;
            let (found, failed) = match read(&*iso.bytes, offset, left) {
                Ok(sector) => {
                    let (found, broken) = records(&sector, offset);
                    let cause = "a record of the directory contradicts itself: the rest of its sector is not listed";
                    (found, broken.map(|place| failure(Some(place), cause)))
                }
                Err(failed) => (Vec::new(), Some(failed)),
            };
            found.into_iter().map(Ok).chain(failed.map(Err))
        });
        let sectors = sectors.filter(|record| !record.as_ref().is_ok_and(Record::is_dots));
        Box::new(Files { iso: self, sectors: Box::new(sectors), path, extents: VecDeque::new(), behind: None })
    }
}

/// Puts the records of files with several extents together.
struct Files {
    iso: Arc<Iso>,
    sectors: Box<dyn Iterator<Item = Result<Record, Failure>> + Send>,
    path: Arc<[u8]>,
    /// Records of a file whose last one did not come yet.
    extents: VecDeque<Record>,
    /// The fault of the last directory.
    behind: Option<Failure>,
}

/// The most extents of one file: 4 GiB each.
const MOST_EXTENTS: usize = 4096;

impl Iterator for Files {
    type Item = Result<WalkEntry<(u32, u32)>, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(failed) = self.behind.take() {
            return Some(Err(failed));
        }
        loop {
            let record = match self.sectors.next() {
                None => match self.extents.pop_front() {
                    None => return None,
                    Some(first) => {
                        self.extents.clear();
                        let cause = "the last extent of a file is missing";
                        return Some(Err(named(failure(Some(first.offset), cause), &self.path)));
                    }
                },
                Some(Err(failed)) => return Some(Err(named(failed, &self.path))),
                Some(Ok(record)) => record,
            };
            if self.extents.front().is_some_and(|first| first.name != record.name) || self.extents.len() > MOST_EXTENTS
            {
                let place = self.extents.front().map(|first| first.offset);
                self.extents.clear();
                let cause = "the extents of a file do not follow one another";
                return Some(Err(named(failure(place, cause), &self.path)));
            }
            let continues = record.continues && !record.is_directory;
            self.extents.push_back(record);
            if continues {
                continue;
            }
            let extents: Vec<Record> = std::mem::take(&mut self.extents).into();
            match self.iso.found(&extents, &self.path) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    // A file has no digest then; a directory is listed by the lower byte first.
                    let into = found.into.as_ref();
                    let wrong = extents.iter().find_map(|extent| extent.contradiction.clone());
                    self.behind = into.and_then(|into| Some(named(wrong?, &into.path)));
                    return Some(Ok(found));
                }
                Err(failed) => return Some(Err(failed)),
            }
        }
    }
}

impl Iso {
    /// The node of the records of one name; `None` for a name that stands elsewhere too.
    fn found(&self, extents: &[Record], parent: &[u8]) -> Result<Option<WalkEntry<(u32, u32)>>, Failure> {
        let Some(last) = extents.last() else { return Ok(None) };
        let more = match self.names {
            Names::RockRidge(_) => rock_ridge(&*self.bytes, self.block_size, self.skipped(&last.system))
                .map_err(|failed| named(failed, parent))?,
            _ => RockRidge::default(),
        };
        if more.is_moved {
            return Ok(None);
        }
        let mut name = self.name(last, &more);
        if last.is_associated {
            name.extend_from_slice(b":associated");
        }
        let path = join(parent, &name).map_err(|failed| Failure { offset: Some(last.offset), ..failed })?;
        let moved = more.moved_to.map(|block| self.moved(block).map_err(|failed| named(failed, &path))).transpose()?;
        let directory = moved.or(last.is_directory.then_some((last.block, last.size)));
        let kind = match (directory, more.mode.unwrap_or(0x8000) & 0xf000) {
            (Some(_), _) => Kind::Directory,
            (None, 0xa000) => Kind::Link(more.target.clone().unwrap_or_default()),
            (None, 0x1000) => Kind::Special("fifo"),
            (None, 0x2000) => Kind::Special("character device"),
            (None, 0x6000) => Kind::Special("block device"),
            (None, 0xc000) => Kind::Special("socket"),
            _ if last.is_associated => Kind::Stream,
            _ => Kind::File,
        };
        let recorded = Times { modified: last.recorded, ..Times::default() };
        let size = extents.iter().map(|extent| u64::from(extent.size)).sum();
        let holds = matches!(kind, Kind::File | Kind::Stream);
        let node = Node {
            path: path.clone(),
            size: (holds || kind == Kind::Directory).then_some(size),
            kind,
            id: Some(u64::from(extents[0].block)),
            times: if more.times == Times::default() { recorded } else { more.times },
            allocation: Allocation::Live,
            resident: false,
            compressed: more.is_packed,
            content: holds.then(|| self.content(extents, &more, path.clone(), size)),
        };
        let into = directory.map(|directory| WalkFolder { id: u64::from(directory.0), path, directory });
        Ok(Some(WalkEntry { node: Some(node), into }))
    }

    /// The name without the version that ISO 9660 puts behind.
    fn name(&self, record: &Record, more: &RockRidge) -> Vec<u8> {
        if !more.name.is_empty() {
            return more.name.clone();
        }
        let is_joliet = self.names == Names::Joliet;
        let mut name = if is_joliet { utf16_be(&record.name) } else { record.name.clone() };
        if record.is_directory {
            return name;
        }
        let version = name.iter().rposition(|&byte| byte == b';');
        if let Some(at) = version.filter(|&at| name[at + 1..].iter().all(u8::is_ascii_digit)) {
            name.truncate(at);
        }
        if !is_joliet && name.len() > 1 && name.ends_with(b".") {
            name.pop();
        }
        name
    }

    /// First block and size of a directory that was moved: it states its own size.
    fn moved(&self, block: u32) -> Result<(u32, u32), Failure> {
        let offset = u64::from(block) * self.block_size;
        let raw = read(&*self.bytes, offset, 34)?;
        if raw[32..34] != [1, 0] || le32(&raw, 2) != block {
            return Err(failure(Some(offset), "there is no directory where one was moved to"));
        }
        Ok((block, le32(&raw, 10)))
    }

    fn content(&self, extents: &[Record], more: &RockRidge, path: Vec<u8>, size: u64) -> Arc<dyn Content> {
        if let Some(wrong) = extents.iter().find_map(|extent| extent.contradiction.clone()) {
            return Arc::new(Unreadable(named(wrong, &path)));
        }
        let cause = match () {
            () if more.is_packed => Some("compressed (zisofs): not read"),
            () if extents.iter().any(|extent| extent.is_interleaved) => Some("interleaved with another file: not read"),
            () => None,
        };
        if let Some(cause) = cause {
            return Arc::new(Unreadable(named(failure(Some(extents[0].offset), cause), &path)));
        }
        let places: Vec<_> = extents.iter().map(|extent| (extent.block, extent.size)).collect();
        let (volume, block_size) = (self.size, self.block_size);
        let locate = Box::new(move || {
            let mut layout = Layout::new(volume);
            for &(block, size) in &places {
                layout.push(Some(u64::from(block) * block_size), u64::from(size))?;
            }
            Ok(layout)
        });
        Arc::new(StoredBytes { bytes: self.bytes.clone(), path, from: 0, size, locate })
    }
}
