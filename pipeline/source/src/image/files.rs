//! The files of an image, found by their names and read as one.

use crate::os::handles::AsFd;
use crate::os::positioned::FileExt;
use crate::os::{self, Errno, FileType};
use pfh_container::ewf::{ReadAt, extension};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files kept open at once. A disk of 2 TB makes some 1,400 segments of the usual 1.4 GiB, and a
/// process may have 1,024 files open by default.
const OPEN: usize = 32;

/// The files of an image, in order.
pub(super) struct Files {
    files: Vec<ImageFile>,
    /// Those that are open, by their place among `files`; the one used last is last.
    open: Mutex<Vec<(usize, Arc<File>)>>,
}

struct ImageFile {
    path: PathBuf,
    size: u64,
    /// Device and inode: the file that is opened again must be the one that was found at first.
    identity: (u64, u128),
}

/// The segments of an E01 image, by the name of the first: same stem, extensions counted up, in the
/// first's case.
pub(super) fn segments(first: &Path) -> io::Result<Vec<PathBuf>> {
    let lower = first.extension().is_some_and(|e| e.to_str().is_some_and(|e| e.starts_with('e')));
    let mut found = Vec::new();
    for number in 1.. {
        let Some(name) = extension(number) else { break };
        let name = if lower { name.to_lowercase() } else { name };
        let path = if number == 1 { first.to_owned() } else { first.with_extension(name) };
        if !path.try_exists()? {
            break;
        }
        found.push(path);
    }
    Ok(found)
}

impl Files {
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self, (PathBuf, io::Error)> {
        let piece = |path: &PathBuf| {
            let file = os::open_evidence(path)?;
            let stat = os::stat(&file)?;
            let is_device = os::file_type(stat.mode) == FileType::BlockDevice;
            if !is_device && !stat.is_file() {
                let what = "an image is a file or a block device: this is a pipe, or another special file";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            let size = os::device_size(&file).unwrap_or(stat.size);
            if is_device && size == 0 {
                return Err(Errno::NOMEDIUM.into());
            }
            Ok(ImageFile { path: path.clone(), size, identity: stat.identity() })
        };
        let files = paths.iter().map(|path| piece(path).map_err(|error| (path.clone(), error)));
        Ok(Files { files: files.collect::<Result<_, _>>()?, open: Mutex::default() })
    }

    /// A file, opened where it is not open.
    fn get(&self, at: usize) -> io::Result<Arc<File>> {
        let piece = self.files.get(at).ok_or(io::ErrorKind::NotFound)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match open.iter().rposition(|(number, _)| *number == at) {
            Some(held) => open.remove(held).1,
            None => {
                let file = os::open_evidence(&piece.path)?;
                if os::stat(&file)?.identity() != piece.identity {
                    return Err(Errno::STALE.into());
                }
                if open.len() == OPEN {
                    open.remove(0);
                }
                Arc::new(file)
            }
        };
        open.push((at, file.clone()));
        Ok(file)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|piece| piece.path.as_path())
    }

    /// Where each starts in all of them.
    pub(super) fn starts(&self) -> Vec<u64> {
        let starts = self.files.iter().scan(0, |end, file| {
            let start = *end;
            *end += file.size;
            Some(start)
        });
        starts.collect()
    }

    pub(super) fn total(&self) -> u64 {
        self.files.iter().map(|piece| piece.size).sum()
    }

    pub(super) fn evict(&self) -> io::Result<()> {
        (0..self.files.len()).try_for_each(|at| Ok(os::evict(self.get(at)?.as_fd())?))
    }

    /// Reads from the files one after the other, as one raw image.
    pub(super) fn read_through(&self, buffer: &mut [u8], mut offset: u64) -> io::Result<usize> {
        for (at, piece) in self.files.iter().enumerate() {
            if offset < piece.size {
                let room = buffer.len().min((piece.size - offset) as usize);
                return match os::read_at(self.get(at)?.as_fd(), &mut buffer[..room], offset)? {
                    // Shorter than when it was opened.
                    0 => Err(io::ErrorKind::UnexpectedEof.into()),
                    got => Ok(got),
                };
            }
            offset -= piece.size;
        }
        Ok(0)
    }
}

impl ReadAt for Files {
    fn segments(&self) -> u16 {
        self.files.len() as u16
    }

    fn length(&self, segment: u16) -> io::Result<u64> {
        self.files.get(usize::from(segment) - 1).map(|piece| piece.size).ok_or(io::ErrorKind::NotFound.into())
    }

    fn read_at(&self, segment: u16, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.get(usize::from(segment) - 1)?.read_exact_at(buffer, offset)
    }
}
