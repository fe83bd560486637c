//! The events of a check, as they are printed.

use super::args::{Check, Wording};
use crate::colour::{Tone, toned};
use crate::session::Session;
use pfh::check::{self, Change, Checked, Class, Event, Expected, Findings, Summary};
use pfh::terminal::render as shown;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A line of an audit, its class in the colour of what it says.
fn classed(change: &Change) -> String {
    let line = check::text(change);
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
    pub manifest: &'a Path,
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
            Event::Read(expectations) if self.request.warn => {
                let manifest = shown(self.manifest.as_os_str().as_bytes());
                for (line, fault) in &expectations.faults {
                    self.session.message(format_args!("{manifest}:{line}: {fault}"));
                }
            }
            Event::Unread(record) => self.session.unread(record),
            Event::Compared { entry, found } => return self.compared(entry, found),
            Event::Classed(change) => return self.classed(change),
            Event::Passed(summary) => self.session.suspended(|| self.request.run.report(summary)),
            _ => {}
        }
        Ok(())
    }

    fn print(&self, text: &str) -> io::Result<()> {
        if self.request.status { Ok(()) } else { self.session.print(text.as_bytes()) }
    }

    fn wording(&self) -> Wording {
        if self.request.json { Wording::Jsonl } else { self.request.wording }
    }

    fn compared(&self, entry: &Expected, found: Checked) -> io::Result<()> {
        if self.request.json {
            let listed = !(self.request.quiet && found == Checked::Right || found == Checked::Ignored);
            return if listed { self.print(&check::compared_json(entry, found)) } else { Ok(()) };
        }
        let word = match found {
            Checked::Right if self.request.quiet => return Ok(()),
            Checked::Right => toned("OK", Tone::Good),
            Checked::Wrong => toned("FAILED", Tone::Bad),
            Checked::Unread => toned("FAILED open or read", Tone::Unsure),
            Checked::Ignored => return Ok(()),
        };
        self.print(&format!("{}: {word}\n", shown(&entry.name)))
    }

    fn classed(&mut self, change: &Change) -> io::Result<()> {
        let listed = self.request.all || change.class.is_alarm();
        match self.wording() {
            Wording::Text if listed => self.print(&classed(change)),
            Wording::Jsonl if listed => self.print(&check::json(change)),
            Wording::Hashdeep => {
                self.changes.push(change.clone());
                Ok(())
            }
            Wording::Text | Wording::Jsonl => Ok(()),
        }
    }

    /// Prints the counts of an audit, and in JSON those of any check.
    ///
    /// # Errors
    /// The output's.
    pub fn end(&self, summary: &Summary) -> io::Result<()> {
        let Findings::Audit(counts) = &summary.findings else {
            return if self.request.json { self.print(&check::files_json(summary)) } else { Ok(()) };
        };
        self.print(&match self.wording() {
            Wording::Text => check::summary_text(counts),
            Wording::Jsonl => check::summary_json(counts),
            Wording::Hashdeep => check::hashdeep(&self.changes, counts, self.request.all),
        })
    }
}
