//! The request for an export.

use crate::job::Error;
use crate::outputs::Outputs;
use std::path::PathBuf;

/// A result that is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The result; `-` is standard input.
    pub result: PathBuf,
    /// Files that the caller writes of the events: refused where one is the result.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced; never the result.
    pub replace: bool,
}

impl Request {
    /// This result.
    pub fn new(result: impl Into<PathBuf>) -> Request {
        Request { result: result.into(), outputs: Outputs::default(), replace: false }
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Whether the run may start: nothing is read.
    ///
    /// # Errors
    /// When an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        outputs.reads(&self.result);
        Ok(outputs.check()?)
    }
}
