//! Files without a name, reserved space and the amount of free space, which only Linux has.

use crate::os::handles::{AsFd, OwnedFd};
use crate::os::{Directory, Errno};
use std::path::Path;

/// Makes a file without a name in a directory: `None`, since only Linux can.
pub fn open_unnamed(_: &Path) -> Result<Option<OwnedFd>, Errno> {
    Ok(None)
}

/// Gives a file without a name its name: there are no such files here.
pub fn give_name(_: impl AsFd, _: &Path) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// As [`open_unnamed`]: `None`.
pub fn open_unnamed_in(_: &Directory) -> Result<Option<OwnedFd>, Errno> {
    Ok(None)
}

/// As [`give_name`].
pub fn give_name_in(_: impl AsFd, _: &Directory, _: &Path) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Whether an open file lies in memory: nobody can be asked.
pub fn is_in_memory(_: impl AsFd) -> bool {
    false
}

/// Takes room for `length` bytes from an offset: there is no portable way that leaves the size as
/// it is.
pub fn reserve(_: impl AsFd, _: u64, _: u64) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Bytes that the file system of an open file has left for us: not known here.
pub fn free_bytes(_: impl AsFd) -> Result<Option<u64>, Errno> {
    Ok(None)
}

/// Would give an open file the mode, owner and attributes of the one at a path: its rights are
/// those of its directory here, as those of all new files are.
#[cfg(windows)]
pub fn resemble(_: impl AsFd, _: &Path) {}

/// Would take permissions from an open file that the one at a path does not give: as
/// [`resemble`].
#[cfg(windows)]
pub fn narrow(_: impl AsFd, _: &Path) {}
