//! Files of macOS beside their content: resource forks, which are read, and extended attributes,
//! which are named.

use super::calls::{attributes, path_of};
use crate::base::Base;
use crate::os::names::FORK;
use crate::os::{Errno, SideStream, portable};
use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Whether files have [`streams`] beside their content.
pub const STREAMS: bool = true;

/// The attribute in whose form a resource fork is listed among the others.
const FORK_ATTRIBUTE: &[u8] = b"com.apple.ResourceFork";

/// The path of the fork of an open file, which the file's own path leads to by no link.
fn fork_of(file: &OwnedFd) -> Result<PathBuf, Errno> {
    let path = path_of(file.as_fd()).ok_or(Errno::STALE)?;
    Ok(OsString::from_vec([path.as_os_str().as_bytes(), FORK].concat()).into())
}

/// Opens a file below its base for reading, or the resource fork of one.
pub fn open_data(base: &Base, path: &[u8]) -> Result<OwnedFd, Errno> {
    let Some(file) = path.strip_suffix(FORK) else { return portable::open_data(base, path) };
    let fork = fork_of(&portable::open_data(base, file)?)?;
    portable::open_medium(fork.as_os_str().as_bytes(), false)
}

/// The resource fork of a file, if it is not empty, and the file's other extended attributes, by
/// name.
pub fn streams(base: &Base, path: &[u8]) -> Result<Vec<SideStream>, Errno> {
    let file = portable::open_data(base, path)?;
    let listed = match attributes(file.as_fd()) {
        // A file system that has none.
        Err(Errno::NOTSUP | Errno::OPNOTSUPP) => return Ok(Vec::new()),
        listed => listed?,
    };
    let beside = |(name, size): (Vec<u8>, u64)| {
        let is_file = name == FORK_ATTRIBUTE;
        let name = if is_file { FORK.to_vec() } else { [b":", &name[..]].concat() };
        SideStream { name, size, is_file }
    };
    Ok(listed.into_iter().map(beside).collect())
}
