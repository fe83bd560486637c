//! The request for a report.

use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_source::Recurse;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Results that are read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Results, and folders with results.
    pub paths: Vec<OsString>,
    /// The heading of the page.
    pub title: String,
    /// The line that asked for it, as it stands on the page; empty if there was none.
    pub command: String,
    /// The file of the public key that seals and logs must be signed with.
    pub key: Option<PathBuf>,
    /// Files that the caller writes of the events: they may be in one of the folders, where they
    /// are not read.
    pub outputs: Outputs,
    /// Whether existing files of the outputs' names are replaced; never one of the results.
    pub replace: bool,
}

impl Request {
    /// These results.
    pub fn new(paths: impl IntoIterator<Item = impl Into<OsString>>) -> Request {
        Request {
            paths: paths.into_iter().map(Into::into).collect(),
            title: "Report of a case".to_owned(),
            command: String::new(),
            key: None,
            outputs: Outputs::default(),
            replace: false,
        }
    }

    /// Whether the run may start. Nothing is read but the key.
    ///
    /// # Errors
    /// When nothing is named, an output is in the way, or the key is none.
    pub fn check(&self) -> Result<(), Error> {
        self.input().check()?;
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        outputs.reads_apart(self.paths.iter().map(Path::new)).reads_apart(&self.key);
        outputs.check()?;
        self.check_key()
    }

    /// A key that is none must not look like a seal that does not hold.
    #[cfg(any(feature = "audit", feature = "image"))]
    fn check_key(&self) -> Result<(), Error> {
        let Some(path) = &self.key else { return Ok(()) };
        crate::key::verifying(path).map(drop).map_err(|error| Error::request(crate::job::PathError::new(path, error)))
    }

    #[cfg(not(any(feature = "audit", feature = "image")))]
    fn check_key(&self) -> Result<(), Error> {
        Ok(())
    }

    /// The input.
    pub(super) fn input(&self) -> Input {
        Input::new(&self.paths).recurse(Recurse::Yes)
    }
}
