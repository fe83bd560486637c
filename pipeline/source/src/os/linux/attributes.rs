//! Mode, owner and extended attributes of a file that takes the place of another one.

use rustix::fs::{self, FileType, Gid, Mode, Uid, XattrFlags};
use std::ffi::CString;
use std::os::fd::AsFd;
use std::path::Path;

/// Permission bits of group and others.
const OTHERS: u32 = 0o077;
/// Permission bits of the group.
const GROUP: u32 = 0o070;

/// Gives an open file the mode, the owner, the group and the extended attributes (its ACL among
/// them) of the regular file at `model`, as far as the user may. Permissions of a group that the
/// file does not get are not given either.
pub fn resemble(fd: impl AsFd, model: &Path) {
    let fd = fd.as_fd();
    let Ok(found) = fs::lstat(model) else { return };
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return;
    }
    let (owner, group) = (Uid::from_raw(found.st_uid), Gid::from_raw(found.st_gid));
    let mut mode = found.st_mode & 0o777;
    let whole = fs::fchown(fd, Some(owner), Some(group));
    if whole.is_err() && fs::fchown(fd, None, Some(group)).is_err() {
        mode &= !GROUP;
    }
    let _ = fs::fchmod(fd, Mode::from_raw_mode(mode));
    let mut names = vec![0_u8; 64 << 10];
    let Ok(length) = fs::llistxattr(model, &mut names[..]) else { return };
    let mut value = vec![0_u8; 64 << 10];
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let Ok(name) = CString::new(name) else { continue };
        // The ACL of a group that the file did not get would be of another one.
        let is_acl = name.as_bytes() == b"system.posix_acl_access";
        if is_acl && mode != found.st_mode & 0o777 {
            continue;
        }
        if let Ok(length) = fs::lgetxattr(model, name.as_c_str(), &mut value[..]) {
            let _ = fs::fsetxattr(fd, name.as_c_str(), &value[..length], XattrFlags::empty());
        }
    }
}

/// Takes permissions of group and others from an open file that the file at `model` does not give
/// them.
pub fn narrow(fd: impl AsFd, model: &Path) {
    let fd = fd.as_fd();
    let (Ok(model), Ok(own)) = (fs::stat(model), fs::fstat(fd)) else { return };
    let mode = own.st_mode & 0o777 & (model.st_mode | !OTHERS);
    if mode != own.st_mode & 0o777 {
        let _ = fs::fchmod(fd, Mode::from_raw_mode(mode));
    }
}
