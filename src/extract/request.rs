//! The members that are asked for, and the directory that they go to.

use super::problem::Problem;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_source::Levels;
use std::ffi::OsString;
use std::path::PathBuf;

/// How much may be written: a container of a few kilobytes can expand to petabytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together.
    pub bytes: u64,
    /// Number of files.
    pub files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 40, files: 10_000_000 }
    }
}

/// An image or archive, its wanted members, and the directory to write below.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The image or archive.
    pub image: PathBuf,
    /// Members or directories in it, as `list` prints them, with or without the name of the image
    /// in front; none for all.
    pub members: Vec<Vec<u8>>,
    /// The directory: it is made, or is there and empty.
    pub to: PathBuf,
    /// How much may be written.
    pub limits: Limits,
    /// How containers are opened: limits, keys, deleted files.
    pub inside: crate::inside::Options,
    /// How much findings count.
    pub levels: Levels,
}

impl Request {
    /// All live members of this image or archive; archives in it stay files.
    pub fn new(image: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Request {
        let mut inside = crate::inside::Options::default();
        inside.limits.depth = 1;
        let (members, limits, levels) = (Vec::new(), Limits::default(), Levels::new());
        Request { image: image.into(), members, to: to.into(), limits, inside, levels }
    }

    /// Gives findings these levels.
    #[must_use]
    pub fn levels(mut self, levels: Levels) -> Request {
        self.levels = levels;
        self
    }

    /// These members alone, and those below them. Each container in a name is opened.
    #[must_use]
    pub fn members(mut self, members: Vec<Vec<u8>>) -> Request {
        for name in &members {
            let deep = name.windows(2).filter(|pair| pair == b"!/").count() as u32 + 1;
            self.inside.limits.depth = self.inside.limits.depth.max(deep);
            self.inside.look_for(name);
        }
        self.members = members;
        self
    }

    /// Opens containers with these options.
    #[must_use]
    pub fn inside(mut self, inside: crate::inside::Options) -> Request {
        self.inside = inside;
        let members = std::mem::take(&mut self.members);
        self.members(members)
    }

    /// Writes no more than this.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Request {
        self.limits = limits;
        self
    }

    /// The image as an input of a job.
    pub(super) fn input(&self) -> Input {
        let mut input = Input::new([OsString::from(self.image.clone())]);
        input.inside = Some(self.inside.clone());
        input
    }

    /// Whether the run may start: nothing is written.
    ///
    /// # Errors
    /// When the directory is a file, holds something, or cannot be made.
    pub fn check(&self) -> Result<(), Error> {
        let input = self.input();
        input.check()?;
        let mut outputs = Outputs::new(false);
        outputs.writes("to", &self.to, Kind::Directory, Existing::Welcome);
        input.guard(&mut outputs);
        match std::fs::read_dir(&self.to).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(Error::request(Problem::NotEmpty(self.to.clone()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                return Err(Error::request(Problem::NoDirectory(self.to.clone())));
            }
            _ => {}
        }
        Ok(outputs.check()?)
    }
}
