//! The bytes of containers: files, images, files in file systems, files that were unpacked.

use super::spool::Spool;
use pfh_source::image::{Format, Image};
use pfh_source::os::stat_path;
use pfh_source::{Cause, Problem, Stage, Stat, Still};
use pfh_volume::{Bytes, Run};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is read at any position.
pub struct File(pub Arc<Still>);

impl Bytes for File {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }
}

/// The medium of an image.
pub struct ImageMedium(pub Image);

impl Bytes for ImageMedium {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn is_decoded(&self) -> bool {
        !matches!(self.0.format(), Format::Raw | Format::Split)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_bytes_at(offset, buffer)
    }
}

/// A file in a file system, where it lies.
pub struct Runs {
    of: Arc<dyn Bytes>,
    runs: Vec<Run>,
    size: u64,
}

impl Runs {
    /// The file of these runs, which are in order; gaps between them are zeros.
    pub fn new(of: Arc<dyn Bytes>, mut runs: Vec<Run>, size: u64) -> Runs {
        runs.sort_by_key(|run| run.file_offset);
        Runs { of, runs, size }
    }
}

impl Bytes for Runs {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        if left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let after = self.runs.partition_point(|run| run.file_offset <= offset);
        let next = self.runs.get(after).map_or(self.size, |run| run.file_offset).min(self.size);
        let here = after.checked_sub(1).map(|at| self.runs[at]);
        let here = here.filter(|run| offset - run.file_offset < run.length);
        let (medium, end) = match here {
            Some(run) => (run.medium_offset, run.file_offset.saturating_add(run.length).min(self.size)),
            None => (None, next),
        };
        let room = usize::try_from(end - offset).unwrap_or(usize::MAX).min(buffer.len());
        match (medium, here) {
            (Some(start), Some(run)) => self.of.read_at(start + (offset - run.file_offset), &mut buffer[..room]),
            _ => {
                buffer[..room].fill(0);
                Ok(room)
            }
        }
    }
}

/// The unpacked bytes of a container.
pub struct SpooledMedium(pub Arc<Spool>);

impl Bytes for SpooledMedium {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }
}

/// The files that a container consists of, as they were when it was opened: bytes that are read of
/// them later count only if the files are unchanged.
pub enum Watch {
    /// A file.
    File(Arc<Still>),
    /// The files of an image: size, modification and change of each.
    Files(Vec<(PathBuf, Stamp)>),
    /// Those of several media.
    All(Vec<Arc<Watch>>),
}

/// Device, inode, size, mode, modification time, change time.
type Stamp = Stat;

fn stamp(path: &Path) -> io::Result<Stamp> {
    Ok(Stat { atime: (0, 0), ..stat_path(path)?.0 })
}

impl Watch {
    /// Watches the files of an image.
    ///
    /// # Errors
    /// The system's.
    pub fn image(image: &Image) -> io::Result<Watch> {
        let stamps = image.paths().map(|path| Ok((path.to_owned(), stamp(path)?)));
        Ok(Watch::Files(stamps.collect::<io::Result<_>>()?))
    }

    /// The device (`st_dev`) that the first of them is on; of a block device it is that device.
    pub fn device(&self) -> Option<u64> {
        match self {
            Watch::All(all) => all.first()?.device(),
            Watch::File(still) => Some(still.device()),
            Watch::Files(files) => {
                let (found, number) = stat_path(&files.first()?.0).ok()?;
                Some(if number == 0 { found.device } else { number })
            }
        }
    }

    /// Whether nothing has changed.
    ///
    /// # Errors
    /// [`Cause::Changed`], of the container.
    pub fn unchanged(&self) -> Result<(), Problem> {
        let same = match self {
            Watch::All(all) => all.iter().try_for_each(|watch| watch.unchanged()),
            Watch::File(still) => still.unchanged(),
            Watch::Files(files) => {
                let changed = files.iter().any(|(path, before)| stamp(path).ok() != Some(*before));
                if changed { Err(Problem::new(Stage::Check, Cause::Changed("the container"))) } else { Ok(()) }
            }
        };
        same.map_err(|problem| match problem.cause {
            Cause::Changed(_) => Problem::new(Stage::Check, Cause::Changed("the container")),
            _ => problem,
        })
    }
}
