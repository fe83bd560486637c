//! Records against known sets, written as verdicts: a verdict costs look-ups, and no second read.

use super::Reference;
use crate::hash::{About, kind, times};
use crate::problem::failed;
use pfh_engine::{Hashed, Outcome, Record};
use pfh_known::Verdict;
use pfh_manifest::{self as format, Kind, Preamble, Row, Summary, Unrepresentable};
use pfh_report::verdict::{Encoder, Form, Known};
use pfh_source::Output;
use std::io;

/// How many files have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Verdict::ALL.len()]);

impl Counts {
    /// Those with this verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.0[verdict as usize]
    }

    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Every verdict's word with its number.
    pub fn words(&self) -> Vec<(&'static str, u64)> {
        Verdict::ALL.iter().map(|verdict| (verdict.name(), self.of(*verdict))).collect()
    }
}

/// Writes what is known of each record.
pub struct Matching {
    reference: Reference,
    only: Vec<Verdict>,
    encoder: Encoder,
    output: Output,
    digests: usize,
    bytes: u64,
    counts: Counts,
}

impl Matching {
    /// Starts the output. `only` are the verdicts that are written; all where it is empty. What is not written counts all the same.
    ///
    /// # Errors
    /// When the format cannot hold the algorithms.
    pub fn open(
        reference: Reference,
        only: &[Verdict],
        form: Form,
        about: &About,
        mut output: Output,
    ) -> Result<Self, Unrepresentable> {
        let mut encoder = Encoder::new(form);
        let preamble = Preamble {
            algorithms: &about.algorithms,
            command_line: about.command_line.as_deref(),
            working_directory: about.working_directory.as_deref(),
            base: None,
            version: &about.version,
            start: None,
        };
        encoder.head(output.room(), &preamble)?;
        let (only, digests) = (only.to_vec(), about.algorithms.len());
        Ok(Matching { reference, only, encoder, output, digests, bytes: 0, counts: Counts::default() })
    }

    /// Takes a record. Only one that was read to its end gets an answer of the sets.
    ///
    /// # Errors
    /// The output's, and a known set that cannot be read or was damaged: no verdict after that would be worth anything.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match &record.outcome {
            Outcome::Hashed(hashed) => self.hashed(&record.name, hashed)?,
            Outcome::Skipped(skip) => {
                self.problem(format::Problem::skipped(&record.name, skip.reason()), "skipped", self.only.is_empty())
            }
            Outcome::Failed(found) => {
                let cause = found.cause.to_string();
                let problem = failed(&record.name, found, &cause);
                self.counts.add(Verdict::Error);
                let told = self.tells(Verdict::Error);
                self.problem(problem, Verdict::Error.name(), told);
            }
        }
        self.output.advance()
    }

    /// Whether the output has a line for what was skipped.
    pub fn lists_skips(&self) -> bool {
        self.only.is_empty()
    }

    fn tells(&self, verdict: Verdict) -> bool {
        self.only.is_empty() || self.only.contains(&verdict)
    }

    fn problem(&mut self, problem: format::Problem<'_>, word: &str, told: bool) {
        if told {
            let row = Row { name: problem.name, ..Row::default() };
            let known = Known { row, verdict: word, problem: Some(problem), ..Known::default() };
            self.encoder.row(self.output.room(), &known, self.digests);
        }
    }

    fn hashed(&mut self, name: &[u8], hashed: &Hashed) -> io::Result<()> {
        let answer = self.reference.ask(&hashed.digests).map_err(io::Error::other)?;
        let verdict = self.reference.verdict(&answer);
        self.counts.add(verdict);
        self.bytes += hashed.closed.size;
        if self.tells(verdict) {
            let row = Row {
                name,
                size: hashed.closed.size,
                digests: &hashed.digests,
                times: hashed.closed.stat.as_ref().map(times).unwrap_or_default(),
                kind: hashed.closed.stat.as_ref().map_or(Kind::Stream, kind),
                ..Row::default()
            };
            let places = self.reference.places(&answer);
            let known = Known { row, verdict: verdict.name(), problem: None, places: &places, empty: answer.empty };
            self.encoder.row(self.output.room(), &known, self.digests);
        }
        Ok(())
    }

    /// Lets out what is buffered.
    ///
    /// # Errors
    /// The output's.
    pub fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut self.output)
    }

    /// How many files have each verdict so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Ends the output and commits it.
    ///
    /// # Errors
    /// The output's; nothing counts as written when there is one.
    pub fn finish(mut self, skipped: u64) -> io::Result<Counts> {
        let failed = self.counts.of(Verdict::Error);
        let files = self.counts.words().iter().map(|(_, count)| count).sum::<u64>() - failed;
        let summary = Summary { files, bytes: self.bytes, failed, skipped };
        self.encoder.tail(self.output.room(), &self.counts.words(), &summary);
        self.output.commit()?;
        Ok(self.counts)
    }
}
