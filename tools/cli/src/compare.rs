//! `pfh compare`: every pair of similar files.

use crate::dry;
use crate::exit::{self, Exit, Failure};
use crate::input::{Input, unmatched};
use crate::run::{Run, algorithms_or_none, json_or};
use crate::saying::Saying;
use crate::session::Session;
use crate::show::compare::sentences;
use clap::{Args, ValueEnum};
use pfh::Recurse;
use pfh::compare::{self as job, By, Event, Request, Summary, ThresholdError, Thresholds};
use pfh::report::pairs::{Format, UnknownFormat};
use std::ffi::OsString;
use std::path::PathBuf;

/// The operands.
const PATHS: &str = "Directories with everything below, files, and lists of digests as ssdeep, sdhash, mrsh-v2 and pfh write them, or \
                     indexes of such";

/// An order of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The highest score or the least distance first.
    Score,
    /// By the bytes of the names: of what is written first, then of the other.
    Path,
}

/// The arguments of `pfh compare`.
#[derive(Debug, Default, Args)]
#[command(mut_arg("paths", |paths| paths.help(PATHS)), mut_arg("recursive", |recursive| recursive.hide(true)))]
pub struct Compare {
    /// The input. Directories are walked in any case: -r is taken, as by the other commands, and
    /// changes nothing.
    #[command(flatten)]
    pub input: Input,
    /// Algorithms, separated by commas: ssdeep, sdhash, mrsh-v2, tlsh … of others, equal digests
    /// are pairs [default: those of the lists; mrsh-v2 without lists].
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The least score of a pair, or the greatest distance for tlsh: N for all, NAME=N for one
    /// [default: ssdeep=1, sdhash=21, mrsh-v2=21, tlsh=30].
    #[arg(long, value_name = "[NAME=]N", value_delimiter = ',')]
    pub threshold: Vec<String>,
    /// As the reference tools: their thresholds (every score above 0), and names decide sdhash's
    /// ties.
    #[arg(long)]
    pub parity: bool,
    /// Only pairs that share a chunk (mrsh-v2) or a feature (sdhash) for certain, and how many;
    /// needs the files.
    #[arg(long)]
    pub evidence: bool,
    /// Also pairs with sdhash digests that are saturated: those match random data, and so anything.
    /// Otherwise they are left out and counted, unless --parity or --evidence is given.
    #[arg(long)]
    pub saturated: bool,
    /// A second set: only pairs of one from each. Paths or lists, one or more.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub against: Vec<OsString>,
    /// Only the N best pairs of each algorithm: the highest scores, or the least distances; of
    /// equal ones those that come first. They are listed best first, unless --sort says otherwise.
    /// A page of --html is of all pairs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "cluster")]
    pub top: Option<u64>,
    /// The order of an algorithm's pairs: score (the best first) or path (by the bytes of the
    /// names) [default: as the tools have it, in the order of what is compared].
    #[arg(long, value_name = "ORDER", value_enum, conflicts_with = "cluster")]
    pub sort: Option<Sort>,
    /// Groups that pairs link together, instead of the pairs.
    #[arg(long)]
    pub cluster: bool,
    /// text (as the algorithm's own tool prints), csv, jsonl, or values (name, hash value, score,
    /// and name and hash value of the other, with tabs between them).
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// The same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Also a page with the groups as a graph, the scores and a table.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Hash every file, also one that looks like a list of digests.
    #[arg(long)]
    pub no_lists: bool,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// Messages.
    #[command(flatten)]
    pub saying: Saying,
    /// How it is carried out; the memory also bounds the index and what waits to be sorted.
    #[command(flatten)]
    pub run: Run,
}

/// Runs a request to its end.
pub fn run(compare: &Compare) -> Exit {
    exit::end(try_run(compare))
}

fn try_run(compare: &Compare) -> Result<Exit, Failure> {
    let form: Format = json_or(compare.json, &compare.format).parse().map_err(|e: UnknownFormat| Failure::usage(e))?;
    let thresholds = Thresholds::parse(&compare.threshold, compare.parity).map_err(no_threshold)?;
    let session = compare.run.session_saying(compare.saying)?;
    if compare.saying.dry_run {
        return dry::run(&compare.input.asked()?.recurse(Recurse::Yes), &session);
    }
    let mut request = asked(compare, &session)?;
    (request.thresholds, request.form) = (thresholds, form);
    let (exit, summary) = carry_out(&compare.run, &request, &session)?;
    if let Some(form) = compare.run.stats {
        exit::lines(&crate::show::stats::render_compared(summary.run.as_ref(), &summary.comparing, form));
    }
    Ok(exit)
}

/// Runs the job, prints messages on the way, and returns the exit: incomplete, or good.
///
/// # Errors
/// The job's.
pub fn carry_out(run: &Run, request: &Request, session: &Session) -> Result<(Exit, Summary), Failure> {
    let statistics = run.stats.is_some();
    let ran = job::write(
        request,
        &mut |event| {
            match event {
                Event::Unread(record) => session.unread(record),
                Event::Passed(summary) => session.suspended(|| run.note(summary)),
                event => sentences(&event, request, statistics).iter().for_each(|line| session.message(line)),
            }
            Ok(())
        },
        &session.control(),
    );
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    unmatched(&request.input, session);
    let Summary { pairs, faults, directories, comparable, .. } = summary;
    let incomplete = faults > 0 || !comparable || (directories > 0 && pairs == 0);
    Ok((if incomplete { Exit::Incomplete } else { Exit::Good }, summary))
}

fn no_threshold(error: ThresholdError) -> Failure {
    match error {
        ThresholdError::Number(text) => Failure::usage(format!("--threshold takes a number, not {text:?}")),
        error => Failure::usage(error),
    }
}

/// The job that is asked for.
fn asked(compare: &Compare, session: &Session) -> Result<Request, Failure> {
    let memory = compare.run.memory.map(|memory| memory as usize);
    let mut request = Request::new(compare.input.asked()?.recurse(Recurse::Yes))
        .plan(compare.run.plan(Vec::new())?, memory)
        .output(session.destination(compare.output.as_ref()))
        .replace(compare.force);
    request.against = compare.against.clone();
    request.lists = !compare.no_lists;
    request.algorithms = algorithms_or_none(&compare.algorithms)?;
    request.evidence = compare.evidence;
    request.parity = compare.parity;
    request.saturated = compare.saturated;
    request.top = compare.top;
    request.sort = compare.sort.map(|sort| match sort {
        Sort::Score => By::Score,
        Sort::Path => By::Path,
    });
    request.cluster = compare.cluster;
    request.page = compare.html.clone();
    Ok(request)
}
