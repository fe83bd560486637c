//! The files of a disk image that names others beside itself.

use crate::os;
use crate::os::handles::AsFd;
use pfh_container::Bytes;
use pfh_container::disk::Siblings;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files of a directory that are looked at for the others of an image, at most.
const MOST: usize = 100_000;

/// A file that is read at any position.
struct HeldFile {
    file: File,
    size: u64,
}

impl Bytes for HeldFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(os::read_at(self.file.as_fd(), buffer, offset)?)
    }
}

/// Opens a file as evidence is opened.
pub(super) fn open(path: &Path) -> io::Result<Arc<dyn Bytes>> {
    let file = os::open_evidence(path)?;
    let size = file.metadata()?.len();
    Ok(Arc::new(HeldFile { file, size }))
}

/// The directory of an image's first file, and the files of it that were opened.
pub(super) struct ImageFolder {
    first: PathBuf,
    name: String,
    opened: Mutex<Vec<PathBuf>>,
}

impl ImageFolder {
    /// Beside this file.
    pub(super) fn new(first: &Path) -> ImageFolder {
        let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ImageFolder { first: first.to_owned(), name, opened: Mutex::new(vec![first.to_owned()]) }
    }

    /// The files that were opened, the first in front, each once.
    pub(super) fn opened(self) -> Vec<PathBuf> {
        self.opened.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Siblings for ImageFolder {
    fn open(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        let path = self.first.with_file_name(name);
        let file = match open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if !opened.contains(&path) {
            opened.push(path);
        }
        Ok(Some(file))
    }

    fn first(&self) -> &str {
        &self.name
    }

    fn alike(&self) -> io::Result<Vec<String>> {
        let directory = self.first.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory)?.take(MOST) {
            let name = PathBuf::from(entry?.file_name());
            let ending = |path: &Path| path.extension().map(|ending| ending.to_ascii_lowercase());
            if ending(&name) == ending(&self.first)
                && name.as_os_str() != self.name.as_str()
                && let Some(name) = name.to_str()
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    fn peek(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        let path = self.first.with_file_name(name);
        // Files that cannot be opened are not of the image.
        Ok(path.metadata().is_ok_and(|found| found.is_file()).then(|| open(&path).ok()).flatten())
    }
}
