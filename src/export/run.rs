//! From a result to a timeline or a table.

use super::error::Error;
use super::reading::Reading;
use super::request::Request;
use super::summary::Summary;
use super::{lines, lists};
use pfh_engine::Control;
use pfh_report::export::{Exporter, Row, Taken};
use pfh_source::os::Patient;
use pfh_source::{Output, Stream};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::Path;

/// Columns of digests at most: a hostile list could name one a line.
const ALGORITHMS: usize = 256;

/// Exports a result. A file appears whole or not at all.
///
/// # Errors
/// When the request makes no sense, the result cannot be read or has nothing of which the form is
/// made, or the output cannot be written. What has no place in the form is in the summary.
pub fn run(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    if let Some(why) = request.to.missing() {
        return Err(Error::Form(why.to_owned()));
    }
    request.outputs().check()?;
    let mut result = Kept::open(&request.result)?;
    let mut algorithms: Vec<String> = Vec::new();
    let (mut rows, mut timed) = (0_u64, 0_u64);
    let first = result.each(control, &mut |row| {
        for (name, _) in row.digests {
            if !algorithms.contains(&name) {
                algorithms.push(name);
            }
        }
        rows += 1;
        timed += u64::from(row.times.iter().any(Option::is_some));
        if algorithms.len() > ALGORITHMS {
            Err(Error::Form("digests by more than 256 algorithms".into()))
        } else {
            Ok(())
        }
    })?;
    let nothing = |why: String| Error::Nothing { path: request.result.clone(), why };
    if rows == 0 {
        let why = first.faults.first().map_or_else(|| "it is empty".to_owned(), Clone::clone);
        return Err(nothing(format!("no record of a file is in it ({why})")));
    }
    if request.to.is_timeline() && timed == 0 {
        return Err(nothing(format!("none of its {rows} records has a time: hash with -f jsonl, csv or dfxml")));
    }
    let mut exporter = Exporter::new(request.to, algorithms).map_err(Error::Form)?;
    let mut output = request.output.open()?;
    exporter.head(output.room());
    let mut summary = Summary::default();
    let second = result.each(control, &mut |row| put(request, &mut exporter, &mut output, &mut summary, row))?;
    exporter.tail(output.room()).map_err(Error::Form)?;
    output.flush().and_then(|()| output.commit()).map_err(Error::Sink)?;
    (summary.faults, summary.faulty) = (second.faults, second.faulty);
    Ok(summary)
}

/// Writes a row, and counts what became of it.
fn put(
    request: &Request,
    exporter: &mut Exporter,
    output: &mut Output,
    summary: &mut Summary,
    row: Row,
) -> Result<(), Error> {
    let is_file = !matches!(row.kind.as_str(), "piece" | "base");
    summary.records += u64::from(is_file);
    if request.to.is_timeline() {
        if !is_file {
            return Ok(());
        }
        if row.times.iter().all(Option::is_none) {
            let verdict = row.verdict.as_deref().unwrap_or_default();
            let count = match (row.kind.as_str(), verdict) {
                ("error", _) | (_, "error") => &mut summary.errors,
                ("skipped", _) | (_, "skipped") => &mut summary.skipped,
                _ => &mut summary.timeless,
            };
            *count += 1;
            return Ok(());
        }
    }
    let Taken { rows, beyond } = exporter.row(output.room(), row).map_err(Error::Form)?;
    summary.rows += rows;
    summary.beyond += beyond;
    output.advance().map_err(Error::Sink)
}

/// A result that is read twice.
struct Kept<'a> {
    path: &'a Path,
    file: Patient<File>,
    is_lines: bool,
}

impl<'a> Kept<'a> {
    /// Opens it. What can be read once alone, as standard input, is kept in a file without a name.
    fn open(path: &'a Path) -> Result<Kept<'a>, Error> {
        let failed = |error| Error::Read { path: path.to_owned(), error };
        let mut file = if path == Path::new("-") {
            spooled(&mut Stream::standard().reader()).map_err(failed)?
        } else {
            let mut file = Patient::open(path).map_err(failed)?;
            let is_file = file.0.metadata().map_err(failed)?.is_file();
            if is_file { file } else { spooled(&mut file).map_err(failed)? }
        };
        let mut start = [0; 64];
        let read = file.read(&mut start).map_err(failed)?;
        let is_lines = start[..read].trim_ascii_start().first() == Some(&b'{');
        Ok(Kept { path, file, is_lines })
    }

    /// Hands each of its rows to `take`, from the first.
    fn each(
        &mut self,
        control: &Control<'_>,
        take: &mut dyn FnMut(Row) -> Result<(), Error>,
    ) -> Result<Reading, Error> {
        let failed = |error| Error::Read { path: self.path.to_owned(), error };
        self.file.rewind().map_err(failed)?;
        let mut input = BufReader::with_capacity(1 << 18, &mut self.file);
        let mut take = |row: Row| if control.is_cancelled() { Err(Error::Interrupted) } else { take(row) };
        let input: &mut dyn BufRead = &mut input;
        if self.is_lines { lines::each(input, &mut take, failed) } else { lists::each(input, &mut take, failed) }
    }
}

fn spooled(input: &mut dyn Read) -> io::Result<Patient<File>> {
    let mut file = tempfile::tempfile()?;
    io::copy(input, &mut file)?;
    file.rewind()?;
    Ok(Patient(file))
}
