//! Where the bytes behind a name lie, so that no command writes onto its own input.
//!
//! A name stands for a file or a block device, which lies on others: a file on the device of its
//! file system, a partition on its disk, a loop device on its backing file, a mapped device (LVM,
//! dm-crypt, RAID) on its slaves. Two names meet when these chains share a range of storage that
//! belongs wholly to at least one of the two names.

use super::mountinfo::{mounted, unescaped};
use crate::os::names::{OsStrExt, folded};
use crate::os::{Errno, FileType, device_of, disk_extents, file_type, kernel_text, names_in, split_device, stat_path};
use crate::stat::Stat;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// The longest chain that is followed: loop devices over files on loop devices, and so on.
const DEEPEST: usize = 32;

/// A file, by device and inode, or a block device, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    File(u64, u128),
    Device(u64),
}

/// Bytes of a storage that belong to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    storage: Storage,
    /// In bytes, `[from, to)`.
    from: u64,
    to: u64,
    /// Whether all of that range belongs to the name. A file has only some blocks of the device
    /// below it.
    whole: bool,
}

/// Where a name's bytes lie: itself first, then the storage below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    shares: Vec<Share>,
    /// Of a name that does not exist yet: its directory, and its last component.
    fresh: Option<((u64, u128), Vec<u8>)>,
    /// Whether it is a pipe, a terminal, `/dev/null`: any number of writers may share it.
    is_special: bool,
    /// Bytes of a regular file; `None` for other files.
    pub size: Option<u64>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is a block device.
    pub is_device: bool,
}

/// How two names meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// They are one file, or one device.
    Same,
    /// One lies on the other: a loop device on its file, a partition on its disk, a file on a file
    /// system of the device.
    Above,
}

impl Place {
    /// Whether something of this name exists.
    pub fn exists(&self) -> bool {
        self.fresh.is_none()
    }

    /// Whether and how the two share storage. Names that are both special never do.
    pub fn meets(&self, other: &Place) -> Option<Meeting> {
        if self.is_special || other.is_special {
            return None;
        }
        if let (Some(a), Some(b)) = (&self.fresh, &other.fresh)
            && a == b
        {
            return Some(Meeting::Same);
        }
        let overlap =
            |a: &Share, b: &Share| a.storage == b.storage && (a.whole || b.whole) && a.from < b.to && b.from < a.to;
        if self.exists()
            && other.exists()
            && self.shares.first().zip(other.shares.first()).is_some_and(|(a, b)| overlap(a, b))
        {
            return Some(Meeting::Same);
        }
        let meets = self.shares.iter().any(|a| other.shares.iter().any(|b| overlap(a, b)));
        meets.then_some(Meeting::Above)
    }
}

/// Finds places. The storage below a file system is looked up once.
#[derive(Debug, Default)]
pub struct Places {
    below: HashMap<u64, Vec<Share>>,
}

impl Places {
    /// The place of a name; of one that does not exist, the place where a file of that name would
    /// be made.
    ///
    /// # Errors
    /// The system's error for the name, or for the directory of a name that does not exist.
    pub fn find(&mut self, path: &Path) -> io::Result<Place> {
        match stat_path(path) {
            Ok(found) => Ok(self.existing(path, &found)),
            Err(Errno::NOENT) => self.fresh(path, DEEPEST),
            Err(errno) => Err(errno.into()),
        }
    }

    fn existing(&mut self, path: &Path, (found, number): &(Stat, u64)) -> Place {
        let kind = file_type(found.mode);
        let mut place = Place {
            shares: Vec::new(),
            fresh: None,
            is_special: false,
            size: (kind == FileType::RegularFile).then_some(found.size),
            is_directory: kind == FileType::Directory,
            is_device: kind == FileType::BlockDevice,
        };
        match kind {
            FileType::RegularFile | FileType::Directory => {
                let storage = Storage::File(found.device, found.inode);
                place.shares.push(Share { storage, from: 0, to: u64::MAX, whole: true });
                place.shares.extend(self.below(found.device, path));
            }
            FileType::BlockDevice => {
                let whole = Share { storage: Storage::Device(*number), from: 0, to: u64::MAX, whole: true };
                self.descend(whole, &mut place.shares);
                place.shares.extend(on_disks(path, true));
            }
            _ => place.is_special = true,
        }
        place
    }

