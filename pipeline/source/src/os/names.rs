//! Names as bytes: on Unix the bytes that the system has; on Windows WTF-8, the bytes of the
//! standard library's names ([`OsStr::as_encoded_bytes`]): UTF-8, and three bytes for half of a
//! surrogate pair, which NTFS allows.
//!
//! Bytes that come from elsewhere (a list, an archive, another machine) need be no name of this
//! system: see [`is_name`].

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

#[cfg(unix)]
pub use std::os::unix::ffi::{OsStrExt, OsStringExt};
#[cfg(windows)]
pub use wide::{OsStrExt, OsStringExt};

/// Whether a file of this system can have these bytes in its path: on Unix any bytes without NUL,
/// on Windows WTF-8 without NUL.
pub fn is_name(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && (cfg!(not(windows)) || is_wtf8(bytes))
}

/// The path with these bytes, if a file of this system can have it.
pub fn path(bytes: &[u8]) -> Option<&Path> {
    is_name(bytes).then(|| Path::new(OsStr::from_bytes(bytes)))
}

/// A path whose last name is longer by an ending.
pub fn with_ending(path: &Path, ending: impl AsRef<OsStr>) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A path as it is typed on this system, with `/` between its names. On Windows `\` separates too,
/// but in paths that bypass the rules of names (`\\?\`, `\\.\`), which stay.
pub fn entered(mut path: Vec<u8>) -> Vec<u8> {
    if cfg!(windows) && ![&br"\\?\"[..], br"\\.\"].iter().any(|prefix| path.starts_with(prefix)) {
        path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    path
}

/// As [`entered`], of a path of the standard library.
pub fn entered_path(path: std::ffi::OsString) -> std::ffi::OsString {
    std::ffi::OsString::from_vec(entered(path.into_vec()))
}

/// Whether a path of a list starts at a root: `/`, on Windows also a drive (`C:/`), a server
/// (`//`), or a path that bypasses the rules of names.
pub fn is_absolute(path: &[u8]) -> bool {
    path.first() == Some(&b'/') || (cfg!(windows) && (has_drive(path) || path.starts_with(br"\\")))
}

/// Whether a path starts with the letter of a drive and a separator.
fn has_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// The end of a path by which macOS opens the resource fork of a file.
pub(super) const FORK: &[u8] = b"/..namedfork/rsrc";

/// The stream that a name below a directory is of, `file:stream` on Windows; elsewhere `:` is a
/// letter. On macOS a resource fork.
pub fn stream_below(name: &[u8]) -> Option<&[u8]> {
    if cfg!(target_os = "macos") {
        return name.ends_with(FORK).then_some(&FORK[1..]);
    }
    let last = name.rsplit(|byte| b"/\\".contains(byte)).next().unwrap_or_default();
    let at = last.iter().position(|&byte| byte == b':').filter(|at| cfg!(windows) && *at > 0)?;
    Some(&last[at + 1..])
}

/// As [`stream_below`], of a path that may begin with a drive.
pub fn stream_of(path: &[u8]) -> Option<&[u8]> {
    let path = path.strip_prefix(br"\\?\").unwrap_or(path);
    let has_letter = matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic());
    stream_below(if has_letter { &path[2..] } else { path })
}

