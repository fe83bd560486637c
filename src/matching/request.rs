//! What a run is asked for.

use super::Sets;
use crate::destination::Destination;
use crate::hash::About;
use crate::input::Input;
use crate::outputs::Outputs;
use pfh_digest::Algorithm;
use pfh_engine::Plan;
use pfh_known::KnownStatus;
use pfh_report::verdict::{Format, Paint};

/// Files, what they are compared with, and how verdicts are written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is read.
    pub input: Input,
    /// What it is compared with.
    pub sets: Sets,
    /// How files are read. Its algorithms are those that the sets need.
    pub plan: Plan,
    /// The verdicts that are written; all if there are none, and as text all but unknown if every
    /// set is of the bad.
    pub only: Vec<KnownStatus>,
    /// What verdicts are written in.
    pub form: Format,
    /// How their words are shown in text on standard output; as they are if there is none.
    pub paint: Option<Paint>,
    /// Where they go.
    pub output: Destination,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// All verdicts as text on standard output.
    pub fn new(input: Input, sets: Sets) -> Request {
        let (plan, output, only) = (Plan::default(), Destination::default(), Vec::new());
        Request { input, sets, plan, only, form: Format::Text, paint: None, output, replace: false }
    }

    /// Reads according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// Writes these verdicts only.
    #[must_use]
    pub fn only(mut self, only: Vec<KnownStatus>) -> Request {
        self.only = only;
        self
    }

    /// Writes this format.
    #[must_use]
    pub fn form(mut self, form: Format) -> Request {
        self.form = form;
        self
    }

    /// Shows the words of verdicts so, in text on standard output.
    #[must_use]
    pub fn paint(mut self, paint: Option<Paint>) -> Request {
        self.paint = paint;
        self
    }

    /// Writes to this destination.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// What is read and written.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--output", self.output.path());
        self.input.guard(outputs.reads_all(&self.sets.known));
        outputs
    }

    /// What the output records of the run.
    pub(super) fn about(&self, algorithms: &[Algorithm]) -> About {
        let mut words: Vec<Vec<u8>> = vec![b"pfh match".to_vec()];
        for known in &self.sets.known {
            words.push([b"--known ", known.as_os_str().as_encoded_bytes()].concat());
        }
        words.extend(self.sets.digests.iter().map(|digest| format!("--digest {digest}").into_bytes()));
        words.extend(self.input.words());
        words.extend(self.input.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
        About {
            algorithms: algorithms.to_vec(),
            command_line: Some(words.join(&b' ')),
            working_directory: None,
            base: None,
            version: env!("CARGO_PKG_VERSION").into(),
            volumes: None,
        }
    }
}
