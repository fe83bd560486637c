//! `pfh lookup`: digests against known sets.

use crate::exit::{self, Exit, Failure};
use crate::matching::verdicts;
use crate::reference::{Gaps, Sets};
use crate::run::json_or;
use crate::show::many;
use clap::Args;
use pfh::known::lookup::{self as job, Event, Request};
use pfh::manifest::UnknownFormat;
use pfh::report::verdict::{self, Format};
use pfh::{Control, Output};

/// Arguments of `pfh lookup`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --digest, digests are read from standard input, one per line.

Exit codes: 0 all are known; 1 a verdict of --fail-on; 2 usage; 3 no digest was given, a line was not one, a set was read in part or is empty, or no
set has digests of that algorithm; 4 a set is damaged.")]
pub struct Lookup {
    /// Sets to search.
    #[command(flatten)]
    pub sets: Sets,
    /// Exit with 1 for these verdicts.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', default_value = "unknown")]
    pub fail_on: Vec<String>,
    /// text or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// Runs a request to its end.
pub fn run(request: &Lookup) -> Exit {
    exit::end(try_run(request))
}

fn try_run(args: &Lookup) -> Result<Exit, Failure> {
    let request = Request::new(args.sets.asked()?);
    let form: Format = json_or(args.json, &args.format).parse().map_err(|e: UnknownFormat| Failure::usage(e))?;
    if !matches!(form, Format::Text | Format::Jsonl) {
        return Err(Failure::usage("lookup writes text or jsonl"));
    }
    let fail_on = verdicts(&args.fail_on)?;
    let mut gaps = Gaps::default();
    let mut output = Output::standard();
    let mut events = |event: Event<'_>| match event {
        Event::Gap(gap) => {
            gaps.print(gap);
            Ok(())
        }
        Event::Fault { line, fault } => {
            exit::say(format_args!("standard input:{line}: {fault}"));
            Ok(())
        }
        Event::Answer(found) => {
            verdict::digest(output.room(), form, found.digest, found.word(), &found.places(), found.answer.empty);
            output.advance()
        }
        _ => Ok(()),
    };
    let ran = job::run(&request, &mut events, &Control::new());
    let ended = output.commit().map_err(pfh::job::Error::Sink);
    let summary = ran.and_then(|summary| ended.map(|()| summary));
    let summary = summary.map_err(|error| Failure::of(&error, Exit::Aborted))?;
    let incomparable = summary.incomparable;
    if incomparable > 0 {
        let one = "digest has an algorithm that no set holds: nothing to compare it with";
        exit::say(many(incomparable, one, "digests have algorithms that no set holds: nothing to compare them with"));
    }
    if summary.is_empty() {
        exit::say("standard input holds no digest: nothing was looked up");
    }
    Ok(Exit::of_verdict(summary.conclusion(&fail_on)))
}