/// Whether opening an absolute path asks only disks of this machine: on Windows `//server/share`
/// asks a server, and says who the user is; `\\.\` opens a device.
pub fn is_on_disk(path: &[u8]) -> bool {
    let has_two = |path: &[u8]| matches!(path, [b'/' | b'\\', b'/' | b'\\', ..]);
    !cfg!(windows) || !has_two(path) || path.strip_prefix(br"\\?\").is_some_and(has_drive)
}

/// The working directory, with `/` between its names.
///
/// # Errors
/// The system's: it is gone, say.
pub fn working_directory() -> std::io::Result<PathBuf> {
    Ok(entered_path(std::env::current_dir()?.into_os_string()).into())
}

/// The full path of a file, links resolved, as lists have it: with `/` between its names.
///
/// # Errors
/// The system's: it is gone, say.
pub fn resolved(path: &Path) -> std::io::Result<Vec<u8>> {
    path.canonicalize().map(listed)
}

/// The full path of a file, links unresolved, as lists have it: with `/` between its names.
///
/// # Errors
/// The path is empty, or the working directory is gone.
pub fn absolute(path: &Path) -> std::io::Result<Vec<u8>> {
    std::path::absolute(path).map(listed)
}

/// A path that the standard library made, as lists have it.
pub fn listed(path: PathBuf) -> Vec<u8> {
    let path = path.into_os_string().into_vec();
    // Windows puts `\\?\` in front, which only paths that break its rules need.
    match path.strip_prefix(br"\\?\") {
        Some(rest) if cfg!(windows) && has_drive(rest) => entered(rest.to_vec()),
        _ => entered(path),
    }
}

/// The form in which names of one directory are compared before the file exists: on Windows without
/// regard to case. In a directory that regards case (WSL), two files may then count as one.
pub fn folded(name: Vec<u8>) -> Vec<u8> {
    match std::str::from_utf8(&name) {
        Ok(text) if cfg!(windows) => text.to_uppercase().into_bytes(),
        _ => name,
    }
}

/// Whether bytes are WTF-8 (the WTF-8 encoding, section 3): UTF-8 that may have single surrogates
/// and no pair of them.
fn is_wtf8(mut bytes: &[u8]) -> bool {
    let mut after_lead = false;
    while let Err(error) = std::str::from_utf8(bytes) {
        after_lead &= error.valid_up_to() == 0;
        bytes = &bytes[error.valid_up_to()..];
        let [0xed, second @ 0xa0..=0xbf, 0x80..=0xbf, rest @ ..] = bytes else { return false };
        let is_lead = *second < 0xb0;
        if after_lead && !is_lead {
            return false;
        }
        (after_lead, bytes) = (is_lead, rest);
    }
    true
}

/// The standard library's traits for names of Unix, for those of Windows.
#[cfg(windows)]
mod wide {
    use super::is_wtf8;
    use std::ffi::{OsStr, OsString};

    /// A name that no file has and every call refuses. It stands for bytes that are not WTF-8.
    const NONE: &str = "\0";

    /// Names from bytes and back.
    pub trait OsStrExt {
        /// The name with these bytes; for bytes that are not WTF-8 a name that no file has, and
        /// that every call refuses.
        fn from_bytes(bytes: &[u8]) -> &Self;
        /// The bytes of a name.
        fn as_bytes(&self) -> &[u8];
    }

    impl OsStrExt for OsStr {
        fn from_bytes(bytes: &[u8]) -> &Self {
            match std::str::from_utf8(bytes) {
                Ok(text) => OsStr::new(text),
                // SAFETY: these are bytes that `as_encoded_bytes` gives for a name of Windows: they
                // have just been checked to be WTF-8, which it consists of there.
                Err(_) if is_wtf8(bytes) => unsafe { OsStr::from_encoded_bytes_unchecked(bytes) },
                Err(_) => OsStr::new(NONE),
            }
        }

        fn as_bytes(&self) -> &[u8] {
            self.as_encoded_bytes()
        }
    }

    /// The same for names that are owned.
    pub trait OsStringExt {
        /// As [`OsStrExt::from_bytes`].
        fn from_vec(bytes: Vec<u8>) -> Self;
        /// The bytes of a name.
        fn into_vec(self) -> Vec<u8>;
    }

    impl OsStringExt for OsString {
        fn from_vec(bytes: Vec<u8>) -> Self {
            match String::from_utf8(bytes) {
                Ok(text) => text.into(),
                Err(error) => OsStr::from_bytes(error.as_bytes()).to_owned(),
            }
        }

        fn into_vec(self) -> Vec<u8> {
            self.into_encoded_bytes()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lead and a trail surrogate, as WTF-8 has them where they stand alone.
    const LEAD: &[u8] = b"\xed\xa0\xbd";
    const TRAIL: &[u8] = b"\xed\xb2\xa9";

    #[test]
    fn wtf8_is_utf8_with_single_surrogates() {
        let is = |parts: &[&[u8]]| is_wtf8(&parts.concat());
        assert!(is(&[]) && is(&[b"plain"]) && is(&["\u{1f4a9} \u{e000}".as_bytes()]));
        assert!(is(&[LEAD]) && is(&[TRAIL]) && is(&[TRAIL, LEAD]) && is(&[LEAD, LEAD]) && is(&[LEAD, b"x", TRAIL]));
        assert!(!is(&[LEAD, TRAIL]), "a pair is four bytes");
        assert!(!is(&[LEAD, LEAD, TRAIL]) && !is(&[b"a", LEAD, TRAIL, b"z"]));
        assert!(!is(&[b"latin-\xe9"]) && !is(&[b"\xff"]) && !is(&[&LEAD[..2]]) && !is(&[b"\xc0\x80"]));
        assert!(!is_name(b"a\0b") && is_name(LEAD) && path(b"a\0b").is_none());
        assert_eq!(is_name(b"\xff"), cfg!(not(windows)));
    }

    #[test]
    fn absolute_paths_are_those_of_this_system() {
        assert!(is_absolute(b"/a") && is_absolute(b"//server/share") && is_on_disk(b"/a"));
        assert!(!is_absolute(b"a/b") && !is_absolute(b"C:a") && !is_absolute(b"CD:/") && !is_absolute(b""));
        assert_eq!(is_absolute(b"C:/a") && is_absolute(br"\\?\C:\a/b"), cfg!(windows));
        assert_eq!(is_on_disk(b"//server/share/a"), cfg!(not(windows)));
        assert_eq!(is_on_disk(br"\\.\PhysicalDrive0"), cfg!(not(windows)));
        assert!(is_on_disk(br"\\?\C:\a") && is_on_disk(b"c:/a"));
    }

    #[test]
    fn paths_of_windows_are_listed_with_slashes() {
        let is = |path: &str, there: &str| {
            assert_eq!(listed(path.into()), if cfg!(windows) { there } else { path }.as_bytes());
        };
        is(r"\\?\C:\a\b", "C:/a/b");
        is(r"a\b", "a/b");
        is("/a/b", "/a/b");
    }

    #[test]
    fn streams_are_behind_a_colon() {
        let here = |found: &'static [u8]| Some(found).filter(|_| cfg!(windows));
        assert_eq!(stream_below(b"d/a.exe:Zone.Identifier"), here(b"Zone.Identifier"));
        assert_eq!((stream_below(b"a:s"), stream_of(b"a:s"), stream_of(b"C:/d/a:s")), (here(b"s"), None, here(b"s")));
        assert_eq!((stream_of(br"\\?\C:\a:s"), stream_of(br"\\?\C:\a")), (here(b"s"), None));
        assert_eq!(
            (stream_below(b"d:s/a"), stream_of(b"C:a"), stream_of(b"a"), stream_below(b":x")),
            (None, None, None, None)
        );
    }

    #[cfg(windows)]
    #[test]
    fn names_of_windows_are_bytes_and_come_back() {
        use std::ffi::OsString;
        use std::os::windows::ffi::{OsStrExt as _, OsStringExt as _};
        for units in [&[0x61, 0xd83d, 0xdca9, 0x62][..], &[0xd83d], &[0xdca9, 0xd83d], &[0xe000, 0xdfff]] {
            let name = OsString::from_wide(units);
            let back = <OsStr as OsStrExt>::from_bytes(OsStrExt::as_bytes(&*name));
            assert_eq!(back, name);
            assert!(back.encode_wide().eq(units.iter().copied()));
            assert_eq!(<OsString as OsStringExt>::from_vec(OsStringExt::into_vec(name.clone())), name);
        }
        assert_eq!(<OsStr as OsStrExt>::from_bytes(LEAD).encode_wide().collect::<Vec<_>>(), [0xd83d]);
        let none = <OsStr as OsStrExt>::from_bytes(b"latin-\xe9");
        assert!(std::fs::File::open(none).is_err() && std::fs::metadata(none).is_err());
        assert!(std::fs::File::create(none).is_err());
    }
}