    /// A dangling link is made where it points to.
    fn fresh(&mut self, path: &Path, most: usize) -> io::Result<Place> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if let Ok(to) = std::fs::read_link(path) {
            if most == 0 {
                return Err(Errno::LOOP.into());
            }
            let to = directory.join(to);
            return match stat_path(&to) {
                Ok(found) => Ok(self.existing(&to, &found)),
                Err(_) => self.fresh(&to, most - 1),
            };
        }
        let (found, _) = stat_path(directory)?;
        if file_type(found.mode) != FileType::Directory {
            return Err(Errno::NOTDIR.into());
        }
        let name = path.file_name().ok_or(Errno::NOENT)?.as_bytes().to_vec();
        Ok(Place {
            shares: self.below(found.device, directory),
            fresh: Some((found.identity(), folded(name))),
            is_special: false,
            size: None,
            is_directory: false,
            is_device: false,
        })
    }

    /// The storage on which a file system of this device number lies.
    fn below(&mut self, device: u64, path: &Path) -> Vec<Share> {
        if let Some(known) = self.below.get(&device) {
            return known.clone();
        }
        let mut found = Vec::new();
        // Numbers of major 0 are made up by file systems that have no device of their own, or
        // several (btrfs).
        let device_below = if split_device(device).0 == 0 { mounted_from(path) } else { Some(device) };
        if let Some(below) = device_below {
            self.descend(Share { storage: Storage::Device(below), from: 0, to: u64::MAX, whole: false }, &mut found);
        }
        found.extend(on_disks(path, false));
        self.below.insert(device, found.clone());
        found
    }

    /// Appends a share and all that it lies on.
    fn descend(&mut self, share: Share, found: &mut Vec<Share>) {
        if found.contains(&share) || found.len() > DEEPEST {
            return;
        }
        found.push(share);
        let Storage::Device(device) = share.storage else { return };
        let here = directory(device);
        let word = |name: &str| kernel_text(here.join(name));
        let number = |name: &str| word(name).and_then(|text| text.trim().parse::<u64>().ok());
        // Counted in units of 512 bytes, even if the device has larger sectors.
        let inside =
            |start: u64, size: u64| (start.saturating_add(share.from), start.saturating_add(share.to.min(size)));
        if here.join("partition").exists()
            && let Some(disk) = word("../dev").and_then(|text| device_number(&text))
        {
            let (start, size) = (number("start").unwrap_or(0), number("size").unwrap_or(u64::MAX));
            let (from, to) = inside(start.saturating_mul(512), size.saturating_mul(512));
            self.descend(Share { storage: Storage::Device(disk), from, to, ..share }, found);
        }
        if let Some(backing) = word("loop/backing_file")
            && let Ok((stat, device)) = stat_path(Path::new(backing.trim_end_matches('\n')))
        {
            let limit = number("loop/sizelimit").filter(|limit| *limit > 0).unwrap_or(u64::MAX);
            let (from, to) = inside(number("loop/offset").unwrap_or(0), limit);
            let backing = Path::new(backing.trim_end_matches('\n'));
            if file_type(stat.mode) == FileType::BlockDevice {
                self.descend(Share { storage: Storage::Device(device), from, to, ..share }, found);
            } else {
                found.push(Share { storage: Storage::File(stat.device, stat.inode), from, to, ..share });
                for below in self.below(stat.device, backing) {
                    if !found.contains(&below) {
                        found.push(below);
                    }
                }
            }
        }
        let slaves = here.join("slaves");
        for slave in names_in(&slaves) {
            let number = kernel_text(slaves.join(slave).join("dev"));
            if let Some(number) = number.and_then(|text| device_number(&text)) {
                // Which sectors of the slave a mapping uses is not looked up.
                let share = Share { storage: Storage::Device(number), from: 0, to: u64::MAX, whole: false };
                self.descend(share, found);
            }
        }
    }
}

