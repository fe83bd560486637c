//! The directory that the test makes for itself, in the one that is tested.

use super::problem::Problem;
use super::row::{Group, Row, Standing};
use crate::job::{Error, PathError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory of a name that nothing had, which goes with all that is in it when it is dropped.
pub(super) struct Room(TempDir);

impl Room {
    /// Makes one in this directory.
    ///
    /// # Errors
    /// When that is not there, is no directory, or nothing can be made in it.
    pub fn open(directory: &Path) -> Result<Room, Error> {
        let about = |why: Problem| PathError::new(directory, why);
        match std::fs::metadata(directory) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(Error::request(about(Problem::NoDirectory))),
            Err(error) => return Err(Error::input(PathError::new(directory, error))),
        }
        let made = tempfile::Builder::new().prefix(".pfh-selftest-").tempdir_in(directory);
        made.map(Room).map_err(|error| Error::output(about(Problem::Closed(cause(&error)))))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// A new directory for one question.
    ///
    /// # Errors
    /// The system's.
    pub fn part(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        std::fs::create_dir(&path)?;
        Ok(path)
    }

    /// Removes it; a row where something stays.
    pub fn close(self) -> Option<Row> {
        let path = self.path().to_owned();
        let error = self.0.close().err()?;
        let detail = format!("{} stays: {}", pfh_source::terminal::shown(&path), cause(&error));
        let row = Row::new(Group::Files, "removal", Standing::LessSafe, detail);
        Some(row.but("files that are removed stay, or names stay in use", "remove the directory by hand"))
    }
}

/// The system's words without the path that the standard library may put in front of them.
pub(super) fn cause(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.source()).map(ToString::to_string);
    crate::with_names(&inner.unwrap_or_else(|| error.to_string()))
}
