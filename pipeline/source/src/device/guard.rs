//! Whether two names lead to the same bytes, so that nothing is ever acquired onto itself.

use crate::entry::Stat;
use crate::os;
use rustix::fs::{FileType, major, minor};
use std::path::PathBuf;

/// What a name stands for: the file or device itself, and the file behind a loop device.
#[derive(PartialEq, Eq, Debug)]
enum Place {
    File(u64, u64),
    Device(u64),
}

fn places(stat: &Stat, device: u64) -> Vec<Place> {
    if os::file_type(stat.mode) != FileType::BlockDevice {
        return vec![Place::File(stat.device, stat.inode)];
    }
    let mut found = vec![Place::Device(device)];
    let here = PathBuf::from(format!("/sys/dev/block/{}:{}", major(device), minor(device)));
    // A partition overlaps the disk that it is on.
    if here.join("partition").exists()
        && let Ok(text) = std::fs::read_to_string(here.join("../dev"))
        && let Some((disk, part)) = text.trim().split_once(':')
        && let (Ok(disk), Ok(part)) = (disk.parse(), part.parse())
    {
        found.push(Place::Device(rustix::fs::makedev(disk, part)));
    }
    if let Ok(backing) = std::fs::read_to_string(here.join("loop/backing_file"))
        && let Ok(stat) = os::stat_operand(backing.trim_end_matches('\n').as_bytes())
    {
        found.push(Place::File(stat.device, stat.inode));
    }
    found
}

/// Whether `source` and `target` (paths) are, or lie on, the same file or block device. Names that do not exist are not.
pub fn is_same_medium(source: &[u8], target: &[u8]) -> bool {
    let find = |path: &[u8]| {
        let stat = os::stat_operand(path).ok()?;
        let device = rustix::fs::stat(path).map_or(0, |s| s.st_rdev);
        Some(places(&stat, device))
    };
    match (find(source), find(target)) {
        (Some(source), Some(target)) => source.iter().any(|place| target.contains(place)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
