//! Files that are pieces of one because something else than their names says so.

use super::error::OpenError;
use super::files::Files;
use super::{Format, Image};
use std::path::PathBuf;

impl Image {
    /// Opens these files as the pieces of one. Their names have no effect.
    ///
    /// # Errors
    /// When a file cannot be opened.
    pub fn join(paths: &[PathBuf]) -> Result<Self, OpenError> {
        let files = Files::open(paths).map_err(|(path, error)| OpenError::Io { path, error })?;
        let size = files.total();
        Ok(Self::with(files, Format::Split, size, None))
    }

    /// Where the files that it consists of start in the joined bytes.
    pub fn starts(&self) -> Vec<u64> {
        self.files.starts()
    }
}
