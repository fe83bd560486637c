//! The events of a check, as they are printed.

use super::args::{Check, Wording};
use crate::colour::{Tone, toned};
use crate::exit::Exit;
use crate::remedy;
use crate::session::Session;
use crate::show::check as show;
use pfh::check::{
    AuditRow, AuditSum, Change, Class, Event, FileOutcome, FileRow, FilesSum, Findings, Listing, Part, Reread, Twice,
};
use pfh::manifest::row::line;
use pfh::name_bytes::OsStrExt;
use pfh::terminal::render as shown;
use pfh::{FindingId, Levels, Outcome, Record};
use std::io;

/// A line of an audit, its class in the colour of its tone.
fn classed(change: &Change) -> String {
    let line = show::text(change);
    let class = change.class.name();
    let tone = match change.class {
        Class::Matched | Class::MetadataOnly => Tone::Good,
        Class::Modified | Class::BitRot | Class::Missing => Tone::Bad,
        _ => Tone::Unsure,
    };
    line.strip_prefix(class).map(|rest| toned(class, tone) + rest).unwrap_or(line)
}

/// Prints events to standard output, and problems to standard error.
pub struct Printer<'a> {
    pub request: &'a Check,
    pub session: &'a Session,
    /// How much each finding counts.
    pub levels: Levels,
    /// Changes that are printed at the end only: hashdeep's wording needs all of them.
    pub changes: Vec<Change>,
}

impl Printer<'_> {
    /// Takes an event.
    ///
    /// # Errors
    /// The output's.
    pub fn event(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Sealed(held) if !self.request.status && !self.request.quiet => self.session.message(held),
            Event::Read { manifest, ledger } if self.request.warn => {
                let manifest = shown(manifest.as_os_str().as_bytes());
                for (line, fault) in &ledger.faults {
                    self.session.message(format_args!("{manifest}:{line}: {fault}"));
                }
            }
            Event::Unread(record) if self.says(record) => self.session.unread(record),
            Event::Compared { entry, found, cause, reread } => return self.compared(entry, found, cause, reread),
            Event::Classed(change) => return self.classed(change),
            Event::Passed(summary) => self.session.suspended(|| self.request.run.report(summary)),
            Event::Ended(part) => return self.ended(part),
            Event::Unchecked { error, .. } => self.session.message(remedy::sentence(error)),
            _ => {}
        }
        Ok(())
    }

    /// Whether it is said that a file could not be read. A missing one has a level of its own.
    fn says(&self, record: &Record) -> bool {
        let is_missing =
            matches!(&record.outcome, Outcome::Failed(problem) if problem.finding() == FindingId::FileMissing);
        !is_missing || self.levels.says(FindingId::CheckMissing)
    }

    fn print(&self, text: &str) -> io::Result<()> {
        if self.request.status { Ok(()) } else { self.session.print(text.as_bytes()) }
    }

    fn wording(&self) -> Wording {
        if self.request.json { Wording::Jsonl } else { self.request.wording }
    }

    fn compared(
        &self,
        entry: &Listing,
        found: FileOutcome,
        cause: Option<&str>,
        reread: Option<&Reread>,
    ) -> io::Result<()> {
        let says = found.finding().is_none_or(|finding| self.levels.says(finding));
        if let Some(cause) = cause.filter(|_| !self.request.status && says) {
            self.session.message(format_args!("{}: {cause}", shown(&entry.name)));
        }
        // The counts at the end say how many differ both times.
        if let Some(reread) = reread.filter(|one| one.twice != Twice::Same && !self.request.status) {
            self.session.message(format_args!("{}: {}", shown(&entry.name), reread.sentence()));
        }
        if self.request.json {
            let listed = !(self.request.quiet && found == FileOutcome::Right || found == FileOutcome::Ignored);
            return if listed {
                self.print(&line(&FileRow::of(entry, found, cause, reread, &self.levels)))
            } else {
                Ok(())
            };
        }
        let word = match found {
            _ if !says => return Ok(()),
            FileOutcome::Right if self.request.quiet => return Ok(()),
            FileOutcome::Right => toned("OK", Tone::Good),
            FileOutcome::Wrong => toned("FAILED", Tone::Bad),
            FileOutcome::Missing | FileOutcome::Unread => toned("FAILED open or read", Tone::Unsure),
            FileOutcome::Likely | FileOutcome::Weak => toned("not compared", Tone::Unsure),
            FileOutcome::Ignored => return Ok(()),
        };
        self.print(&format!("{}: {word}\n", shown(&entry.name)))
    }

    fn classed(&mut self, change: &Change) -> io::Result<()> {
        let finding = change.class.finding();
        let says = finding.is_none_or(|finding| self.levels.says(finding));
        // One whose level was raised is an alarm as well.
        let listed = self.request.all || change.class.is_alarm() || finding.is_some() && says;
        match self.wording() {
            Wording::Text if listed && (self.request.all || says) => self.print(&classed(change)),
            Wording::Jsonl if listed => self.print(&line(&AuditRow::of(change, &self.levels))),
            Wording::Hashdeep => {
                self.changes.push(change.clone());
                Ok(())
            }
            Wording::Text | Wording::Jsonl => Ok(()),
        }
    }

    /// Prints the counts of an audit, and in JSON those of any check, and remarks on the whole.
    fn ended(&mut self, part: &Part) -> io::Result<()> {
        let text = match (&part.findings, self.wording()) {
            (Findings::Audit(counts), Wording::Text) => show::summary_text(counts),
            (Findings::Audit(counts), Wording::Jsonl) => line(&AuditSum::of(counts, part)),
            (Findings::Audit(counts), Wording::Hashdeep) => show::hashdeep(&self.changes, counts, self.request.all),
            _ if self.request.json => FilesSum::of(part).map_or_else(String::new, |row| line(&row)),
            _ => String::new(),
        };
        if !text.is_empty() {
            self.print(&text)?;
        }
        if self.request.status {
            return Ok(());
        }
        for sentence in show::warnings(part) {
            self.session.message(format_args!("WARNING: {sentence}"));
        }
        let is_good = of_part(part) == Exit::Good;
        if !(self.request.quiet && is_good && part.is_plain()) {
            self.session.message(show::sentence(part));
        }
        Ok(())
    }
}

/// The exit for one manifest.
pub fn of_part(part: &Part) -> Exit {
    if part.is_broken() { Exit::Aborted } else { Exit::of_verdict(part.conclusion()) }
}
