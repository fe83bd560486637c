//! `pfh match`: files against known sets, or against lists of similarity digests.

mod args;
#[cfg(feature = "inside")]
mod sectors;
mod similar;

pub use args::Match;

use crate::colour;
use crate::command;
use crate::dry;
use crate::exit::{self, Exit, Failure};
use crate::input::unmatched;
use crate::reference::Gaps;
use crate::run::json_or;
use crate::session::Session;
use crate::show::matching as show;
use pfh::known::KnownStatus;
use pfh::matching::{self as job, Event, Gap, Request, Verdicts, Writer, WrittenVerdicts};
use pfh::report::verdict::Format;
use pfh::terminal::render as shown;

/// Runs a request to its end.
pub fn run(request: &Match) -> Exit {
    exit::end(try_run(request))
}

/// Verdicts by their words, or by those without `known-`.
///
/// # Errors
/// When a word is not a verdict.
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
        let session = request.run.session_saying(request.saying)?.levels(&request.levels.asked());
        return dry::run(&request.input.asked()?, &session);
    }
    if let Some(list) = &request.similar {
        if request.sets.known.is_empty() {
            return similar::run(request, list);
        }
        // Two questions: the verdict is the sets', and a lack of similar files does not change it.
        if request.output.is_some() {
            return Err(Failure::usage("-k with --similar writes to standard output: leave out --output"));
        }
        let known = against_sets(request)?;
        let similar = match similar::run(request, list)? {
            Exit::Verdict => Exit::Good,
            exit => exit,
        };
        return Ok(exit::worse(known, similar));
    }
    #[cfg(feature = "inside")]
    if !request.sectors.is_empty() {
        return sectors::run(request, verdicts(&request.only)?, &verdicts(&request.fail_on)?);
    }
    against_sets(request)
}

/// Matches against the known sets.
fn against_sets(request: &Match) -> Result<Exit, Failure> {
    let form: Format =
        json_or(request.json, &request.format).parse().map_err(|e: pfh::manifest::UnknownFormat| Failure::usage(e))?;
    let (only, fail_on) = (verdicts(&request.only)?, verdicts(&request.fail_on)?);
    let session = request.run.session_saying(request.saying)?.levels(&request.levels.asked());
    let mut asked = Request::new(request.input.asked()?, request.sets.asked()?)
        .plan(request.levels.plan(request.run.plan(Vec::new())?))
        .replace(request.force);
    let mut written = Verdicts::new(session.destination(request.output.as_ref())).form(form).only(only);
    written.paint = colour::is_wanted().then_some(show::painted);
    written.command_line = Some(command::of_match(&asked));
    written.place(&mut asked);
    let mut writer = Writer::new(&written, &asked);
    let mut gaps = Gaps::default();
    let mut events = |event: Event<'_>| {
        writer.take(&event)?;
        tell(&session, request.saying.quiet, &mut gaps, &writer, event);
        Ok(())
    };
    let ran = match job::run(&asked, &mut events, &session.control()) {
        Ok(summary) => writer.finish(&summary),
        Err(error) => Err(writer.abandon(error)),
    };
    let ran = ran.map_err(|error| session.ended(error))?;
    session.close();
    if !ran.summary.run.interrupted {
        unmatched(&asked.input, &session);
    }
    Ok(report(request, &asked, &fail_on, &ran, &session))
}

/// Prints problems of the sets and the input.
fn tell(session: &Session, quiet: bool, gaps: &mut Gaps, writer: &Writer<'_>, event: Event<'_>) {
    match event {
        // No fault: the list is read whole.
        Event::Gap(Gap::Guessed { .. }) if quiet => {}
        Event::Gap(gap) => gaps.print(gap),
        // A skip has a line of its own in the output, and needs no second one.
        Event::Match(found) if found.verdict.is_some() || !writer.lists_skips() => session.unread(found.record),
        event => show::sentence(&event).iter().for_each(|sentence| session.message(sentence)),
    }
}

/// Prints the counts, and gives the exit.
fn report(
    request: &Match,
    asked: &Request,
    fail_on: &[KnownStatus],
    written: &WrittenVerdicts,
    session: &Session,
) -> Exit {
    let summary = &written.summary;
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
    let counts = &summary.counts;
    request.run.report(&summary.run);
    let more =
        if written.hits_only && counts.of(KnownStatus::Unknown) > 0 { "; --only unknown lists those" } else { "" };
    if !request.saying.quiet {
        exit::say(summary.sentence() + more);
    }
    match session.exit(&summary.run, 0) {
        exit @ (Exit::Good | Exit::Incomplete) => {
            exit::worse(exit, Exit::of_verdict(summary.conclusion(asked, fail_on)))
        }
        exit => exit,
    }
}
