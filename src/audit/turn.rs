//! The turn of a run at a file that several runs replace: a token is good for one audit.

use super::files::unread;
use super::{Error, Problem};
use crate::beside::{Busy, LockedFile};
use pfh_source::Document;
use std::path::Path;
use std::time::Duration;

/// How long a file that another run has is waited for, and how often it is looked at.
const PATIENCE: u32 = 1500;
const STEP: Duration = Duration::from_millis(20);

/// A file that several runs may replace, locked for this one: the others wait until it is let go.
///
/// # Errors
/// When it cannot be read, or another run does not let go of it.
pub fn taken(path: &Path) -> Result<LockedFile, Error> {
    for _ in 0..PATIENCE {
        match LockedFile::at(path) {
            Ok(Some(held)) => return Ok(held),
            Ok(None) => drop(Document::file(path).map_err(unread(path))?),
            Err(Busy) => {}
        }
        std::thread::sleep(STEP);
    }
    Err(Problem::Read { path: path.to_owned(), why: "another run has it".to_owned() }.into())
}
