//! Paths below a directory, checked name by name. Linux's openat2 does this in one step; here there
//! is a gap between looking and opening.

use super::errno_of;
use super::names::OsStrExt;
use super::platform::Errno;
use crate::descend::Links;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Most links on the way of one path, as on Linux.
const LINKS: usize = 40;

/// The path below `root` that is to be opened, through no link (`Keep`), through links that stay
/// below it (`Within`) or through any.
///
/// # Errors
/// ELOOP for a link that may not be, EXDEV for a way out of `root`; the system's error for a name.
pub(super) fn below(root: &Path, path: &[u8], links: Links) -> Result<PathBuf, Errno> {
    let path = Path::new(OsStr::from_bytes(path));
    if links == Links::Follow {
        return Ok(root.join(path));
    }
    // The names still to go, the next one last.
    let mut open: Vec<PathBuf> = vec![path.to_owned()];
    let mut here: Vec<PathBuf> = Vec::new();
    let mut followed = 0;
    while let Some(rest) = open.pop() {
        let mut components = rest.components();
        let name = match components.next() {
            None | Some(Component::CurDir) => None,
            Some(Component::RootDir | Component::Prefix(_)) => return Err(Errno::XDEV),
            Some(Component::ParentDir) => {
                here.pop().ok_or(Errno::XDEV)?;
                None
            }
            Some(Component::Normal(name)) => Some(name.to_owned()),
        };
        let later = components.as_path();
        if !later.as_os_str().is_empty() {
            open.push(later.to_owned());
        }
        let Some(name) = name else { continue };
        let full = here.last().map_or_else(|| root.join(&name), |here| here.join(&name));
        let found = std::fs::symlink_metadata(&full).map_err(|error| errno_of(&error))?;
        if !found.is_symlink() {
            here.push(full);
            continue;
        }
        followed += 1;
        if links == Links::Keep || followed > LINKS {
            return Err(Errno::LOOP);
        }
        open.push(std::fs::read_link(&full).map_err(|error| errno_of(&error))?);
    }
    Ok(here.pop().unwrap_or_else(|| root.to_owned()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_far_as_they_may() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "").unwrap();
        for (to, name) in [("b/file", "a/in"), ("..", "a/up"), ("../..", "a/b/out"), ("round", "round"), ("/", "root")]
        {
            symlink(to, root.join(name)).unwrap();
        }
        let file = Ok(root.join("a/b/file"));
        assert_eq!(below(root, b"a/b/file", Links::Keep), file);
        assert_eq!(below(root, b"a/in", Links::Keep), Err(Errno::LOOP));
        assert_eq!(below(root, b"a/up/a/b", Links::Keep), Err(Errno::LOOP));
        assert_eq!(below(root, b"a/in", Links::Within), file);
        assert_eq!(below(root, b"a/up/./a//in", Links::Within), file);
        assert_eq!(below(root, b"a/b/out", Links::Within), Ok(root.to_owned()));
        assert_eq!(below(root, b"a/b/out/..", Links::Within), Err(Errno::XDEV));
        assert_eq!(below(root, b"../x", Links::Within), Err(Errno::XDEV));
        assert_eq!(below(root, b"root/etc", Links::Within), Err(Errno::XDEV));
        assert_eq!(below(root, b"/etc", Links::Keep), Err(Errno::XDEV));
        assert_eq!(below(root, b"round", Links::Within), Err(Errno::LOOP));
        assert_eq!(below(root, b"none", Links::Within), Err(Errno::NOENT));
        assert_eq!(below(root, b".", Links::Keep), Ok(root.to_owned()));
    }
}
