//! The request of a run.

use crate::compare::Thresholds;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_engine::{DEFAULT_MEMORY, Plan};
use std::path::PathBuf;

/// Files, and the digests that they are compared with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The input.
    pub input: Input,
    /// A list of similarity digests, or an index made of one.
    pub list: PathBuf,
    /// The algorithm, if the list holds several; otherwise that of its first record.
    pub algorithm: Option<crate::Algorithm>,
    /// The score that a match must reach.
    pub thresholds: Thresholds,
    /// Where an index of the list is written (ssdeep, TLSH, windows and strings). Without an input
    /// nothing else is done.
    pub write_index: Option<PathBuf>,
    /// Whether matches of saturated sdhash digests are results.
    pub saturated: bool,
    /// How files are read. Its algorithm is that of the list.
    pub plan: Plan,
    /// Bytes for reading and sorting the list.
    pub memory: usize,
    /// Files that the caller writes of the events: refused where one is a file that is read.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// All matches.
    pub fn new(input: Input, list: impl Into<PathBuf>) -> Request {
        Request {
            input,
            list: list.into(),
            algorithm: None,
            thresholds: Thresholds::one(None),
            write_index: None,
            saturated: false,
            plan: Plan::default(),
            memory: DEFAULT_MEMORY,
            outputs: Outputs::default(),
            replace: false,
        }
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Makes an index of the list.
    #[must_use]
    pub fn write_index(mut self, index: impl Into<PathBuf>) -> Request {
        self.write_index = Some(index.into());
        self
    }

    /// Whether the run may start. Nothing is read but lists of names.
    ///
    /// # Errors
    /// When the request makes no sense, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        // An index is made without an input.
        if self.input.is_named() || self.write_index.is_none() {
            self.input.streams_and([&self.list])?;
        }
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        outputs.file("write-index", self.write_index.as_ref());
        self.input.guard(outputs.reads(&self.list));
        Ok(outputs.check()?)
    }
}
