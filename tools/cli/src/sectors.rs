//! `pfh match --sectors`: blocks of known files in images.

use crate::exit::{self, Exit, Failure};
use crate::matching::Match;
use crate::run::json_or;
use pfh::known::KnownStatus;
use pfh::manifest::UnknownFormat;
use pfh::matching::sectors::{self as job, Form, Request, Space};

/// Runs a request to its end; fragments of the verdicts `fail_on` make the exit code 1.
///
/// # Errors
/// When the request makes no sense, or a set or the output fails.
pub fn run(request: &Match, only: Vec<KnownStatus>, fail_on: &[KnownStatus]) -> Result<Exit, Failure> {
    let form: Form = json_or(request.json, &request.format).parse().map_err(|e: UnknownFormat| Failure::usage(e))?;
    let unsaid = |verdict: &&KnownStatus| matches!(verdict, KnownStatus::Unknown | KnownStatus::Error);
    if let Some(verdict) = only.iter().chain(fail_on).find(unsaid) {
        return Err(Failure::usage(format_args!("--sectors finds known blocks: no fragment is {}", verdict.name())));
    }
    let inside = &request.input.inside;
    if inside.is_bounded() {
        return Err(Failure::usage("--sectors reads sectors: what bounds --inside elsewhere says nothing of these"));
    }
    let session = request.run.session()?;
    let plan = request.run.plan(Vec::new())?;
    let mut asked = Request::new(&request.input.paths, &request.sets.known, request.sectors.iter().copied());
    asked.space = if inside.inside.is_some() { Space::Unallocated } else { Space::Whole };
    (asked.flagged, asked.only, asked.form) = (request.flagged, only, form);
    (asked.threads, asked.replace) = (plan.threads, request.force);
    asked.output = session.destination(request.output.as_ref());
    let ran = job::run(
        &asked,
        &mut |event| {
            session.message(event);
            Ok(())
        },
        &session.control(),
    );
    let summary = ran.map_err(|error| session.failed(error))?;
    session.close();
    if summary.interrupted {
        return Ok(match &request.output {
            Some(_) => session.interrupted("no file was written"),
            None => session.interrupted("what was found so far is out, the rest is missing"),
        });
    }
    if !summary.is_comparable() {
        exit::say("nothing to compare with: no byte of an image was compared with a known block");
        return Ok(Exit::Incomplete);
    }
    summary.sentences().iter().for_each(exit::say);
    exit::say(job::verdicts(&summary));
    Ok(match summary.is_complete() {
        _ if summary.counts.fails(fail_on, true) => Exit::Verdict,
        true => Exit::Good,
        false => Exit::Incomplete,
    })
}
