//! Files against known sets.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::known::{Verdict, sets};
use crate::log::{Level, log};
use crate::request::Threads;
use crate::value::value;
use crate::{error, job, record, request};
use pfh::job::Error;
use pfh::known::KnownStatus;
use pfh::matching::{Event, Gap, Request};
use pfh::{Outcome, Record};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// The verdict on one file.
pub struct Matched {
    /// The file.
    path: OsString,
    /// The verdict of the sets; `None` if it has no digest.
    verdict: Option<Verdict>,
    /// The record of the file: `Hashed`, `Skipped` or `Failed`.
    record: Py<PyAny>,
}

value!(Matched { path, verdict, record });

/// The verdicts on files, in input order. True if the program would exit with 0: no file is known
/// to be bad, all files were read, and all sets.
pub struct Matches {
    /// The verdict on each file.
    files: Vec<Matched>,
    /// Sentences about sets that were read in part, with `partial`.
    messages: Vec<String>,
    /// 0 all good, 1 a file is known to be bad, 3 something was not read: as the program's exit
    /// code.
    exit: u8,
}

value!(Matches { files, messages, exit });

/// Looks files up in known sets: a verdict for each, in input order. `known` is one set or several
/// (see `Known.open`), `cls` the class of lists among them. Raises `pfh.UnreadError` if no set
/// holds a digest: there is nothing to compare with. Also if a set was read in part or holds
/// nothing, since `unknown` says little then; with `partial` the verdicts come all the same, by
/// what could be read, and `exit` is 3. With `versions` every version of an object in a store has a
/// verdict, as `KEY?versionId=ID`.
#[pyfunction]
#[pyo3(name = "match", signature = (paths, known, *, cls = None, recursive = false, follow = false, exactly = false, versions = false, partial = false, threads = None, memory = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn find(
    py: Python<'_>,
    paths: &Bound<'_, PyAny>,
    known: &Bound<'_, PyAny>,
    cls: Option<&str>,
    recursive: bool,
    follow: bool,
    exactly: bool,
    versions: bool,
    partial: bool,
    threads: Option<Threads>,
    memory: Option<usize>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Matches> {
    let mut input = request::input(request::paths(paths)?, recursive, follow);
    input.addresses = request::addresses(&input.paths, exactly, versions)?;
    let asked = Request::new(input, sets(known, cls, None)?).plan(request::plan(Vec::new(), threads, memory));
    let (ran, found, gaps, remarks) = job::run_with(py, &Hooks { job: "match", on_event, cancel }, |control| {
        let mut found: Vec<(Record, Option<Verdict>)> = Vec::new();
        let (mut gaps, mut remarks) = (Vec::new(), Vec::new());
        let mut events = |event: Event<'_>| {
            match event {
                Event::NoClass(_) => {}
                // `unknown` would say little: nothing is read.
                Event::Opened { .. } if !partial && !gaps.is_empty() => return Err(io::ErrorKind::Other.into()),
                Event::Match(of) => {
                    let is_hashed = matches!(of.record.outcome, Outcome::Hashed(_));
                    let verdict = is_hashed.then(|| Verdict::new(of.word(), of.places(), of.answer.empty));
                    found.push((of.record.clone(), verdict));
                }
                // The list is whole; how it was taken is a remark.
                Event::Gap(guessed @ Gap::Guessed { .. }) => remarks.push(guessed.to_string()),
                event => gaps.extend(event.sentence()),
            }
            Ok(())
        };
        let ran = pfh::matching::run(&asked, &mut events, control);
        (ran, found, gaps, remarks)
    })?;
    let first = asked.sets.known.first().map(PathBuf::as_path);
    let summary = match ran {
        Err(Error::Sink(_)) => return Err(error::unread(py, &gaps.join("\n"), first)),
        ran => ran.map_err(|failed| error::of_job(py, &failed, first))?,
    };
    if !summary.comparable {
        return Err(error::unread(py, "nothing to compare with: no set holds a digest", first));
    }
    if summary.run.interrupted {
        return Err(error::cancelled(py, "interrupted"));
    }
    let matched = |(record, verdict): (Record, Option<Verdict>)| -> PyResult<Matched> {
        let path = record::decoded(&record.name);
        Ok(Matched { path, verdict, record: record::object(py, record)? })
    };
    let exit = crate::rows::exit(summary.conclusion(&asked, &[KnownStatus::KnownBad]));
    let files: Vec<Matched> = found.into_iter().map(matched).collect::<PyResult<_>>()?;
    gaps.iter().chain(&remarks).for_each(|sentence| log(py, Level::Warning, || sentence.clone()));
    Ok(Matches { files, messages: gaps, exit })
}
