//! The page: one file that needs nothing else.

use super::event::Event;
use crate::job::{Error, PathError};
use pfh_source::Output;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the page of a case. The file appears whole or not at all, when the writer is
/// [finished](Writer::finish).
#[derive(Debug)]
pub struct Writer {
    page: PathBuf,
    text: Vec<u8>,
}

impl Writer {
    /// A page of this name.
    pub fn new(page: &Path) -> Writer {
        Writer { page: page.to_owned(), text: Vec::new() }
    }

    /// Draws the page, if the event has all that is on it.
    pub fn take(&mut self, event: &Event<'_>) {
        if let Event::Case(case) = event {
            self.text.clear();
            case.render(&mut self.text);
        }
    }

    /// Writes the page.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(self) -> Result<(), Error> {
        let put = || {
            let mut output = Output::file(&self.page)?;
            output.write_all(&self.text)?;
            output.commit()
        };
        put().map_err(|error| Error::output(PathError::new(&self.page, error)))
    }
}
