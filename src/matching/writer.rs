//! Verdicts in a file or on standard output.

use super::{Event, Match, Problem, Request, Summary};
use crate::destination::Destination;
use crate::job::Error;
use pfh_engine::{Control, Outcome, Summary as Run};
use pfh_known::KnownStatus;
use pfh_manifest::Preamble;
use pfh_report::verdict::{Encoder, Format, KnownFacts, Paint};
use pfh_source::Output;
use std::io;

/// Which verdicts are written, how, and where they go.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verdicts {
    /// The verdicts that are written; all if there are none, and as text all but unknown if every
    /// set is of the bad.
    pub only: Vec<KnownStatus>,
    /// Their format.
    pub form: Format,
    /// Where they go.
    pub output: Destination,
    /// How their words look in text on standard output; as they are if there is none.
    pub paint: Option<Paint>,
    /// The command line that the head records, for formats that have one.
    pub command_line: Option<Vec<u8>>,
}

impl Verdicts {
    /// All as text, to this destination.
    pub fn new(output: impl Into<Destination>) -> Verdicts {
        Verdicts { only: Vec::new(), form: Format::Text, output: output.into(), paint: None, command_line: None }
    }

    /// In this format.
    #[must_use]
    pub fn form(mut self, form: Format) -> Verdicts {
        self.form = form;
        self
    }

    /// These verdicts only.
    #[must_use]
    pub fn only(mut self, only: Vec<KnownStatus>) -> Verdicts {
        self.only = only;
        self
    }

    /// Prepares a request for this writer: its outputs have the file, and of a format with places
    /// the file systems inside of images are kept.
    pub fn place(&self, request: &mut Request) {
        request.outputs.file("output", self.output.path());
        if self.form == Format::Dfxml && request.input.is_inside() {
            request.volumes.get_or_insert_default();
        }
    }

    /// The output, whose room takes colours if there are any.
    fn open(&self) -> Result<Output, crate::destination::OpenError> {
        let output = self.output.open()?;
        // Colour must reach the terminal; names and causes in text are rendered one by one.
        Ok(if self.painted().is_some() { output.rendered() } else { output })
    }

    fn painted(&self) -> Option<Paint> {
        self.paint.filter(|_| self.form == Format::Text && self.output.path().is_none())
    }
}

/// Writes the results of a run as its events come. The file appears whole or not at all, when the
/// writer is [finished](Writer::finish).
pub struct Writer<'a> {
    verdicts: &'a Verdicts,
    request: &'a Request,
    /// None until the sets are open.
    open: Option<Open>,
    /// Why the output could not be opened.
    failed: Option<Error>,
}

struct Open {
    encoder: Encoder,
    output: Output,
    only: Vec<KnownStatus>,
    hits_only: bool,
    digests: usize,
    bytes: u64,
}

/// The state of the written verdicts.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct WrittenVerdicts {
    /// The result of the run.
    pub summary: Summary,
    /// Whether unknown files are not in the output, because all sets are of the bad.
    pub hits_only: bool,
}

