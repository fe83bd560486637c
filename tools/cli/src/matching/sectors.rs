//! `pfh match --sectors`: blocks of known files in images.

use crate::exit::{self, Exit, Failure};
use crate::matching::Match;
use crate::run::json_or;
use crate::show::sectors as show;
use pfh::known::KnownStatus;
use pfh::manifest::{UnknownFormat, row};
use pfh::matching::sectors::{self as job, Event, FragmentRow, FragmentsSum, Request, Space};
use std::io::{self, Write};

/// Runs a request to its end; fragments of the verdicts `fail_on` make the exit code 1.
///
/// # Errors
/// When the request makes no sense, or a set or the output fails.
pub fn run(request: &Match, only: Vec<KnownStatus>, fail_on: &[KnownStatus]) -> Result<Exit, Failure> {
    let json = match json_or(request.json, &request.format) {
        "text" => false,
        "jsonl" => true,
        other => return Err(Failure::usage(UnknownFormat::of(other, &["text", "jsonl"]))),
    };
    if let Some(verdict) = only.iter().chain(fail_on).find(|verdict| !show::is_verdict(**verdict)) {
        return Err(Failure::usage(format_args!("--sectors finds known blocks: no fragment is {}", verdict.name())));
    }
    let inside = &request.input.inside;
    if inside.is_bounded() {
        return Err(Failure::usage("--sectors reads sectors: bounds of --inside do not apply to these"));
    }
    if !request.levels.level.is_empty() {
        return Err(Failure::usage("--sectors reads sectors: --level does not apply to these"));
    }
    let session = request.run.session()?;
    let plan = request.run.plan(Vec::new())?;
    let mut asked = Request::new(&request.input.paths, &request.sets.known, request.sectors.iter().copied());
    asked.space = if inside.inside.is_some() { Space::Unallocated } else { Space::Whole };
    (asked.flagged, asked.threads, asked.replace) = (request.flagged, plan.threads, request.force);
    asked.anywhere = request.any_offset;
    asked.outputs.file("output", request.output.as_ref());
    asked.check().map_err(|error| session.ended(error))?;
    let destination = session.destination(request.output.as_ref());
    let mut output = None;
    let mut failed = None;
    let mut events = |event: Event<'_>| {
        match event {
            Event::Opened => {
                output = destination.open().map_err(|error| failed = Some(error.into())).ok();
                return if output.is_some() { Ok(()) } else { Err(io::ErrorKind::Other.into()) };
            }
            Event::Fragment(found) => {
                let Some(output) = &mut output else { return Ok(()) };
                if only.is_empty() || only.contains(&found.verdict()) {
                    let line = if json { row::line(&FragmentRow::of(found)) } else { show::line(found) };
                    output.room().extend_from_slice(line.as_bytes());
                    output.advance()?;
                }
            }
            event => event.sentence().iter().for_each(|sentence| session.message(sentence)),
        }
        Ok(())
    };
    let ran = job::run(&asked, &mut events, &session.control());
    let summary = ran.map_err(|error| session.ended(failed.unwrap_or(error)))?;
    if let Some(mut output) = output {
        let ended = match summary.interrupted {
            true => output.flush(),
            false => {
                output.room().extend_from_slice(
                    if json { row::line(&FragmentsSum::of(&summary)) } else { String::new() }.as_bytes(),
                );
                output.commit()
            }
        };
        ended.map_err(|error| session.ended(pfh::job::Error::Sink(error)))?;
    }
    session.close();
    if summary.interrupted {
        return Ok(match &request.output {
            Some(_) => session.interrupted("no file was written"),
            None => session.interrupted("all findings so far are out, the rest is missing"),
        });
    }
    if !summary.is_comparable() {
        exit::say("nothing to compare with: no byte of an image was compared with a known block");
        return Ok(Exit::Incomplete);
    }
    show::sentences(&summary).iter().for_each(exit::say);
    exit::say(show::verdicts(&summary));
    Ok(Exit::of_verdict(summary.conclusion(fail_on)))
}
