//! Which absolute names of a manifest are opened though nobody asked for them.
//!
//! A list that others wrote must not choose freely which files are read. A name is judged by the
//! place to which it leads, links included.

use pfh_ledger::Ledger;
use pfh_manifest::{Ending, Format};
use pfh_source::os::names::{OsStrExt, is_on_disk};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

/// The system's own directories: settings, keys, devices, processes, and the files of root.
const SYSTEM: [&str; 6] = ["/dev", "/etc", "/proc", "/root", "/run", "/sys"];

/// The directory of Windows, where this is one.
static WINDOWS: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let root = std::env::var_os("SystemRoot").filter(|_| cfg!(windows))?;
    Path::new(&root).canonicalize().ok()
});

/// Where removable media are mounted, which is below one of them.
const MEDIA: &str = "/run/media";

/// Where the names of a manifest may lead.
#[derive(Debug, Clone)]
pub struct NameBounds {
    /// The working directory and that of the manifest.
    near: Vec<PathBuf>,
    /// Whether another program wrote the manifest.
    is_foreign: bool,
    /// The directory of the name before, and where it leads: lists are in order of directories.
    directory: Arc<Mutex<(PathBuf, PathBuf)>>,
}

impl NameBounds {
    /// The places for the names of this manifest.
    pub fn of(manifest: &Path, ledger: &Ledger) -> NameBounds {
        let beside = match manifest.parent() {
            _ if manifest == Path::new("-") => None,
            Some(parent) if parent.as_os_str().is_empty() => Some(Path::new(".")),
            parent => parent,
        };
        let near = [Some(Path::new(".")), beside].into_iter().flatten().filter_map(|near| near.canonicalize().ok());
        // All names lie below the root directory, which says nothing.
        let near = near.filter(|near| near.parent().is_some()).collect();
        NameBounds { near, is_foreign: is_foreign(ledger), directory: Arc::default() }
    }

    /// Whether a name is opened: it leads below the working directory or that of the manifest; or
    /// the manifest may be pfh's own, and the name leads to none of the system's directories.
    pub fn takes(&self, name: &[u8]) -> bool {
        // A list must not make the program speak with anybody.
        if !is_on_disk(name) {
            return false;
        }
        let place = self.place(Path::new(OsStr::from_bytes(name)));
        let is_system = SYSTEM.iter().any(|system| place.starts_with(system)) && !place.starts_with(MEDIA);
        let is_system = is_system || WINDOWS.as_ref().is_some_and(|system| place.starts_with(system));
        self.near.iter().any(|near| place.starts_with(near)) || !(self.is_foreign || is_system)
    }

    /// The place of a name. A name that is not a link lies where its directory lies, so that a
    /// directory is followed once for all its names.
    fn place(&self, name: &Path) -> PathBuf {
        let (Some(parent), Some(last)) = (name.parent(), name.file_name()) else { return leads_to(name) };
        // With a slash behind it the link is followed, and looks like a directory.
        let is_bare = name.as_os_str().as_bytes().ends_with(last.as_bytes());
        if !is_bare || !name.symlink_metadata().is_ok_and(|found| !found.is_symlink()) {
            return leads_to(name);
        }
        let Ok(mut directory) = self.directory.lock() else { return leads_to(name) };
        if directory.0 != parent {
            let Ok(real) = parent.canonicalize() else { return leads_to(name) };
            *directory = (parent.to_owned(), real);
        }
        directory.1.join(last)
    }
}

/// Whether a manifest is of a format that pfh does not write, or lacks the marks of its own. Plain
/// lines of digest and name have no marks.
fn is_foreign(ledger: &Ledger) -> bool {
    match ledger.format {
        Some(Format::Catalogue | Format::Filehash | Format::Certutil | Format::Table | Format::Json) => true,
        Some(Format::Hashdeep | Format::Dfxml) => ledger.ending == Ending::Unmarked,
        _ => false,
    }
}

/// The place of a name, as far as it is there.
fn leads_to(name: &Path) -> PathBuf {
    for above in name.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), name.strip_prefix(above)) {
            return real.join(rest);
        }
    }
    name.to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_where_they_lead() {
        let room = tempfile::tempdir().unwrap();
        let near = room.path().canonicalize().unwrap();
        std::os::unix::fs::symlink("/etc", near.join("link")).unwrap();
        std::fs::write(near.join("file"), b"1").unwrap();
        let unasked = |near: Vec<PathBuf>, is_foreign| NameBounds { near, is_foreign, directory: Arc::default() };
        let own = unasked(Vec::new(), false);
        let own = |name: &str| own.takes(name.as_bytes());
        for refused in ["/etc/shadow", "/etc/passwd", "/tmp/../etc/passwd", "//etc/x", "/proc/self/environ", "/etc"] {
            assert!(!own(refused), "{refused}");
        }
        for refused in ["link", "link/", "link/.", "link/passwd", "link/none", "link/../etc/passwd"] {
            assert!(!own(near.join(refused).to_str().unwrap()), "{refused}");
        }
        for taken in ["/run/media/me/disk/file", "/etcetera", "/home/nobody/no/such/file", "/usr/bin"] {
            assert!(own(taken), "{taken}");
        }
        let foreign = unasked(vec![near.clone()], true);
        let name = |name: &str| foreign.takes(near.join(name).as_os_str().as_bytes());
        assert!(
            name("file") && name("gone") && !name("link/passwd") && !name("../file") && !foreign.takes(b"/usr/bin")
        );
    }
}
