//! The names of a volume.

use std::sync::Arc;

use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::walk::{Entries, Tree, Walk, WalkEntry, WalkFolder, join};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, le16, read};
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node, Nodes};
use pfh_bytes::stored::{HeldBytes, StoredBytes, Unreadable, named};

use super::descriptor::{Descriptors, Place, is_announced};
use super::entry::Entry;
use super::partition::{PartitionFault, Partitions};
use super::tag::{descriptor, identifier, text};

const FILE_SET: u16 = 256;
const NAME: u16 = 257;
/// Bytes of a name's record in front of the name.
const HEAD: usize = 38;
/// The longest directory: a million names.
const LONGEST: u64 = 64 << 20;

/// Flags of a name.
const DIRECTORY: u8 = 2;
const DELETED: u8 = 4;
const PARENT: u8 = 8;

/// A volume that is open.
struct Udf {
    bytes: Arc<dyn Bytes>,
    partitions: Arc<Partitions>,
    root: Place,
}

/// Opens a volume; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    if !is_announced(&**bytes) {
        return Ok(None);
    }
    let Some(found) = Descriptors::read(&**bytes)? else {
        return Err(failure(Some(32_768), "UDF whose anchors are lost"));
    };
    let mut partitions = match Partitions::open(bytes, &found) {
        Ok(partitions) => partitions,
        Err(PartitionFault::Unread(what)) => return Ok(Some(VolumeContent::Unread(what))),
        Err(PartitionFault::Failed(failed)) => return Err(failed),
    };
    let Descriptors { block, label, files, mut warnings, .. } = found;
    for (number, [file, mirror]) in std::mem::take(&mut partitions.metadata) {
        let layout = |place| Entry::read(bytes, &partitions, place)?.layout(bytes, &partitions);
        let layout = layout(file).or_else(|failed| {
            let cause = format!("the file of metadata is damaged ({}): its mirror is used", failed.cause);
            warnings.push(failure(failed.offset, cause));
            layout(mirror)
        })?;
        partitions.in_file(number, layout);
    }
    let offset = partitions.offset(files)?;
    let root = match descriptor(&**bytes, offset, block as usize, files.block)? {
        (FILE_SET, raw) => Place::read(&raw[400..416]),
        _ => return Err(failure(Some(offset), "UDF without a set of files")),
    };
    let block_size = u32::try_from(block).unwrap_or(u32::MAX);
    let volume = Arc::new(Udf { bytes: bytes.clone(), partitions: Arc::new(partitions), root });
    let sizes = (block_size, bytes.size());
    Ok(Some(FileSystem::alone("UDF", (label, String::new()), sizes, warnings, volume)))
}

/// A number that no other place has.
fn number(place: Place) -> u64 {
    u64::from(place.partition) << 32 | u64::from(place.block)
}

impl Volume for Udf {
    fn nodes(self: Arc<Self>, _: Options) -> Nodes {
        let root = self.root;
        Box::new(Walk::new(self, number(root), root))
    }
}

impl Tree for Udf {
    type Directory = Place;

    fn list(self: Arc<Self>, directory: Place, path: Arc<[u8]>) -> Entries<Place> {
        let raw = match self.directory(directory) {
            Ok(raw) => raw,
            Err(failed) => return Box::new(std::iter::once(Err(named(failed, &path)))),
        };
        let mut at = 0;
        let mut ended = false;
        Box::new(std::iter::from_fn(move || {
            while !ended && at < raw.len() {
                let record = &raw[at..];
                let (length, extra) = (usize::from(byte(record, 19)), usize::from(le16(record, 36)));
                let end = HEAD + extra + length;
                if identifier(record) != Some(NAME) || record.len() < end {
                    ended = true;
                    let cause = "a name of the directory contradicts itself: the rest is not listed";
                    return Some(Err(named(failure(None, cause), &path)));
                }
                at += end.next_multiple_of(4);
                let flags = byte(record, 18);
                if flags & (DELETED | PARENT) == 0 {
                    let place = Place::read(&record[20..36]);
                    return Some(self.found(&record[HEAD + extra..end], flags, place, &path));
                }
            }
            None
        }))
    }
}

