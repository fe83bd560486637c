//! What is asked of an export.

use crate::destination::Destination;
use crate::outputs::Outputs;
use pfh_report::export::Form;
use std::path::PathBuf;

/// A result, and what it becomes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The result; `-` is standard input.
    pub result: PathBuf,
    /// The form.
    pub to: Form,
    /// Where it goes.
    pub output: Destination,
    /// Whether an existing file is replaced; never the result.
    pub replace: bool,
}

impl Request {
    /// A result in this form, on standard output.
    pub fn new(result: impl Into<PathBuf>, to: Form) -> Request {
        Request { result: result.into(), to, output: Destination::default(), replace: false }
    }

    /// Writes to this destination.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Replaces an existing file of the output's name.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// What is read and written.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads(&self.result).file("--output", self.output.path());
        outputs
    }
}