/// The ranges of disks below a path, by the system's calls; `whole` of a device, which owns all of
/// them.
fn on_disks(path: &Path, whole: bool) -> impl Iterator<Item = Share> {
    let share = move |(disk, from, to)| Share { storage: Storage::Device(disk), from, to, whole };
    disk_extents(path).into_iter().map(share)
}

fn directory(device: u64) -> PathBuf {
    let (major, minor) = split_device(device);
    PathBuf::from(format!("/sys/dev/block/{major}:{minor}"))
}

fn device_number(text: &str) -> Option<u64> {
    let (disk, part) = text.trim().split_once(':')?;
    Some(device_of(disk.parse().ok()?, part.parse().ok()?))
}

/// The block device that the file system of `path` was mounted from, by the mount point that is
/// nearest above it (mountinfo of proc(5)); of an overlay, that of its upper directory.
fn mounted_from(path: &Path) -> Option<u64> {
    let path = path.canonicalize().ok()?;
    let table = kernel_text("/proc/self/mountinfo")?;
    let (mut nearest, mut source) = (0, None);
    for mount in mounted(&table) {
        if path.starts_with(&mount.at) && mount.at.as_os_str().len() >= nearest {
            nearest = mount.at.as_os_str().len();
            let upper = mount.options.split(',').find_map(|option| option.strip_prefix("upperdir="));
            source = Some(upper.map_or(mount.source, unescaped));
        }
    }
    let (found, number) = stat_path(source?.as_path()).ok()?;
    match file_type(found.mode) {
        FileType::BlockDevice => Some(number),
        FileType::Directory if split_device(found.device).0 != 0 => Some(found.device),
        _ => None,
    }
}

/// Whether `source` and `target` (paths) are, or lie on, the same file or block device. Names that
/// do not exist are not.
pub fn is_same_medium(source: &[u8], target: &[u8]) -> bool {
    let mut places = Places::default();
    let mut find = |path: &[u8]| places.find(Path::new(std::ffi::OsStr::from_bytes(path))).ok();
    match (find(source), find(target)) {
        (Some(source), Some(target)) => source.meets(&target).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn names_of_one_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).to_string_lossy().into_owned().into_bytes();
        std::fs::write(directory.path().join("a"), "a").unwrap();
        std::fs::write(directory.path().join("b"), "a").unwrap();
        std::os::unix::fs::symlink("a", directory.path().join("link")).unwrap();
        std::fs::hard_link(directory.path().join("a"), directory.path().join("hard")).unwrap();
        assert!(is_same_medium(&path("a"), &path("link")) && is_same_medium(&path("hard"), &path("a")));
        assert!(!is_same_medium(&path("a"), &path("b")) && !is_same_medium(&path("a"), &path("none")));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_there_yet() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::os::unix::fs::symlink("sub/later", at("dangling")).unwrap();
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        let mut places = Places::default();
        let later = places.find(&at("sub/later")).unwrap();
        assert!(!later.exists());
        assert_eq!(places.find(&at("dangling")).unwrap().meets(&later), Some(Meeting::Same));
        assert_eq!(places.find(&at("sub/../sub/later")).unwrap().meets(&later), Some(Meeting::Same));
        assert_eq!(places.find(&at("later")).unwrap().meets(&later), None);
        assert!(places.find(&at("none/later")).is_err() && places.find(&at("round")).is_err());
    }

    #[test]
    fn shares_meet_where_one_owns_all() {
        let share = |from, to, whole| Share { storage: Storage::Device(1), from, to, whole };
        let place = |number, share| Place {
            shares: vec![Share { storage: Storage::Device(number), from: 0, to: 9, whole: true }, share],
            fresh: None,
            is_special: false,
            size: None,
            is_directory: false,
            is_device: true,
        };
        let meet = |a, b| place(2, a).meets(&place(3, b)).is_some();
        // Two partitions of one disk; a partition and the extended one around it; two files of one
        // file system.
        assert!(!meet(share(0, 5, true), share(5, 9, true)));
        assert!(meet(share(0, 9, true), share(5, 9, true)));
        assert!(!meet(share(0, 9, false), share(0, 9, false)) && meet(share(0, 9, false), share(3, 4, true)));
    }
}