impl Udf {
    /// The bytes of a directory.
    fn directory(&self, place: Place) -> Result<Vec<u8>, Failure> {
        let entry = Entry::read(&self.bytes, &self.partitions, place)?;
        if entry.kind != 4 {
            return Err(failure(None, "not a directory"));
        }
        if let Some(held) = entry.inline() {
            return held;
        }
        if entry.size > LONGEST {
            return Err(failure(None, format!("a directory of {} bytes: not listed", entry.size)));
        }
        self.content(&entry)
    }

    /// The bytes of a short file.
    fn content(&self, entry: &Entry) -> Result<Vec<u8>, Failure> {
        let mut raw = Vec::new();
        for run in entry.layout(&self.bytes, &self.partitions)?.window(0, entry.size) {
            match run.medium_offset {
                Some(offset) => raw.extend(read(&*self.bytes, offset, run.length as usize)?),
                None => raw.resize(raw.len() + run.length as usize, 0),
            }
        }
        Ok(raw)
    }

    /// The node of a name.
    fn found(&self, name: &[u8], flags: u8, place: Place, parent: &[u8]) -> Result<WalkEntry<Place>, Failure> {
        let name = text(name).ok_or_else(|| named(failure(None, "a name that is not text"), parent))?;
        let path = join(parent, &name)?;
        let wrong = |failed: Failure| named(failed, &path);
        let entry = Entry::read(&self.bytes, &self.partitions, place).map_err(wrong)?;
        let kind = match entry.kind {
            4 => Kind::Directory,
            6 => Kind::Special("block device"),
            7 => Kind::Special("character device"),
            9 => Kind::Special("fifo"),
            10 => Kind::Special("socket"),
            12 => Kind::Link(self.target(&entry).map_err(wrong)?),
            _ => Kind::File,
        };
        if (kind == Kind::Directory) != (flags & DIRECTORY != 0) {
            return Err(wrong(failure(None, "a directory by its name or by its entry, and not by the other")));
        }
        let is_file = kind == Kind::File;
        let into =
            (kind == Kind::Directory).then(|| WalkFolder { id: number(place), path: path.clone(), directory: place });
        let inline = entry.inline();
        let node = Node {
            size: (is_file || kind == Kind::Directory).then_some(entry.size),
            kind,
            id: Some(u64::from(place.block)),
            times: entry.times,
            allocation: Allocation::Live,
            resident: inline.is_some(),
            compressed: false,
            content: is_file.then(|| self.file(entry, inline, &path)),
            path,
        };
        Ok(WalkEntry { node: Some(node), into })
    }

    fn file(&self, entry: Entry, inline: Option<Result<Vec<u8>, Failure>>, path: &[u8]) -> Arc<dyn Content> {
        match inline {
            Some(Ok(held)) => Arc::new(HeldBytes { bytes: held.into() }),
            Some(Err(failed)) => Arc::new(Unreadable(named(failed, path))),
            None => {
                let (bytes, partitions) = (self.bytes.clone(), self.partitions.clone());
                let (size, path) = (entry.size, path.to_vec());
                let medium = bytes.clone();
                let locate = Box::new(move || entry.layout(&medium, &partitions));
                Arc::new(StoredBytes { bytes, path, from: 0, size, locate })
            }
        }
    }

    /// The target of a symbolic link, out of its components.
    fn target(&self, entry: &Entry) -> Result<Vec<u8>, Failure> {
        let wrong = || failure(None, "the target of a link that is not understood");
        let raw = match entry.inline() {
            Some(held) => held?,
            None if entry.size > 1 << 16 => return Err(wrong()),
            None => self.content(entry)?,
        };
        let (mut target, mut at) = (Vec::new(), 0);
        while at + 4 <= raw.len() {
            let (kind, length) = (raw[at], usize::from(raw[at + 1]));
            let name = raw.get(at + 4..at + 4 + length).ok_or_else(wrong)?;
            if !target.is_empty() && target != b"/" {
                target.push(b'/');
            }
            match kind {
                1 | 2 => target = b"/".to_vec(),
                3 => target.extend_from_slice(b".."),
                4 => target.push(b'.'),
                5 => target.extend(text(name).ok_or_else(wrong)?),
                _ => return Err(wrong()),
            }
            at += 4 + length;
        }
        Ok(target)
    }
}
