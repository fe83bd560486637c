//! The turn of a run at a file that several runs replace: tokens, each of which is good for one.

use super::files::unread;
use super::{Error, Problem};
use pfh_source::{Document, os};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// How long a file that another run has is waited for, and how often it is looked at.
const PATIENCE: u32 = 1500;
const STEP: Duration = Duration::from_millis(20);

/// A file that several runs may replace, opened for this one: the others wait until it is closed.
///
/// # Errors
/// When it cannot be read, or another run does not let go of it.
pub fn taken(path: &Path) -> Result<File, Error> {
    for _ in 0..PATIENCE {
        let file = Document::file(path).map_err(unread(path))?.into_file();
        // The run that had it has put another file in its place.
        let is_it = |now: &pfh_source::Stat, had: &pfh_source::Stat| now.identity() == had.identity();
        if os::try_lock(&file) {
            let had = os::stat(&file).map_err(|errno| unread(path)(errno.into()))?;
            if os::stat_path(path).is_ok_and(|(now, _)| is_it(&now, &had)) {
                return Ok(file);
            }
        }
        std::thread::sleep(STEP);
    }
    Err(Problem::Read { path: path.to_owned(), why: "another run has it".to_owned() }.into())
}
