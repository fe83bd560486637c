//! Records against known sets, written as verdicts: a verdict costs look-ups, and no second read.

use super::Reference;
use crate::hash::About;
use pfh_engine::{Hashed, Outcome, Record, Summary};
use pfh_known::KnownStatus;
use pfh_manifest::{Preamble, Unrepresentable};
use pfh_report::verdict::{Encoder, Format, Known, Paint};
use pfh_source::Output;
use std::io;

/// How many files have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; KnownStatus::ALL.len()]);

impl Counts {
    /// Those with this verdict.
    pub fn of(&self, verdict: KnownStatus) -> u64 {
        self.0[verdict as usize]
    }

    /// Counts one more.
    pub fn add(&mut self, verdict: KnownStatus) {
        self.0[verdict as usize] += 1;
    }

    /// Whether any of these verdicts was given. That something is unknown counts only if all sets
    /// could be read (`complete`): what was found stays found.
    pub fn fails(&self, verdicts: &[KnownStatus], complete: bool) -> bool {
        verdicts.iter().any(|verdict| self.of(*verdict) > 0 && (complete || *verdict != KnownStatus::Unknown))
    }

    /// Every verdict's word with its number.
    pub fn words(&self) -> Vec<(&'static str, u64)> {
        KnownStatus::ALL.iter().map(|verdict| (verdict.name(), self.of(*verdict))).collect()
    }
}

/// Writes what is known of each record.
pub struct Matching {
    reference: Reference,
    only: Vec<KnownStatus>,
    encoder: Encoder,
    output: Output,
    digests: usize,
    bytes: u64,
    counts: Counts,
}

impl Matching {
    /// Starts the output. `only` are the verdicts that are written; all where it is empty. What is
    /// not written counts all the same.
    ///
    /// # Errors
    /// When the format cannot hold the algorithms.
    pub fn open(
        reference: Reference,
        only: &[KnownStatus],
        form: Format,
        about: &About,
        paint: Option<Paint>,
        mut output: Output,
    ) -> Result<Self, Unrepresentable> {
        let mut encoder = Encoder::new(form).painted(paint);
        let preamble = Preamble {
            algorithms: &about.algorithms,
            command_line: about.command_line.as_deref(),
            working_directory: about.working_directory.as_deref(),
            base: None,
            version: &about.version,
            start: None,
            volumes: about.volumes.as_ref(),
        };
        encoder.head(output.room(), &preamble)?;
        let (only, digests) = (only.to_vec(), about.algorithms.len());
        Ok(Matching { reference, only, encoder, output, digests, bytes: 0, counts: Counts::default() })
    }

    /// Takes a record. Only one that was read to its end gets an answer of the sets.
    ///
    /// # Errors
    /// The output's, and a known set that cannot be read or was damaged: no verdict after that
    /// would be worth anything.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match &record.outcome {
            Outcome::Hashed(hashed) => self.hashed(record, hashed)?,
            Outcome::Skipped(_) if self.only.is_empty() => self.unhashed(record, "skipped"),
            Outcome::Skipped(_) => {}
            Outcome::Failed(_) => {
                self.counts.add(KnownStatus::Error);
                if self.tells(KnownStatus::Error) {
                    self.unhashed(record, KnownStatus::Error.name());
                }
            }
        }
        self.output.advance()
    }

    /// Whether the output has a line for what was skipped.
    pub fn lists_skips(&self) -> bool {
        self.only.is_empty()
    }

    fn tells(&self, verdict: KnownStatus) -> bool {
        self.only.is_empty() || self.only.contains(&verdict)
    }

    fn unhashed(&mut self, record: &Record, word: &str) {
        let known = Known { record, verdict: word, places: &[], empty: false };
        self.encoder.row(self.output.room(), &known, self.digests);
    }

    fn hashed(&mut self, record: &Record, hashed: &Hashed) -> io::Result<()> {
        let answer = self.reference.ask(&hashed.digests).map_err(io::Error::other)?;
        let verdict = self.reference.verdict(&answer);
        self.counts.add(verdict);
        self.bytes += hashed.closed.size;
        if self.tells(verdict) {
            let places = self.reference.places(&answer);
            let known = Known { record, verdict: verdict.name(), places: &places, empty: answer.empty };
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
        let failed = self.counts.of(KnownStatus::Error);
        let files = self.counts.words().iter().map(|(_, count)| count).sum::<u64>() - failed;
        let summary = Summary { hashed: files, bytes: self.bytes, failed, skipped, ..Summary::default() };
        self.encoder.tail(self.output.room(), &self.counts.words(), &summary);
        self.output.commit()?;
        Ok(self.counts)
    }
}
