//! The files of an image, found by their names and read as one.

use crate::os;
use pfh_format::image::ewf::{ReadAt, extension};
use pfh_format::image::split::Suffix;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Open files, in order.
pub(super) struct Files {
    files: Vec<(PathBuf, File, u64)>,
}

/// The segments of an E01 image, by the name of the first: same stem, extensions counted up, in the first's case.
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

/// The pieces of a split raw image, by the name of the first; just that one if its name is not a first piece's.
pub(super) fn next_pieces(first: &Path) -> Vec<PathBuf> {
    let mut found = vec![first.to_owned()];
    let Some(suffix) = first.extension().and_then(|e| e.to_str()) else { return found };
    let kinds = [Suffix::Digits, Suffix::DigitsFromOne, Suffix::Letters];
    let width = suffix.len();
    let Some(kind) = kinds.into_iter().find(|k| width >= 2 && k.of(0, width).as_deref() == Some(suffix)) else {
        return found;
    };
    for number in 1.. {
        let Some(next) = kind.of(number, width).map(|suffix| first.with_extension(suffix)) else { break };
        if !next.is_file() {
            break;
        }
        found.push(next);
    }
    found
}

impl Files {
    pub(super) fn open(paths: &[PathBuf]) -> Result<Self, (PathBuf, io::Error)> {
        let open = |path: &PathBuf| {
            let file = File::open(path)?;
            let size = match os::device_size(&file) {
                Ok(size) => size,
                Err(_) => file.metadata()?.len(),
            };
            Ok((path.clone(), file, size))
        };
        let files = paths.iter().map(|path| open(path).map_err(|error| (path.clone(), error)));
        Ok(Files { files: files.collect::<Result<_, _>>()? })
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _, _)| path.as_path())
    }

    pub(super) fn total(&self) -> u64 {
        self.files.iter().map(|(_, _, size)| size).sum()
    }

    pub(super) fn evict(&self) -> io::Result<()> {
        self.files.iter().try_for_each(|(_, file, _)| Ok(os::evict(file.as_fd())?))
    }

    /// Reads from the files one after the other, as one raw image.
    pub(super) fn read_through(&self, buffer: &mut [u8], mut offset: u64) -> io::Result<usize> {
        for (_, file, size) in &self.files {
            if offset < *size {
                let room = buffer.len().min((size - offset) as usize);
                return match os::read_at(file.as_fd(), &mut buffer[..room], offset)? {
                    // Shorter than when it was opened.
                    0 => Err(io::ErrorKind::UnexpectedEof.into()),
                    got => Ok(got),
                };
            }
            offset -= size;
        }
        Ok(0)
    }
}

impl ReadAt for Files {
    fn segments(&self) -> u16 {
        self.files.len() as u16
    }

    fn length(&self, segment: u16) -> io::Result<u64> {
        self.files.get(usize::from(segment) - 1).map(|(_, _, size)| *size).ok_or(io::ErrorKind::NotFound.into())
    }

    fn read_at(&self, segment: u16, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let (_, file, _) = self.files.get(usize::from(segment) - 1).ok_or(io::ErrorKind::NotFound)?;
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
    }
}
