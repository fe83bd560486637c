//! The mode of a file that takes the place of another one.

use super::files::view;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Gives an open file the mode of the regular file at `model`.
pub fn resemble(fd: impl AsFd, model: &Path) {
    let found = std::fs::symlink_metadata(model);
    if let Some(found) = found.ok().filter(std::fs::Metadata::is_file) {
        let _ = view(fd.as_fd()).set_permissions(found.permissions());
    }
}

/// Takes permissions of group and others from an open file that the file at `model` does not give
/// them.
pub fn narrow(fd: impl AsFd, model: &Path) {
    let file = view(fd.as_fd());
    let (Ok(model), Ok(own)) = (std::fs::metadata(model), file.metadata()) else { return };
    let mode = own.permissions().mode() & 0o777 & (model.permissions().mode() | !0o077);
    let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
}