impl<'a> Writer<'a> {
    /// Nothing is opened yet: the output is when the sets are open. `request` is that of the run,
    /// with the verdicts among its outputs.
    pub fn new(verdicts: &'a Verdicts, request: &'a Request) -> Writer<'a> {
        Writer { verdicts, request, open: None, failed: None }
    }

    /// Writes an event.
    ///
    /// # Errors
    /// The output's.
    pub fn take(&mut self, event: &Event<'_>) -> io::Result<()> {
        match (event, &mut self.open) {
            (Event::Opened { .. }, _) => self.begin(event).map_err(|error| {
                self.failed = Some(error);
                io::ErrorKind::Other.into()
            }),
            (Event::Match(found), Some(open)) => open.write(found),
            (Event::Idle, Some(open)) => io::Write::flush(&mut open.output),
            _ => Ok(()),
        }
    }

    /// Whether the output has a line for skipped entries.
    pub fn lists_skips(&self) -> bool {
        self.open.as_ref().is_none_or(|open| open.only.is_empty())
    }

    fn begin(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let &Event::Opened { reference, algorithms } = event else { return Ok(()) };
        let Verdicts { only, form, .. } = self.verdicts;
        let hits_only = only.is_empty() && *form == Format::Text && reference.is_of_the_bad();
        let all_but_unknown = || KnownStatus::ALL.into_iter().filter(|verdict| *verdict != KnownStatus::Unknown);
        let only = if hits_only { all_but_unknown().collect() } else { only.clone() };
        let mut output = self.verdicts.open()?;
        let mut encoder = Encoder::new(*form).painted(self.verdicts.painted());
        let preamble = Preamble {
            algorithms,
            command_line: self.verdicts.command_line.as_deref(),
            working_directory: None,
            base: None,
            version: env!("CARGO_PKG_VERSION"),
            start: None,
            volumes: self.request.volumes.as_ref(),
        };
        let head = encoder.head(output.room(), &preamble);
        head.map_err(|why| Error::request(Problem::Format { form: *form, why }))?;
        self.open = Some(Open { encoder, output, only, hits_only, digests: algorithms.len(), bytes: 0 });
        Ok(())
    }

    /// Ends the output and commits it. An interrupted run ends the output after whole records,
    /// without its end; a file gets no name.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(self, summary: &Summary) -> Result<WrittenVerdicts, Error> {
        let Some(Open { mut encoder, mut output, hits_only, bytes, .. }) = self.open else {
            return Ok(WrittenVerdicts { summary: *summary, hits_only: false });
        };
        let run = &summary.run;
        if run.interrupted {
            io::Write::flush(&mut output).map_err(Error::Sink)?;
        } else {
            let failed = summary.counts.of(KnownStatus::Error);
            let hashed = summary.counts.words().iter().map(|(_, count)| count).sum::<u64>() - failed;
            let counts = Run { hashed, bytes, failed, skipped: run.skipped, ..Run::default() };
            encoder.tail(output.room(), &summary.counts.words(), &counts);
            output.commit().map_err(Error::Sink)?;
        }
        Ok(WrittenVerdicts { summary: *summary, hits_only })
    }

    /// The run ended before its time, for this reason or because the output could not be opened. No
    /// file appears.
    pub fn abandon(self, error: Error) -> Error {
        self.failed.unwrap_or(error)
    }
}

impl Open {
    fn write(&mut self, found: &Match<'_>) -> io::Result<()> {
        let is_wanted = match found.verdict {
            None => self.only.is_empty(),
            Some(verdict) => self.only.is_empty() || self.only.contains(&verdict),
        };
        if let Outcome::Hashed(hashed) = &found.record.outcome {
            self.bytes += hashed.closed.size;
        }
        if is_wanted {
            let (record, verdict, empty) = (found.record, found.word(), found.answer.empty);
            let known = KnownFacts { record, verdict, places: &found.places(), empty };
            self.encoder.row(self.output.room(), &known, self.digests);
        }
        self.output.advance()
    }
}

/// Matches as [`run`](super::run()) does, and writes the verdicts. `events` come first.
///
/// # Errors
/// As [`run`](super::run()); when the format cannot hold the algorithms, or the output fails.
pub fn write(
    request: &Request,
    verdicts: &Verdicts,
    events: &mut super::Events<'_>,
    control: &Control<'_>,
) -> Result<WrittenVerdicts, Error> {
    let mut request = request.clone();
    verdicts.place(&mut request);
    let mut writer = Writer::new(verdicts, &request);
    let ran = super::run(
        &request,
        &mut |event| {
            events(event)?;
            writer.take(&event)
        },
        control,
    );
    match ran {
        Ok(summary) => writer.finish(&summary),
        Err(error) => Err(writer.abandon(error)),
    }
}
