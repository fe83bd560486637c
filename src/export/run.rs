//! From a result to rows.

use super::event::{Columns, Event, Events, Summary, is_file};
use super::reading::Reading;
use super::request::Request;
use super::table::{Table, TableSummary, Writer};
use super::{Problem, lines, lists};
use crate::job::{Error, PathError};
use pfh_engine::Control;
use pfh_report::export::Row;
use pfh_source::{Document, Stream};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

/// Columns of digests at most: a hostile list could name one a line.
const ALGORITHMS: usize = 256;

/// Hands out the rows of a result. Nothing is written.
///
/// # Errors
/// When the result cannot be read, or holds no record of a file.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let (mut result, columns) = opened(request, control)?;
    hand_out(&mut result, &columns, &mut |event| events(event).map_err(Error::Sink), control)
}

/// Writes a result as a table. A file appears whole or not at all.
///
/// # Errors
/// As [`run`]; when no record has the facts that the form needs, or the output cannot be written.
/// The summary counts records that have no place in the form.
pub fn write(
    request: &Request,
    table: &Table,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<TableSummary, Error> {
    table.check()?;
    let mut request = request.clone();
    match table.output.path() {
        Some(path) => request.outputs.file("output", Some(path)),
        None => request.outputs.standard(),
    };
    request.check()?;
    let (mut result, columns) = opened(&request, control)?;
    if table.to.is_timeline() && columns.timed == 0 {
        return Err(Error::input(PathError::new(&request.result, Problem::NoTime(columns.rows))));
    }
    let mut writer = Writer::open(table, &columns)?;
    let mut take = |event: Event<'_>| {
        events(event).map_err(Error::Sink)?;
        writer.take(&event)
    };
    let summary = hand_out(&mut result, &columns, &mut take, control)?;
    writer.finish(&summary)
}

/// The result, and the facts of its rows.
fn opened<'a>(request: &'a Request, control: &Control<'_>) -> Result<(KeptResult<'a>, Columns), Error> {
    let mut result = KeptResult::open(&request.result)?;
    let mut columns = Columns::default();
    let first = result.each(control, &mut |row| {
        for (name, _) in row.digests {
            if !columns.algorithms.contains(&name) {
                columns.algorithms.push(name);
            }
        }
        columns.rows += 1;
        columns.timed += u64::from(row.times.iter().any(Option::is_some));
        if columns.algorithms.len() > ALGORITHMS {
            return Err(Error::request(Problem::Algorithms(ALGORITHMS)));
        }
        Ok(())
    })?;
    if columns.rows == 0 {
        let why = first.faults.first().map_or_else(|| "it is empty".to_owned(), Clone::clone);
        return Err(Error::input(PathError::new(&request.result, Problem::NoRecord(why))));
    }
    Ok((result, columns))
}

/// Hands out the records of the result.
fn hand_out(
    result: &mut KeptResult<'_>,
    columns: &Columns,
    take: &mut dyn FnMut(Event<'_>) -> Result<(), Error>,
    control: &Control<'_>,
) -> Result<Summary, Error> {
    take(Event::Columns(columns))?;
    let mut records = 0;
    let read = result.each(control, &mut |row| {
        records += u64::from(is_file(&row));
        take(Event::Row(&row))
    })?;
    read.faults.iter().try_for_each(|fault| take(Event::Fault(fault)))?;
    Ok(Summary { records, faulty: read.faulty })
}

/// A result that is read twice.
struct KeptResult<'a> {
    path: &'a Path,
    file: Document,
    is_lines: bool,
}

impl<'a> KeptResult<'a> {
    /// Opens it. An input that can be read only once, as standard input, is kept in a file without
    /// a name.
    fn open(path: &'a Path) -> Result<KeptResult<'a>, Error> {
        let failed = |error: io::Error| Error::input(PathError::new(path, error));
        let mut file = if path == Path::new("-") {
            spooled(&mut Stream::standard().reader()).map_err(failed)?
        } else {
            let mut file = Document::file(path).map_err(failed)?;
            let is_file = file.as_file().metadata().map_err(failed)?.is_file();
            if is_file { file } else { spooled(&mut file).map_err(failed)? }
        };
        let mut start = [0; 64];
        let read = file.read(&mut start).map_err(failed)?;
        let is_lines = start[..read].trim_ascii_start().first() == Some(&b'{');
        Ok(KeptResult { path, file, is_lines })
    }

    /// Hands each of its rows to `take`, from the first.
    fn each(
        &mut self,
        control: &Control<'_>,
        take: &mut dyn FnMut(Row) -> Result<(), Error>,
    ) -> Result<Reading, Error> {
        let (path, is_lines) = (self.path, self.is_lines);
        let failed = |error: io::Error| match control.is_cancelled() {
            true => Error::cancelled(Problem::Interrupted),
            false => Error::input(PathError::new(path, error)),
        };
        self.file.rewind().map_err(failed)?;
        let mut input = BufReader::with_capacity(1 << 18, &mut self.file);
        let mut take =
            |row: Row| if control.is_cancelled() { Err(Error::cancelled(Problem::Interrupted)) } else { take(row) };
        let input: &mut dyn BufRead = &mut input;
        if is_lines { lines::each(input, &mut take, failed) } else { lists::each(input, &mut take, failed) }
    }
}

fn spooled(input: &mut dyn Read) -> io::Result<Document> {
    let mut file = tempfile::tempfile()?;
    io::copy(input, &mut file)?;
    file.rewind()?;
    Ok(Document::from(file))
}
