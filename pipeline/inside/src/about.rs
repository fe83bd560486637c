//! Remarks on entries of containers, and why some are not read.

use crate::detect::ContainerRefusal;
use crate::limit::BOMB;
use pfh_source::{Cause, Extent, FindingId, Inside, Problem, Stage, Volume};
use pfh_volume::{Allocation, Content, Kind, Node, Run, VolumeContent};

/// Facts about a volume before it is read.
pub fn outline(name: &[u8], about: &Inside) -> Volume {
    let (partition, offset) = (about.partition, about.volume_offset);
    Volume { name: name.to_vec(), container: about.container.clone(), partition, offset, ..Volume::default() }
}

/// The problem of an entry that is not read, for this cause.
pub fn refused(finding: FindingId, cause: impl Into<Box<str>>) -> Problem {
    Problem::new(Stage::Walk, Cause::Inside(finding, cause.into()))
}

/// The problem of a container that is not opened, for this cause.
pub fn unopened(cause: impl Into<Box<str>>) -> Problem {
    Problem::new(Stage::Walk, Cause::Unopened(cause.into()))
}

/// The remark on a node, in front of the remark on its container.
pub fn said(node: &Node, container: &Inside) -> Inside {
    let time = |nanoseconds: Option<i128>| nanoseconds.and_then(Inside::time);
    Inside {
        id: node.id,
        modified: time(node.times.modified),
        accessed: time(node.times.accessed),
        changed: time(node.times.changed),
        born: time(node.times.born),
        deleted_at: time(node.times.deleted),
        deleted: node.allocation != Allocation::Live,
        unallocated: node.kind == Kind::Unallocated,
        overwritten: node.allocation == Allocation::Overwritten,
        resident: node.resident,
        compressed: node.compressed,
        ..container.clone()
    }
}

/// Where the bytes of a content lie, as far as they are stored as they are.
pub fn extents(content: &dyn Content) -> Vec<Extent> {
    content.runs().unwrap_or_default().into_iter().map(extent).collect()
}

/// A run as the pipeline knows it.
pub fn extent(run: Run) -> Extent {
    Extent { file_offset: run.file_offset, offset: run.medium_offset, length: run.length }
}

/// Why a member of this size is not read.
pub fn bomb(size: u64) -> String {
    format!("{size} bytes are more than its container has left{BOMB}")
}

/// Why a volume is not read.
pub fn unread(found: &VolumeContent) -> ContainerRefusal {
    // An unknown size may be anything.
    let (why, is_damaged) = match found {
        VolumeContent::Encrypted(format) => (format!("is encrypted ({format})"), false),
        VolumeContent::Locked(locked) => (format!("is encrypted ({})", locked.format), false),
        VolumeContent::Unread(format) => (format.clone(), false),
        VolumeContent::Unknown | VolumeContent::FileSystem(_) | VolumeContent::Volumes(_) => {
            ("holds no file system that is known".into(), true)
        }
    };
    ContainerRefusal { why, is_damaged }
}
