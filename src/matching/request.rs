//! The request of a run.

use super::Sets;
use crate::input::Input;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_engine::Plan;
use pfh_source::{Source, Volumes};
use std::sync::Arc;

/// Files, and the sets that they are compared with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The input.
    pub input: Input,
    /// The sets and digests that it is compared with.
    pub sets: Sets,
    /// How files are read. Its algorithms are those that the sets need.
    pub plan: Plan,
    /// Files that the caller writes of the events: refused where one is a file that is read.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
    /// Where file systems inside of images are added as they are met; each of their files then has
    /// the places of its bytes.
    pub volumes: Option<Arc<Volumes>>,
}

impl Request {
    /// These files against these sets.
    pub fn new(input: Input, sets: Sets) -> Request {
        let (plan, outputs) = (Plan::default(), Outputs::default());
        Request { input, sets, plan, outputs, replace: false, volumes: None }
    }

    /// Reads according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = self.input.share(plan);
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Whether the run may start. Nothing is read but lists of names.
    ///
    /// # Errors
    /// When the request makes no sense, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        self.input.streams_and(&self.sets.known)?;
        self.sets.check()?;
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        self.input.guard(outputs.reads_all(&self.sets.known));
        Ok(outputs.check()?)
    }

    /// The input.
    pub(super) fn source(&self) -> Result<Box<dyn Source>, Error> {
        Ok(self.input.source_in(self.volumes.as_ref())?)
    }
}
