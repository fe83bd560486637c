//! A container: its volumes and their snapshots, each a file system by its name.

use std::collections::HashMap;
use std::sync::Arc;

use super::btree::{Numbers, Tree};
use super::map::ObjectMap;
use super::node::Shape;
use super::object::{SNAPSHOTS, VOLUME, within};
use super::record::{self, RECORD};
use super::space::Space;
use super::superblock::{self, Superblock, SuperblockSearch};
use super::volume::{OpenVolume, open_volume};
use crate::file_system::{Free, Member, VolumeContent, Volumes};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, le32, le64};
use pfh_bytes::node::{Failure, Nodes};

/// The most snapshots of a volume; macOS takes some tens.
const MOST_SNAPSHOTS: usize = 4096;
/// The content of a snapshot is being removed.
const DATALESS: u32 = 1;

/// The tree of snapshots.
const SHAPE: Shape = Shape { subtype: SNAPSHOTS, place: record::place, what: "tree of snapshots" };

/// Opens a container; `None` for another format.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let mut container = match superblock::read(bytes)? {
        SuperblockSearch::Nothing => return Ok(None),
        SuperblockSearch::Unread(name) => return Ok(Some(VolumeContent::Unread(name))),
        SuperblockSearch::Superblock(container) => *container,
    };
    let mut warnings = std::mem::take(&mut container.warnings);
    let size = container.blocks.size();
    if size > bytes.size() {
        let cause = format!("the container has {size} bytes, the medium only {}", bytes.size());
        warnings.push(failure(Some(40), cause));
    }
    let map = Arc::new(ObjectMap::open(&container.blocks, container.map)?);
    let found: Vec<Result<OpenVolume, Failure>> =
        container.volumes.iter().map(|&number| volume(&container, &map, number)).collect();
    let names = names(&found);
    let mut members = Vec::new();
    for (found, name) in found.into_iter().zip(names) {
        let snapshots = match &found {
            Ok(OpenVolume { map: Some(map), snapshots, .. }) => snapshot_members(&container, map, *snapshots, &name),
            _ => Vec::new(),
        };
        members.push(Member { name, is_snapshot: false, found: found.map(|found| found.recognised) });
        members.extend(snapshots);
    }
    let space: Arc<dyn Free> = match container.space {
        Some((block, length)) => Arc::new(Map(Space::open(&container.blocks, block, length).map(Arc::new))),
        None => Arc::new(Map(Err(failure(None, "map of free space: the checkpoint has none")))),
    };
    Ok(Some(VolumeContent::Volumes(Volumes { kind: "APFS", id: container.id, members, warnings, space })))
}

/// The map of free space, or why there is none.
struct Map(Result<Arc<Space>, Failure>);

impl Free for Map {
    fn runs(&self) -> Nodes {
        match &self.0 {
            Ok(space) => space.clone().free(),
            Err(failed) => Box::new(std::iter::once(Err(failed.clone()))),
        }
    }
}

/// A volume as of the checkpoint.
fn volume(container: &Superblock, map: &ObjectMap, number: u64) -> Result<OpenVolume, Failure> {
    let what = (VOLUME, "superblock of a volume");
    let object = map.object(&container.blocks, number, container.transaction, what)?;
    open_volume(&container.blocks, &object, None, (container.transaction, container.keys))
}

/// The names of volumes: their labels, if these can be names and differ from each other, otherwise
/// their numbers.
fn names(found: &[Result<OpenVolume, Failure>]) -> Vec<Vec<u8>> {
    let mut times: HashMap<&[u8], usize> = HashMap::new();
    for opened in found.iter().flatten() {
        *times.entry(&opened.label).or_default() += 1;
    }
    let is_name = |label: &[u8]| {
        let is_plain = !label.is_empty() && label != b"." && label != b"..";
        is_plain && !label.iter().any(|byte| matches!(byte, b'/' | b'@' | 0)) && !label.starts_with(b"volume-")
    };
    let name = |(index, opened): (usize, &Result<OpenVolume, Failure>)| match opened {
        Ok(OpenVolume { label, .. }) if is_name(label) && times.get(&label[..]) == Some(&1) => label.clone(),
        _ => format!("volume-{}", index + 1).into_bytes(),
    };
    found.iter().enumerate().map(name).collect()
}

/// The snapshots of a volume, as `VOLUME@SNAPSHOT`.
fn snapshot_members(container: &Superblock, map: &Arc<ObjectMap>, root: u64, volume: &[u8]) -> Vec<Member> {
    if root == 0 {
        return Vec::new();
    }
    let failed = |failed: Failure| Member { name: [volume, b"@"].concat(), is_snapshot: true, found: Err(failed) };
    let tree = match Tree::open(container.blocks.clone(), Numbers::Physical, root, SHAPE) {
        Ok(tree) => Arc::new(tree),
        Err(why) => return vec![failed(why)],
    };
    let mut members = Vec::new();
    for found in tree.from((0, 0, 0)) {
        if members.len() >= MOST_SNAPSHOTS {
            members.push(failed(failure(None, "more than 4096 snapshots: the rest is not listed")));
            break;
        }
        let (key, value) = match found {
            Ok(record) => record,
            Err(why) => {
                members.push(failed(why));
                continue;
            }
        };
        let (transaction, kind) = record::number_and_kind(&key);
        if kind == RECORD.snapshot {
            members.push(snapshot(container, map, (transaction, &value), volume));
        }
    }
    // Two snapshots of one name would look like one.
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    for member in &mut members {
        let times = seen.entry(member.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            member.name.extend_from_slice(format!("@{times}").as_bytes());
        }
    }
    members
}

/// A snapshot by its record.
fn snapshot(container: &Superblock, map: &Arc<ObjectMap>, record: (u64, &[u8]), volume: &[u8]) -> Member {
    let (transaction, value) = record;
    let (block, flags) = (le64(value, 8), le32(value, 44));
    let name = value.get(50..50 + usize::from(le16(value, 48))).unwrap_or_default();
    let name = name.strip_suffix(b"\0").unwrap_or(name);
    let is_name = !name.is_empty() && !name.iter().any(|byte| matches!(byte, b'/' | b'@' | 0));
    let name = if is_name { name.to_vec() } else { format!("snapshot-{transaction}").into_bytes() };
    let open = || {
        if flags & DATALESS != 0 {
            return Ok(VolumeContent::Unread("APFS snapshot whose content is being removed".to_owned()));
        }
        let object = container.blocks.object_of(block, VOLUME, "superblock of a snapshot")?;
        Ok(open_volume(&container.blocks, &object, Some(map.clone()), (transaction, container.keys))?.recognised)
    };
    let found = open().map_err(|failed| within(failed, "snapshot"));
    Member { name: [volume, b"@", &name].concat(), is_snapshot: true, found }
}
