//! `pfh lookup`: digests against known sets.

use crate::exit::{self, Exit, Failure};
use crate::matching::verdicts;
use crate::reference::{Gaps, Sets};
use clap::Args;
use pfh::Output;
use pfh::known::Verdict;
use pfh::manifest::known::{Kind, Options, read};
use pfh::matching::{Counts, Reference};
use pfh::report::verdict::{self, Form};
use pfh::{Algorithm, Digest};
use std::io;
use std::ops::ControlFlow;

/// What to look up where.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --digest the digests are read from standard input, one a line.

Exit codes: 0 all are known; 1 a verdict of --fail-on; 3 a line was no digest, a set was read in part or is empty, or no set has
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
}

/// What a digest gets where no set has any of its algorithm.
const NOTHING: &str = "nothing-to-compare-with";

/// Runs a request to its end.
pub fn run(request: &Lookup) -> Exit {
    exit::end(try_run(request))
}

/// Answers, one digest after the other.
struct Answers {
    reference: Reference,
    form: Form,
    output: Output,
    counts: Counts,
    /// Digests of algorithms of which no set has any.
    incomparable: u64,
}

impl Answers {
    fn give(&mut self, digest: &Digest) -> io::Result<()> {
        if !self.reference.has(digest.algorithm()) {
            self.incomparable += 1;
            verdict::digest(self.output.room(), self.form, digest, NOTHING, &[], false);
            return self.output.advance();
        }
        let answer = self.reference.ask(std::slice::from_ref(digest)).map_err(io::Error::other)?;
        let verdict = self.reference.verdict(&answer);
        self.counts.add(verdict);
        let places = self.reference.places(&answer);
        verdict::digest(self.output.room(), self.form, digest, verdict.name(), &places, answer.empty);
        self.output.advance()
    }
}

fn try_run(request: &Lookup) -> Result<Exit, Failure> {
    let form: Form = request.format.parse().map_err(|e: pfh::manifest::UnknownFormat| Failure::usage(e))?;
    if !matches!(form, Form::Text | Form::Jsonl) {
        return Err(Failure::usage("lookup writes text or jsonl"));
    }
    let fail_on = verdicts(&request.fail_on)?;
    if request.sets.known.is_empty() {
        return Err(Failure::usage("there is nothing to look up in: give --known FILE"));
    }
    let sets = request.sets.asked()?;
    let sought = sets.digests().map_err(Failure::usage)?;
    let mut gaps = Gaps::default();
    let opened = sets.open_known(&mut |gap| gaps.print(gap)).map_err(Failure::usage)?;
    let (reference, output) = (opened.reference, Output::standard());
    let mut answers = Answers { reference, form, output, counts: Counts::default(), incomparable: 0 };
    let faults = if sought.is_empty() {
        from_standard_input(&sets.algorithms, &mut answers)?
    } else {
        sought.iter().try_for_each(|digest| answers.give(digest)).map_err(|error| Failure::output(&error))?;
        0
    };
    let Answers { output, counts, incomparable, .. } = answers;
    output.commit().map_err(|error| Failure::output(&error))?;
    if incomparable > 0 {
        exit::say(format!(
            "{incomparable} digests are of algorithms of which no set has any: nothing to compare them with"
        ));
    }
    let counted = |verdict: &Verdict| counts.of(*verdict) > 0;
    let (absent, present): (Vec<Verdict>, Vec<Verdict>) =
        fail_on.into_iter().partition(|verdict| *verdict == Verdict::Unknown);
    // That a set has none says little where some of it could not be read; what was found stays found.
    Ok(match opened.gaps + incomparable {
        _ if present.iter().any(counted) => Exit::Verdict,
        0 if absent.iter().any(counted) => Exit::Verdict,
        0 if faults == 0 => Exit::Good,
        _ => Exit::Incomplete,
    })
}

/// Answers what standard input asks, and gives the number of its lines that hold no digest.
fn from_standard_input(assumed: &[Algorithm], answers: &mut Answers) -> Result<u64, Failure> {
    let options = Options { kind: Some(Kind::List), assumed: assumed.to_vec(), ..Options::default() };
    let (mut faults, mut failed) = (0_u64, None);
    let ended = read(io::stdin().lock(), &options, &mut |line, record| {
        match record {
            Ok(known) => failed = known.digests.iter().try_for_each(|digest| answers.give(digest)).err(),
            Err(fault) => {
                faults += 1;
                exit::say(format!("standard input:{line}: {fault}"));
            }
        }
        if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    ended.map_err(|error| Failure::aborted(format_args!("standard input: {error}")))?;
    failed.map_or(Ok(faults), |error| Err(Failure::output(&error)))
}
