//! Paths as Windows takes them: with backslashes, and in the form without limits (`\\?\`), in which
//! a name is taken literally: longer than 260 characters, `CON`, with a dot or blank at its end.

use super::errno::Errno;
use crate::os::names::{OsStrExt as _, is_name};
use std::ffi::OsStr;
use std::os::windows::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf, Prefix};

/// A path of pfh, in which `/` separates, in the system's form.
///
/// # Errors
/// ILSEQ for bytes that cannot be the name of a file.
pub(super) fn native(path: &[u8]) -> Result<PathBuf, Errno> {
    if !is_name(path) {
        return Err(Errno::ILSEQ);
    }
    verbatim(Path::new(OsStr::from_bytes(path)))
}

/// A path in the form without limits. A path that names a device (`\\.\`, `NUL`) or has that form
/// stays.
pub(super) fn verbatim(path: &Path) -> Result<PathBuf, Errno> {
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(Errno::ILSEQ);
    }
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT);
    }
    if path.as_os_str().eq_ignore_ascii_case("nul") {
        return Ok(path.to_owned());
    }
    match path.components().next() {
        // With slashes the system would take them for letters of names.
        Some(Component::Prefix(prefix)) if prefix.kind().is_verbatim() => {
            return Ok(backslashed(path));
        }
        Some(Component::Prefix(prefix)) if matches!(prefix.kind(), Prefix::DeviceNS(_)) => {
            return Ok(backslashed(path));
        }
        _ => {}
    }
    let absolute = if path.is_absolute() {
        path.to_owned()
    } else if path.has_root() || matches!(path.components().next(), Some(Component::Prefix(_))) {
        // `\name` and `C:name` depend on the current drive and on the current directory of another.
        std::path::absolute(path).map_err(|error| Errno::of(&error))?
    } else {
        std::env::current_dir().map_err(|error| Errno::of(&error))?.join(path)
    };
    let mut full = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::Prefix(prefix) => full.push(rooted(prefix.kind(), prefix.as_os_str())),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => {
                full.pop();
            }
            Component::Normal(name) => full.push(name),
        }
    }
    Ok(full)
}

fn backslashed(path: &Path) -> PathBuf {
    let bytes: Vec<u8> = path.as_os_str().as_bytes().iter().map(|&b| if b == b'/' { b'\\' } else { b }).collect();
    PathBuf::from(OsStr::from_bytes(&bytes))
}

/// The root of a drive or share in the form without limits.
fn rooted(kind: Prefix<'_>, given: &OsStr) -> PathBuf {
    let mut text = std::ffi::OsString::from(r"\\?\");
    match kind {
        Prefix::UNC(server, share) => {
            for part in [OsStr::new("UNC\\"), server, OsStr::new("\\"), share, OsStr::new("\\")] {
                text.push(part);
            }
        }
        Prefix::Disk(letter) => text.push(format!("{}:\\", char::from(letter))),
        // A working directory may have it already.
        _ => {
            text = given.to_owned();
            text.push("\\");
        }
    }
    text.into()
}

/// The units of a path with a zero behind them.
pub(super) fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_without_limits() {
        let of = |path: &str| verbatim(Path::new(path)).unwrap().to_str().unwrap().to_owned();
        assert_eq!(of(r"C:\a\b"), r"\\?\C:\a\b");
        assert_eq!(of("c:/a/./b/../dot./CON"), r"\\?\C:\a\dot.\CON");
        assert_eq!(of("C:/.."), r"\\?\C:\");
        assert_eq!(of("//server/share/a/b"), r"\\?\UNC\server\share\a\b");
        assert_eq!(of(r"\\?\C:\a/b"), r"\\?\C:\a\b");
        assert_eq!(of(r"\\.\PhysicalDrive0"), r"\\.\PhysicalDrive0");
        assert_eq!(of("//./PhysicalDrive0"), r"\\.\PhysicalDrive0");
        assert_eq!(of("NUL"), "NUL");
        let here = std::env::current_dir().unwrap();
        assert_eq!(verbatim(Path::new("a/b")).unwrap(), verbatim(&here.join("a").join("b")).unwrap());
        assert!(of("/a").starts_with(r"\\?\") && of("/a").ends_with(r":\a"), "{}", of("/a"));
        assert_eq!(native(b"latin-\xe9"), Err(Errno::ILSEQ));
        assert_eq!(native(b""), Err(Errno::NOENT));
    }
}
