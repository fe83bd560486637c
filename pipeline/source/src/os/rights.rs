//! Who may use a file, and by which names, for both folders of Unix: `linux` and `portable`.

use super::handles::AsFd;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes a file that only its owner may read, and that is not there yet.
///
/// # Errors
/// The system's.
pub fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Whether others than its owner may read a regular file.
pub fn others_may_read(path: &Path) -> bool {
    mode(path) & 0o044 != 0
}

/// Whether others than its owner may write to a regular file.
pub fn others_may_write(path: &Path) -> bool {
    mode(path) & 0o022 != 0
}

/// The permissions of a file; 0 if it is not a regular file, such as a pipe of the shell.
fn mode(path: &Path) -> u32 {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    found.map_or(0, |found| found.permissions().mode())
}

/// Makes a symbolic link to a file.
///
/// # Errors
/// The system's.
pub fn link_to_file(file: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(file, link)
}

/// How many names an open file has.
///
/// # Errors
/// The system's.
pub fn count_names(file: impl AsFd) -> io::Result<u64> {
    let file = File::from(file.as_fd().try_clone_to_owned()?);
    file.metadata().map(|found| found.nlink())
}

/// User and group of a file, which is not followed if it is a link.
pub fn owner(path: &Path) -> Option<(u32, u32)> {
    path.symlink_metadata().ok().map(|found| (found.uid(), found.gid()))
}
