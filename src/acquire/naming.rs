//! The names of records: log and map are named after their image or medium.

use pfh_source::os::{FileType, file_type, stat_path};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The path to which `.log` and `.map` are added: a file's own. Nothing lasts among devices, so
/// records of a device lie in the working directory, under its name.
pub fn named_after(path: &Path) -> PathBuf {
    let is_device = || stat_path(path).is_ok_and(|(found, _)| file_type(found.mode) == FileType::BlockDevice);
    own_name(path).filter(|_| is_device()).map_or_else(|| path.to_owned(), PathBuf::from)
}

/// The last name of a path, also of a device of Windows, such as `\\.\PhysicalDrive1` or
/// `\\.\C:`, without the colon. `None` if it has none, as `..`.
pub fn own_name(path: &Path) -> Option<OsString> {
    if let Some(name) = path.file_name() {
        return Some(name.to_owned());
    }
    let Some(Component::Prefix(root)) = path.components().next() else { return None };
    let root = root.as_os_str().to_str()?;
    let name = root.rsplit(['\\', '/']).next()?.replace(':', "");
    (!name.is_empty()).then(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_after_a_file_where_it_lies() {
        for path in ["case/disk.img", "disk.img", ".."] {
            assert_eq!(named_after(Path::new(path)), Path::new(path));
        }
        assert_eq!(own_name(Path::new("case/disk.img")).unwrap(), "disk.img");
        assert_eq!(own_name(Path::new("..")), None);
        assert_eq!(own_name(Path::new("/")), None);
    }

    #[cfg(windows)]
    #[test]
    fn a_device_of_windows_has_a_name() {
        for (path, name) in [
            (r"\\.\PhysicalDrive1", "PhysicalDrive1"),
            (r"\\.\C:", "C"),
            (r"\\?\Volume{12345678-0000-0000-0000-100000000000}", "Volume{12345678-0000-0000-0000-100000000000}"),
            (r"\\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy1", "HarddiskVolumeShadowCopy1"),
        ] {
            assert_eq!(own_name(Path::new(path)).unwrap(), name);
        }
    }
}
