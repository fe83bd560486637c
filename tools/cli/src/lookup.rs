//! `pfh lookup`: digests against known sets.

use crate::exit::{self, Exit, Failure};
use crate::matching::verdicts;
use crate::reference::{Gaps, Sets};
use crate::run::json_or;
use clap::Args;
use pfh::Control;
use pfh::known::lookup::{self as job, Event, Request};

/// What to look up where.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --digest the digests are read from standard input, one a line.

Exit codes: 0 all are known; 1 a verdict of --fail-on; 2 usage; 3 a line was no digest, a set was read in part or is empty, or no set has
digests of that algorithm; 4 a set is damaged.")]
pub struct Lookup {
    /// Where it is looked up.
    #[command(flatten)]
    pub sets: Sets,
    /// Verdicts that make the exit code 1.
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', default_value = "unknown")]
    pub fail_on: Vec<String>,
    /// text or jsonl.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// The same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

/// Runs a request to its end.
pub fn run(request: &Lookup) -> Exit {
    exit::end(try_run(request))
}

fn try_run(args: &Lookup) -> Result<Exit, Failure> {
    let mut request = Request::new(args.sets.asked()?);
    request.form = json_or(args.json, &args.format)
        .parse()
        .map_err(|error: pfh::manifest::UnknownFormat| Failure::usage(error))?;
    let fail_on = verdicts(&args.fail_on)?;
    let mut gaps = Gaps::default();
    let mut say = |event: Event<'_>| match event {
        Event::Gap(gap) => gaps.print(gap),
        Event::Fault { line, fault } => exit::say(format_args!("standard input:{line}: {fault}")),
        _ => {}
    };
    let ran = job::run(&request, &mut say, &Control::new());
    let summary = ran.map_err(|error| Failure::of(&error, Exit::Aborted))?;
    let incomparable = summary.incomparable;
    if incomparable > 0 {
        exit::say(format_args!(
            "{incomparable} digests have algorithms that no set holds: nothing to compare them with"
        ));
    }
    Ok(match summary.counts.fails(&fail_on, summary.gaps + incomparable == 0) {
        true => Exit::Verdict,
        false if summary.gaps + incomparable + summary.faults > 0 => Exit::Incomplete,
        false => Exit::Good,
    })
}
