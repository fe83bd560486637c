//! `pfh match --similar`: files against lists of similarity digests.

use crate::exit::{self, Exit, Failure};
use crate::input::unmatched;
use crate::matching::Match;
use crate::run::json_or;
use crate::session::Session;
use crate::show::many;
use pfh::compare::Thresholds;
use pfh::matching::similar::{self as job, Event, Matches, Request, Summary};
use pfh::report::pairs::{Format, UnknownFormat};
use std::ffi::OsStr;

/// Runs a request to its end.
///
/// # Errors
/// When the request makes no sense, or the list or the output fails.
pub fn run(request: &Match, list: &OsStr) -> Result<Exit, Failure> {
    let form: Format = json_or(request.json, &request.format).parse().map_err(|e: UnknownFormat| Failure::usage(e))?;
    let session = request.run.session_saying(request.saying)?.levels(&request.levels.asked());
    let matches = Matches::new(session.destination(request.output.as_ref())).form(form);
    let mut asked = Request::new(request.input.asked()?, list).replace(request.force);
    asked.plan = request.levels.plan(request.run.plan(Vec::new())?);
    asked.memory = asked.plan.memory;
    asked.algorithm = request.sets.algorithms.first().map(|name| name.parse()).transpose().map_err(Failure::usage)?;
    asked.thresholds = Thresholds::one(request.threshold);
    asked.write_index = request.write_index.clone();
    asked.saturated = request.saturated;
    let mut events = |event: Event<'_>| {
        show(&session, event);
        Ok(())
    };
    let ran = job::write(&asked, &matches, &mut events, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    if asked.input.is_named() && summary.run.is_some_and(|run| !run.interrupted) {
        unmatched(&asked.input, &session);
    }
    Ok(report(request, &summary, &session))
}

/// Prints the message about the list or an input.
fn show(session: &Session, event: Event<'_>) {
    match event {
        Event::List(problem) => session.message(crate::show::compare::list(problem)),
        Event::Unread(record) => session.unread(record),
        _ => {}
    }
}

/// Prints the messages about the whole run, and returns the exit.
fn report(request: &Match, summary: &Summary, session: &Session) -> Exit {
    let Some(run) = &summary.run else {
        return Exit::of_verdict(summary.conclusion());
    };
    request.run.report(run);
    if summary.saturated > 0 {
        let matches = many(summary.saturated, "match", "matches");
        let why = "digests that are saturated, which match random data and so anything";
        exit::say(format_args!("left out: {matches} of {why} (--saturated shows them)"));
    }
    if run.interrupted && request.output.is_some() {
        return session.interrupted("no file was written");
    }
    match session.exit(run, summary.faults) {
        Exit::Good => Exit::of_verdict(summary.conclusion()),
        exit => exit,
    }
}
