//! A result as a timeline or a table of another program.

use super::Problem;
use super::event::{Columns, Event, Summary, is_file};
use crate::destination::Destination;
use crate::job::Error;
use pfh_report::export::{Exporter, Form, Row, RowOutcome};
use pfh_source::Output;
use pfh_source::terminal::{counted, many};
use std::io::Write;

/// The form that a result is exported in, and where it goes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Table {
    /// The form.
    pub to: Form,
    /// Where it goes.
    pub output: Destination,
}

impl Table {
    /// In this form, to this destination.
    pub fn new(to: Form, output: impl Into<Destination>) -> Table {
        Table { to, output: output.into() }
    }

    /// Whether this build writes the form.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self) -> Result<(), Error> {
        self.to.missing().map_or(Ok(()), |why| Err(Error::request(Problem::Form(why.to_owned()))))
    }
}

/// The counts of the exported table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSummary {
    /// The counts of the records that were read.
    pub summary: Summary,
    /// Rows or lines that were written.
    pub rows: u64,
    /// Files without a time, which a timeline has no place for.
    pub timeless: u64,
    /// Errors, which a timeline has no place for.
    pub errors: u64,
    /// Entries that were skipped when the result was made, and have no place in a timeline.
    pub skipped: u64,
    /// Times that the form cannot hold: they are left out.
    pub beyond: u64,
}

impl TableSummary {
    /// Whether everything in the result has its place in the output.
    pub fn is_complete(&self) -> bool {
        (self.timeless, self.errors, self.beyond, self.summary.faulty) == (0, 0, 0, 0)
    }

    /// A sentence for people.
    pub fn sentence(&self) -> String {
        let mut text = format!("{} became {}", counted(self.summary.records, "record"), counted(self.rows, "row"));
        let left = [
            (self.errors, "error has no time and is left out", "errors have no time and are left out"),
            (self.timeless, "file has no time and is left out", "files have no time and are left out"),
            (self.skipped, "skipped thing has no time", "skipped things have no time"),
            (
                self.beyond,
                "time lies outside of the form's range (1677 to 2262)",
                "times lie outside of the form's range (1677 to 2262)",
            ),
            (
                self.summary.faulty,
                "line is not a record of a file, or not whole",
                "lines are not records of files, or not whole",
            ),
        ];
        for (count, one, more) in left.into_iter().filter(|(count, ..)| *count > 0) {
            text += &format!("; {}", many(count, one, more));
        }
        text
    }
}

/// Writes the rows of a result. The file appears whole or not at all, when the writer is
/// [finished](Writer::finish).
pub struct Writer {
    exporter: Exporter,
    output: Output,
    is_timeline: bool,
    written: TableSummary,
}

impl Writer {
    /// Opens the output and writes the head.
    ///
    /// # Errors
    /// When the form cannot hold these columns, or the output cannot be opened.
    pub fn open(table: &Table, columns: &Columns) -> Result<Writer, Error> {
        let mut exporter = Exporter::new(table.to, columns.algorithms.clone()).map_err(form)?;
        let mut output = table.output.open()?;
        exporter.head(output.room());
        Ok(Writer { exporter, output, is_timeline: table.to.is_timeline(), written: TableSummary::default() })
    }

    /// Writes the row of an event, if it has one.
    ///
    /// # Errors
    /// The output's.
    pub fn take(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let Event::Row(row) = event else { return Ok(()) };
        if self.is_timeline && !self.has_place(row) {
            return Ok(());
        }
        let RowOutcome { rows, beyond } = self.exporter.row(self.output.room(), (*row).clone()).map_err(form)?;
        self.written.rows += rows;
        self.written.beyond += beyond;
        self.output.advance().map_err(Error::Sink)
    }

    /// Whether a timeline has a place for a row; others are counted.
    fn has_place(&mut self, row: &Row) -> bool {
        if !is_file(row) {
            return false;
        }
        if row.times.iter().any(Option::is_some) {
            return true;
        }
        let verdict = row.verdict.as_deref().unwrap_or_default();
        let count = match (row.kind.as_str(), verdict) {
            ("error", _) | (_, "error") => &mut self.written.errors,
            ("skipped", _) | (_, "skipped") => &mut self.written.skipped,
            _ => &mut self.written.timeless,
        };
        *count += 1;
        false
    }

    /// Ends the table and commits the output.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(self, summary: &Summary) -> Result<TableSummary, Error> {
        let Writer { exporter, mut output, written, .. } = self;
        exporter.tail(output.room()).map_err(form)?;
        output.flush().and_then(|()| output.commit()).map_err(Error::Sink)?;
        Ok(TableSummary { summary: *summary, ..written })
    }
}

fn form(why: String) -> Error {
    Error::request(Problem::Form(why))
}
