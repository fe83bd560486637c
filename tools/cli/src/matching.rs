//! `pfh match`: files against known sets, or against lists of similarity digests.

mod args;

pub use args::Match;

use crate::colour::{self, Tone, toned};
use crate::dry;
use crate::exit::{self, Exit, Failure};
use crate::input::unmatched;
use crate::reference::Gaps;
use crate::run::json_or;
use crate::session::Session;
use crate::similar;
use pfh::known::KnownStatus;
use pfh::matching::{self as job, Event, Request, Summary};
use pfh::report::verdict::Format;
use pfh::terminal::render as shown;

/// Runs a request to its end.
pub fn run(request: &Match) -> Exit {
    exit::end(try_run(request))
}

/// Verdicts by their words, or by those without `known-`.
///
/// # Errors
/// When a word is no verdict.
pub fn verdicts(words: &[String]) -> Result<Vec<KnownStatus>, Failure> {
    let find = |word: &String| {
        let short = |verdict: &KnownStatus| verdict.name().strip_prefix("known-") == Some(word);
        KnownStatus::ALL.into_iter().find(|verdict| verdict.name() == word || short(verdict)).ok_or_else(|| {
            Failure::usage(format_args!(
                "{} is not a verdict: bad, good, known, maybe, unknown or error",
                shown(word.as_bytes())
            ))
        })
    };
    words.iter().filter(|word| !word.is_empty()).map(find).collect()
}

fn try_run(request: &Match) -> Result<Exit, Failure> {
    if request.saying.dry_run {
        let session = request.run.session_saying(request.saying)?;
        return dry::run(&request.input.asked()?, &session);
    }
    if let Some(list) = &request.similar {
        return similar::run(request, list);
    }
    #[cfg(feature = "inside")]
    if !request.sectors.is_empty() {
        return crate::sectors::run(request, verdicts(&request.only)?, &verdicts(&request.fail_on)?);
    }
    let form: Format =
        json_or(request.json, &request.format).parse().map_err(|e: pfh::manifest::UnknownFormat| Failure::usage(e))?;
    let (only, fail_on) = (verdicts(&request.only)?, verdicts(&request.fail_on)?);
    let session = request.run.session_saying(request.saying)?;
    let asked = Request::new(request.input.asked()?, request.sets.asked()?)
        .plan(request.run.plan(Vec::new())?)
        .only(only)
        .form(form)
        .paint(colour::is_wanted().then_some(painted))
        .output(session.destination(request.output.as_ref()))
        .replace(request.force);
    let mut gaps = Gaps::default();
    let ran = job::run(
        &asked,
        &mut |event| {
            show(&session, &mut gaps, event);
            Ok(())
        },
        &session.control(),
    );
    let summary = ran.map_err(|error| session.failed(error))?;
    session.close();
    if !summary.run.interrupted {
        unmatched(&asked.input, &session);
    }
    Ok(report(request, &fail_on, &summary, &session))
}

/// A verdict's word with its colour.
fn painted(verdict: &str) -> String {
    let tone = match verdict {
        "known-bad" => Tone::Bad,
        "known-good" | "known" => Tone::Good,
        "maybe" | "error" => Tone::Unsure,
        // What is unknown, or skipped, is neither.
        _ => return verdict.to_owned(),
    };
    toned(verdict, tone)
}

/// Prints what is to be said of a set or an input.
fn show(session: &Session, gaps: &mut Gaps, event: Event<'_>) {
    match event {
        Event::Gap(gap) => gaps.print(gap),
        Event::Unread(record) => session.unread(record),
        event => session.message(event),
    }
}

/// Prints the counts, and gives the exit.
fn report(request: &Match, fail_on: &[KnownStatus], summary: &Summary, session: &Session) -> Exit {
    if !summary.comparable {
        // Each set was said to be empty.
        exit::say("nothing to compare with: no set holds a digest");
        return Exit::Incomplete;
    }
    if summary.run.interrupted {
        return match &request.output {
            Some(_) => session.interrupted("no file was written"),
            None => session.exit(&summary.run, 0),
        };
    }
    let (counts, gaps) = (&summary.counts, summary.gaps);
    request.run.report(&summary.run);
    let more =
        if summary.hits_only && counts.of(KnownStatus::Unknown) > 0 { "; --only unknown lists those" } else { "" };
    if !request.saying.quiet {
        exit::say(summary.sentence() + more);
    }
    let nothing_found = !request.sets.digests.is_empty() && summary.known() == 0;
    // A file that is known to be bad stays so, whatever could not be read besides. That one is
    // unknown says little if a set was read in part.
    match session.exit(&summary.run, 0) {
        _ if counts.fails(fail_on, gaps == 0) || gaps == 0 && nothing_found => Exit::Verdict,
        Exit::Good if gaps > 0 => Exit::Incomplete,
        exit => exit,
    }
}
