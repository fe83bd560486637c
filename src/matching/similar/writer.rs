//! Matches in a file or on standard output.

use super::{Event, Match, Request, Summary};
use crate::destination::Destination;
use crate::job::Error;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_report::pairs::{self, Format, Pair};
use pfh_similarity::{Chance, MethodName};
use pfh_source::Output;
use std::io;

/// How matches are written, and where they go.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Matches {
    /// Their format.
    pub form: Format,
    /// Where they go.
    pub output: Destination,
}

impl Matches {
    /// As text, to this destination.
    pub fn new(output: impl Into<Destination>) -> Matches {
        Matches { form: Format::Text, output: output.into() }
    }

    /// In this format.
    #[must_use]
    pub fn form(mut self, form: Format) -> Matches {
        self.form = form;
        self
    }

    /// Names the output.
    pub fn guard(&self, outputs: &mut Outputs) {
        outputs.file("output", self.output.path());
    }
}

/// Writes the results of a run as its events come. The file appears whole or not at all, when the
/// writer is [finished](Writer::finish).
pub struct Writer<'a> {
    matches: &'a Matches,
    request: &'a Request,
    /// None until the list is read.
    output: Option<Output>,
    /// Why the output could not be opened.
    failed: Option<Error>,
}

impl<'a> Writer<'a> {
    /// Nothing is opened yet: the output is when the list is read. `request` is that of the run,
    /// with the matches among its outputs.
    pub fn new(matches: &'a Matches, request: &'a Request) -> Writer<'a> {
        Writer { matches, request, output: None, failed: None }
    }

    /// Writes an event.
    ///
    /// # Errors
    /// The output's.
    pub fn take(&mut self, event: &Event<'_>) -> io::Result<()> {
        match (event, &mut self.output) {
            (Event::Opened, _) => {
                let mut output = self.matches.output.open().map_err(|error| {
                    let kind = error.error.kind();
                    self.failed = Some(error.into());
                    kind
                })?;
                pairs::head(self.matches.form, output.room());
                self.output = Some(output);
                Ok(())
            }
            (Event::Match(found), Some(output)) => {
                pair(self.matches.form, self.request, found, output);
                output.advance()
            }
            (Event::Idle, Some(output)) => io::Write::flush(output),
            _ => Ok(()),
        }
    }

    /// The output is complete; of an interrupted run as far as it goes, and a file gets no name.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(self, summary: &Summary) -> Result<(), Error> {
        let Some(mut output) = self.output else { return Ok(()) };
        let interrupted = summary.run.is_some_and(|run| run.interrupted);
        let written = if interrupted { io::Write::flush(&mut output) } else { output.commit() };
        written.map_err(Error::Sink)
    }

    /// The run ended before its time, for this reason or because the output could not be opened. No
    /// file appears.
    pub fn abandon(self, error: Error) -> Error {
        self.failed.unwrap_or(error)
    }
}

fn pair(form: Format, request: &Request, found: &Match<'_>, output: &mut Output) {
    let Match { name, known, algorithm, score, evidence, degenerate, .. } = *found;
    // `ssdeep -m` names the list in front of the name.
    let with_list = form == Format::Text && MethodName::of(algorithm).is_none_or(|method| method == MethodName::Ssdeep);
    let list = request.list.as_os_str().as_encoded_bytes();
    let known = if with_list { [list, b":", known].concat() } else { known.to_vec() };
    let own = if form == Format::Values { found.digest.to_string() } else { String::new() };
    let (a, b) = if with_list { (&known[..], name) } else { (name, &known[..]) };
    let values = [&*own, found.value];
    // The size of the known one is in no list.
    let chance = MethodName::of(algorithm).and_then(|method| Chance::of(method, None, None, score));
    pairs::pair(form, output.room(), &Pair { a, b, algorithm, score, evidence, chance, degenerate, values });
}

/// Matches as [`run`](super::run()) does, and writes the matches. `events` come first.
///
/// # Errors
/// As [`run`](super::run()); when the output fails.
pub fn write(
    request: &Request,
    matches: &Matches,
    events: &mut super::Events<'_>,
    control: &Control<'_>,
) -> Result<Summary, Error> {
    let mut request = request.clone();
    matches.guard(&mut request.outputs);
    let mut writer = Writer::new(matches, &request);
    let ran = super::run(
        &request,
        &mut |event| {
            events(event)?;
            writer.take(&event)
        },
        control,
    );
    match ran {
        Ok(summary) => writer.finish(&summary).map(|()| summary),
        Err(error) => Err(writer.abandon(error)),
    }
}
