//! The disks of this machine, by the names in `/dev`, and the mounted volumes.

use super::calls::{Mount, mounts};
use super::disk;
use crate::os::dkio;
use crate::os::storage::{Extent, Facts, StorageEntry, Volume};
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether [`disks`] is how this system lists its disks.
pub const LISTS_DISKS: bool = true;

/// The whole disks, those that APFS makes of its containers among them.
pub fn disks() -> Vec<StorageEntry> {
    let names = super::names_in("/dev");
    let number = |name: &OsStr| match dkio::named(&[b"/dev/", name.as_bytes()].concat()) {
        Some((number, b"")) if !name.as_bytes().starts_with(b"r") => Some(number),
        _ => None,
    };
    let mut numbers: Vec<u32> = names.iter().filter_map(|name| number(name)).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(listed).collect()
}

fn listed(number: u32) -> StorageEntry {
    let (name, path) = (format!("disk{number}"), format!("/dev/rdisk{number}"));
    let opened = disk::open_medium(path.as_bytes(), false);
    let asked = opened.as_ref().ok().and_then(|fd| disk::facts(fd.as_fd()).ok());
    let facts = asked.map_or_else(Facts::default, |found| Facts {
        size: found.size,
        sectors: found.blocks,
        removable: found.external.unwrap_or(false),
        write_blocked: found.write_blocked,
        ..Facts::default()
    });
    StorageEntry { name, path, disk: Some(number), is_open: opened.is_ok(), facts }
}

/// The disk and the name of the device of a mount that lies on one.
fn on_disk(mount: &Mount) -> Option<u32> {
    dkio::named(&mount.from).map(|(number, _)| number)
}

/// The mounted volumes on disks. Their places on them take IOKit.
pub fn disk_volumes() -> Vec<Volume> {
    let volume = |mount: Mount| {
        let opened = disk::open_medium(&mount.from, false).ok();
        let length = opened.and_then(|fd| disk::device_size(fd).ok()).unwrap_or(0);
        Some(Volume {
            extents: vec![Extent { disk: on_disk(&mount)?, start: 0, length }],
            name: text(&mount.from),
            mounts: vec![text(&mount.at)],
            write_blocked: !mount.writable,
        })
    };
    mounts().into_iter().filter_map(volume).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where a disk, or a partition of it, is mounted, and whether for writing. A container of APFS is
/// a disk of its own: its volumes are mounted from that one.
pub fn device_mounts(device: u64) -> Vec<(String, bool)> {
    let number_of = |path: &[u8]| Path::new(OsStr::from_bytes(path)).metadata().ok().map(|found| found.rdev());
    let is_on = |mount: &Mount| {
        let whole = on_disk(mount).map(|number| format!("/dev/disk{number}").into_bytes());
        [whole.as_deref(), Some(&mount.from[..])].into_iter().flatten().any(|path| number_of(path) == Some(device))
    };
    mounts().iter().filter(|mount| is_on(mount)).map(|mount| (text(&mount.at), mount.writable)).collect()
}

/// The ranges of disks below a path: they take IOKit. The system itself keeps writers off a disk
/// with a mounted volume.
pub fn disk_extents(_: &Path) -> Vec<(u64, u64, u64)> {
    Vec::new()
}
