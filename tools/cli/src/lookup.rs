//! `pfh lookup`: digests from standard input against known sets.

use crate::exit::{self, Exit};
use crate::matching::verdicts;
use crate::reference::Sets;
use crate::run::algorithms;
use clap::Args;
use pfh::format::known::{Kind, Options, read};
use pfh::format::verdict::{self, Form};
use pfh::known::Verdict;
use pfh::sink::Output;
use pfh::sink::matching::Counts;
use std::io;
use std::ops::ControlFlow;

/// What to look up where.
#[derive(Debug, Args)]
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
}

/// Runs a request to its end.
pub fn run(request: &Lookup) -> Exit {
    match try_run(request) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn try_run(request: &Lookup) -> Result<Exit, String> {
    let form: Form = request.format.parse().map_err(|e: pfh::format::UnknownFormat| e.to_string())?;
    if !matches!(form, Form::Text | Form::Jsonl) {
        return Err("lookup writes text or jsonl".into());
    }
    let fail_on = verdicts(&request.fail_on)?;
    let reference = request.sets.open()?;
    let assumed = if request.sets.algorithms.is_empty() { Vec::new() } else { algorithms(&request.sets.algorithms)? };
    let options = Options { kind: Some(Kind::List), assumed, ..Options::default() };
    let mut output = Output::standard();
    let (mut counts, mut faults, mut failed) = (Counts::default(), 0_u64, None);
    let ended = read(io::stdin().lock(), &options, &mut |line, record| {
        let known = match record {
            Ok(known) => known,
            Err(fault) => {
                faults += 1;
                exit::say(format!("standard input:{line}: {fault}"));
                return ControlFlow::Continue(());
            }
        };
        let mut answer = || -> io::Result<()> {
            for digest in &known.digests {
                let answer = reference.ask(std::slice::from_ref(digest)).map_err(io::Error::other)?;
                let verdict = reference.verdict(&answer);
                counts.add(verdict);
                let places = reference.places(&answer);
                verdict::digest(output.room(), form, digest, verdict.name(), &places, answer.empty);
            }
            output.advance()
        };
        failed = answer().err();
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Err(error) = ended {
        exit::say(format!("standard input: {error}"));
        return Ok(Exit::Aborted);
    }
    if let Some(error) = failed {
        return Ok(exit::of_output(&error));
    }
    if let Err(error) = output.commit() {
        return Ok(exit::of_output(&error));
    }
    let negative = fail_on.iter().any(|verdict: &Verdict| counts.of(*verdict) > 0);
    Ok(match (negative, faults) {
        (true, _) => Exit::Verdict,
        (false, 0) => Exit::Good,
        (false, _) => Exit::Incomplete,
    })
}
