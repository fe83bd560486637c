//! The kernel's table of mounts (mountinfo of proc(5)).

use crate::os::names::OsStrExt;
use std::ffi::OsStr;
use std::path::PathBuf;

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountLine {
    /// The number of the device as the kernel writes it: `8:1`. Of major 0 for file systems that
    /// have no device of their own, or several.
    pub device: String,
    /// The mount point.
    pub at: PathBuf,
    /// Whether it is mounted for writing.
    pub writable: bool,
    /// The mounted device or file system, by the name that mount(8) was given: `/dev/sda1`,
    /// `tmpfs`.
    pub source: PathBuf,
    /// The options of the file system, separated by commas.
    pub options: String,
}

/// The lines of a table. One that is not understood is left out.
pub fn mounted(table: &str) -> impl Iterator<Item = MountLine> + '_ {
    table.lines().filter_map(|line| {
        let (mount, rest) = line.split_once(" - ")?;
        let mount: Vec<&str> = mount.split(' ').collect();
        let rest: Vec<&str> = rest.split(' ').collect();
        Some(MountLine {
            device: (*mount.get(2)?).to_owned(),
            at: unescaped(mount.get(4)?),
            writable: mount.get(5)?.split(',').any(|option| option == "rw"),
            source: unescaped(rest.get(1)?),
            options: rest.get(2).copied().unwrap_or_default().to_owned(),
        })
    })
}

/// Blanks, line feeds and backslashes stand in mountinfo as three octal digits.
pub(super) fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let octal = (first == b'\\').then(|| after.get(..3)).flatten();
        let value = octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match value {
            Some(value) => {
                bytes.push(value);
                rest = &after[3..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsStr::from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn blanks_in_mount_points() {
        assert_eq!(unescaped(r"/a\040b\134c\x"), Path::new(r"/a b\c\x"));
    }

    #[test]
    fn a_line_states_device_place_and_source() {
        let table = "22 28 8:1 / /mnt/a\\040b rw,relatime shared:7 - ext4 /dev/sda1 rw,errors=remount-ro\nodd line\n";
        let found: Vec<MountLine> = mounted(table).collect();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].device.as_str(), found[0].writable), ("8:1", true));
        assert_eq!((found[0].at.as_path(), found[0].source.as_path()), (Path::new("/mnt/a b"), Path::new("/dev/sda1")));
    }
}
