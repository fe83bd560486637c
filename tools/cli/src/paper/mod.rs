//! The paper's own command line: `pfh -c hash -m 256 -d t5 -r`.
//!
//! It starts with an option where the modern form starts with a command. [`pfh::paper`] has the
//! meaning of its letters; here they are parsed, and the results are printed.

mod form;

pub use form::page;

use crate::exit::{self, Exit, Failure};
use crate::hash::Hash;
use crate::run::Run;
use crate::show::stats;
use crate::{compare, hash};
use clap::Parser;
use form::Form;
use pfh::paper::{Letters, PaperJob, PaperSettings, resolve};
use pfh::terminal::render as shown;
use std::ffi::OsString;

/// Whether the arguments are in the paper's form: an option comes first, and `-d` is among them, or
/// a mode of the form, or they ask for its help.
pub fn is_paper(arguments: &[OsString]) -> bool {
    let Some(first) = arguments.first().and_then(|word| word.to_str()) else { return false };
    if !first.starts_with('-') || ["--help", "--help-all", "--version", "-V", "-", "--"].contains(&first) {
        return false;
    }
    let before = || arguments.iter().take_while(|word| *word != "--").map(|word| word.as_encoded_bytes());
    let is_directory = |word: &[u8]| word.starts_with(b"-d") || word.starts_with(b"-rd");
    let is_mode = |mode: &OsString| ["hash", "full"].iter().any(|name| mode.eq_ignore_ascii_case(name));
    arguments == ["-h"]
        || before().any(is_directory)
        || arguments.windows(2).any(|pair| pair[0] == "-c" && is_mode(&pair[1]))
        || (["-c", "-m", "-p", "-r", "-t"].contains(&first) && before().any(|word| word == b"--help"))
}

/// Runs the request to its end. `pfh -h` alone explains the form.
pub fn run(arguments: &[OsString]) -> Exit {
    if arguments == ["-h"] || arguments.iter().any(|word| word == "--help") {
        let explained = page().term_width(120).render_long_help();
        return match exit::print(explained.to_string().as_bytes()) {
            Ok(()) => Exit::Good,
            Err(error) => exit::of_output(&error),
        };
    }
    let program = OsString::from("pfh");
    match Form::try_parse_from(std::iter::once(&program).chain(arguments)) {
        Ok(form) => exit::end(carry_out(&form)),
        Err(error) => {
            let line = error.render().to_string();
            let line = line.lines().next().unwrap_or_default().trim_start_matches("error: ");
            let options = "the paper's form has -c -d -r -h -m -t -p; pfh -h explains it";
            exit::say(format!("{}; {options}", shown(line.as_bytes())));
            Exit::Usage
        }
    }
}

/// The request of the form, defaults resolved.
fn resolved(form: &Form) -> Result<PaperSettings, Failure> {
    let letters = Letters {
        mode: form.mode.clone(),
        directory: form.directory.clone(),
        recursive: form.recursive,
        algorithm: form.algorithm.clone(),
        // Fits: at most 2^24 times 10^6.
        memory: form.memory.map(|megabytes| megabytes as usize * 1_000_000),
        threads: form.threads.map(usize::from),
        prefetchers: form.prefetchers,
        order: form.order.into(),
    };
    resolve(&letters).map_err(|error| Failure::of(&error, Exit::Aborted))
}

fn carry_out(form: &Form) -> Result<Exit, Failure> {
    let run = Run { no_progress: form.no_progress, ..Run::default() };
    run.set_patience();
    let PaperSettings { asked, family, .. } = resolved(form)?;
    if let (Some(member), Some(name)) = (family, &form.algorithm) {
        exit::say(format_args!("note: -h {name} is a family of algorithms; this is {member}"));
    }
    let session = run.session()?;
    match asked {
        PaperJob::Hash { request, mut manifest } => {
            manifest.output = session.destination(None);
            let (exit, summary) = hash::carry_out(&Hash { run, ..Hash::default() }, &request, manifest, &session)?;
            figures(form, Some(&summary.run), None);
            Ok(exit)
        }
        PaperJob::Full(mut request) => {
            request.output = session.destination(None);
            let (exit, summary) = compare::carry_out(&run, &request, &session)?;
            figures(form, summary.run.as_ref(), Some(&summary.comparing));
            Ok(exit)
        }
        PaperJob::Sought(mut request) => {
            request.output = session.destination(None);
            let (exit, summary) = compare::carry_out(&run, &request, &session)?;
            figures(form, summary.run.as_ref(), Some(&summary.comparing));
            Ok(if exit == Exit::Good && summary.pairs == 0 { Exit::Verdict } else { exit })
        }
        #[cfg(feature = "known")]
        PaperJob::Known { request, mut verdicts } => {
            verdicts.output = session.destination(None);
            known(form, &run, &request, &verdicts, &session)
        }
        _ => Err(Failure::usage("this build has no such mode")),
    }
}

/// FILENAME mode with a set of known files.
#[cfg(feature = "known")]
fn known(
    form: &Form,
    run: &Run,
    request: &pfh::matching::Request,
    verdicts: &pfh::matching::Verdicts,
    session: &crate::session::Session,
) -> Result<Exit, Failure> {
    use crate::reference::Gaps;
    use pfh::matching::{self, Event};

    let mut gaps = Gaps::default();
    let ran = matching::write(
        request,
        verdicts,
        &mut |event| {
            match event {
                Event::Gap(gap) => gaps.print(gap),
                Event::Match(found) => session.unread(found.record),
                // A match is a result here, of any class.
                Event::NoClass(_) => {}
                event => crate::show::matching::sentence(&event).iter().for_each(|sentence| session.message(sentence)),
            }
            Ok(())
        },
        &session.control(),
    );
    let summary = ran.map_err(|error| session.ended(error))?.summary;
    session.close();
    if !summary.comparable {
        exit::say("nothing to compare with: no set holds a digest");
        return Ok(Exit::Incomplete);
    }
    run.note(&summary.run);
    figures(form, Some(&summary.run), None);
    Ok(match session.exit(&summary.run, 0) {
        Exit::Good if summary.gaps > 0 => Exit::Incomplete,
        Exit::Good if summary.known() == 0 => Exit::Verdict,
        exit => exit,
    })
}

/// Prints the figures that were asked for.
fn figures(form: &Form, run: Option<&pfh::Summary>, comparing: Option<&pfh::compare::Comparing>) {
    if form.with_timing {
        exit::lines(&stats::timing(run, comparing));
    }
    if form.with_stats {
        exit::lines(&stats::states(run));
    }
}

#[cfg(test)]
mod tests;
