//! Paths below a directory on kernels without openat2 (before 5.6, and in sandboxes): component by
//! component, each by the descriptor of the one before, so that nothing that is renamed meanwhile
//! leads outside.

use crate::descend::Links;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Most links on the way of one path, as in the kernel.
const LINKS: usize = 40;

/// Opens a path below `at`, through no link ([`Links::Keep`]) or through those that stay below it.
///
/// # Errors
/// Those of openat2: ELOOP for a link that may not be, EXDEV for a way out.
pub(super) fn open(at: BorrowedFd<'_>, path: &[u8], flags: OFlags, links: Links) -> Result<OwnedFd, Errno> {
    // The components still to go, the next one last.
    let mut names = components(path);
    // No walk and no manifest of a walk has "..", which only links lead through.
    let goes_up = links == Links::Keep && names.iter().any(|name| name == b"..");
    if path.first() == Some(&b'/') || goes_up {
        return Err(Errno::XDEV);
    }
    let mut way: Vec<OwnedFd> = Vec::new();
    let mut followed = 0;
    while let Some(name) = names.pop() {
        if name == b".." {
            // Back to the descriptor that was opened, wherever the directory has been moved.
            way.pop().ok_or(Errno::XDEV)?;
            continue;
        }
        let parent = way.last().map_or(at, |directory| directory.as_fd());
        let is_last = names.is_empty();
        let step = if is_last { flags } else { OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC };
        match fs::openat(parent, &*name, step | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(opened) if is_last && !is_link(&opened, step)? => return Ok(opened),
            Ok(opened) if !is_last => way.push(opened),
            // With O_DIRECTORY and O_NOFOLLOW together, a link is ENOTDIR.
            Err(errno) if ![Errno::LOOP, Errno::NOTDIR].contains(&errno) || !names_a_link(parent, &name) => {
                return Err(errno);
            }
            _ => {
                followed += 1;
                if links == Links::Keep || followed > LINKS {
                    return Err(Errno::LOOP);
                }
                let target = fs::readlinkat(parent, &*name, Vec::new())?.into_bytes();
                if target.first() == Some(&b'/') {
                    return Err(Errno::XDEV);
                }
                names.extend(components(&target));
            }
        }
    }
    fs::openat(way.last().map_or(at, |directory| directory.as_fd()), c".", flags, Mode::empty())
}

/// Components of a path in reverse, without empty ones and `.`.
fn components(path: &[u8]) -> Vec<Vec<u8>> {
    let parts = path.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    parts.rev().map(<[u8]>::to_vec).collect()
}

/// Whether O_PATH opened a link itself; without it a link is ELOOP.
fn is_link(opened: &OwnedFd, flags: OFlags) -> Result<bool, Errno> {
    Ok(flags.contains(OFlags::PATH) && FileType::from_raw_mode(fs::fstat(opened)?.st_mode).is_symlink())
}

fn names_a_link(parent: BorrowedFd<'_>, name: &[u8]) -> bool {
    let found = fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink())
}

#[cfg(test)]
mod tests {
    use super::super::files::resolve;
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    /// Device and inode of the opened file.
    fn place(opened: Result<OwnedFd, Errno>) -> Result<(u64, u64), Errno> {
        let found = std::fs::File::from(opened?).metadata().unwrap();
        Ok((found.dev(), found.ino()))
    }

    #[test]
    fn as_the_kernel_does_it() {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().join("root");
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        std::fs::write(root.join("a/b/file"), "").unwrap();
        std::fs::write(room.path().join("outside"), "").unwrap();
        let to_root = root.to_str().unwrap();
        for (target, name) in [
            ("b/file", "a/in"),
            ("in", "a/again"),
            ("..", "a/up"),
            ("b", "a/directory"),
            ("../..", "a/b/out"),
            ("../outside", "out"),
            ("round", "round"),
            (to_root, "absolute"),
            ("none", "dangling"),
            ("a/b/./c/../file", "long"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        let paths = [
            "a/b/file",
            "a/in",
            "a/again",
            "a/up/a/b/file",
            "a/up/./a//in",
            "a/directory/file",
            "a/directory",
            "a/b/out/a",
            "a/b/out/..",
            "out",
            "round",
            "absolute/a",
            "absolute",
            "dangling",
            "long",
            "none",
            ".",
            "a/.",
            "a/b/../b/file",
            "..",
            "../outside",
            "/etc",
            "a/b/file/x",
            "a/b/file/",
            "a/b/",
            "",
        ];
        let at = fs::open(&root, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let mut compared = 0;
        for flags in [OFlags::RDONLY | OFlags::CLOEXEC, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC] {
            for links in [Links::Keep, Links::Within] {
                for path in paths {
                    let ours = place(open(at.as_fd(), path.as_bytes(), flags, links));
                    // openat2 refuses a file with a slash behind it, and an empty name; callers
                    // list no such names.
                    if ["a/b/file/", ""].contains(&path) {
                        continue;
                    }
                    // RESOLVE_NO_SYMLINKS allows "..".
                    if links == Links::Keep && path.contains("..") {
                        assert_eq!(ours, Err(Errno::XDEV), "{path}");
                        continue;
                    }
                    match fs::openat2(&at, path, flags, Mode::empty(), resolve(links)) {
                        Err(Errno::NOSYS | Errno::PERM) => return,
                        theirs => assert_eq!(ours, place(theirs), "{path:?} {links:?} {flags:?}"),
                    }
                    compared += 1;
                }
            }
        }
        assert!(compared > 80, "{compared}");
    }
}
