//! `pfh compare`: every pair of similar files.

use crate::dry;
use crate::exit::{self, Exit, Failure};
use crate::input::{Input, unmatched};
use crate::leveling::Leveling;
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
                     indexes of such; files before a last index are compared with those in it only";

/// The words and columns of the table, and where each method is blind.
const WORDS: &str = "\
Two files; # is for bytes that both hold, and few others:
  equal       nearly-equal  a-in-b        b-in-a        shares        alike
  a [######]  a [######-]   a   [####]    a [-####---]  a [--###]     a [~~~~~~]
  b [######]  b [######+]   b [++####++]  b  [####]     b   [###+++]  b [~~~~~~]

The table, the surest row first:
  equal         the same bytes
  nearly-equal  each file holds 80 % of what the other has for itself
  a-in-b        the second file holds 80 % of what the first has for itself; b-in-a the reverse
  shares        both hold some bytes that few other files hold
  alike         digests are alike; no bytes need be the same
  score         0 to 100: of shared bytes, how much of the smaller file they are, where bytes \
that many files hold count little and templates of programs nothing
  shared        about how many bytes both hold, all counted
  a in b        how much of the first file they are; b in a: of the second
  once in       one of that many pairs of unrelated files of these kinds is as much alike

Blind spots:
  shingles      a change in every 32 bytes; compressed or encrypted contents
  ssdeep        parts below a seventh of a file, parts in another order
  sdhash        changes in every 64 bytes; digests of long plain files are like any other
  mrsh-v2       changes in every 300 bytes
  tlsh          parts of a file; files of one format look alike from 100 on
  strings       other files than programs; packed ones, which are marked (UPX and others that name it)
  text          other files than texts
  cells         other files than tables; tables of short numbers; changed values
  pdq           other files than pictures; pictures that were cut
  crops         other files than pictures; parts below a quarter; pictures without corners, turned by \
less than a quarter";

/// An order of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The highest score or the least distance first.
    Score,
    /// By the bytes of the names: of the first file of a pair, then of the other.
    Path,
}

/// Which files are one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Linkage {
    /// Every two files are alike.
    #[default]
    Complete,
    /// Chains of pairs.
    Single,
}

/// The arguments of `pfh compare`.
#[derive(Debug, Default, Args)]
#[command(after_help = WORDS, mut_arg("paths", |paths| paths.help(PATHS)), mut_arg("recursive", |recursive| recursive.hide(true)))]
pub struct Compare {
    /// The input. Directories are always walked; -r is accepted and changes nothing.
    #[command(flatten)]
    pub input: Input,
    /// Algorithms, separated by commas: shingles, ssdeep, sdhash, mrsh-v2, tlsh, strings and
    /// imports (of executables), text (in any form), cells (of tables), pdq, phash and crops
    /// (pictures); others, as imphash and richhash, pair equal digests [default: those of the
    /// lists, else all but imports and phash at once, one row a pair].
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Minimum score of a pair (tlsh, pdq, phash: maximum distance; with --evidence: minimum number
    /// shared): N for all, NAME=N for one [default: shingles=3, ssdeep=1, sdhash=30, mrsh-v2=21,
    /// tlsh=60, strings=20, imports=55, text=5, cells=30, pdq=31, phash=6, crops=6].
    #[arg(long, value_name = "[NAME=]N", value_delimiter = ',')]
    pub threshold: Vec<String>,
    /// Behave like the reference tools: their thresholds (every score above 0), and sdhash's ties
    /// decided by name.
    #[arg(long)]
    pub parity: bool,
    /// Pairs that certainly share chunks (mrsh-v2, 5 at least) or features (sdhash, 10), with the
    /// number shared; the score decides nothing. Needs the files.
    #[arg(long)]
    pub evidence: bool,
    /// Include pairs with saturated sdhash digests, which match random data. By default they are
    /// left out and counted, except with --parity or --evidence.
    #[arg(long)]
    pub saturated: bool,
    /// Second set (paths or lists): only pairs with one file from each set.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub against: Vec<OsString>,
    /// Only the N best pairs of each algorithm, best first unless --sort is given. The page of
    /// --html has all pairs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "cluster")]
    pub top: Option<u64>,
    /// Order of an algorithm's pairs: score (best first) or path (by the bytes of the names)
    /// [default: order of comparison, like the tools].
    #[arg(long, value_name = "ORDER", value_enum, conflicts_with = "cluster")]
    pub sort: Option<Sort>,
    /// Print groups, not pairs.
    #[arg(long)]
    pub cluster: bool,
    /// Groups whose members are all alike (complete), or chains of pairs as `ssdeep -g` has them
    /// (single).
    #[arg(long, value_name = "LINKAGE", value_enum, default_value = "complete", requires = "cluster")]
    pub linkage: Linkage,
    /// Extend the groups of an earlier run, the output of --cluster --json: they keep their numbers
    /// and members, and get those files that are like each member.
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub groups: Option<PathBuf>,
    /// text (a table, or like the tool of one algorithm), csv, jsonl, or values (name, hash value,
    /// score, other name, other hash value, separated by tabs).
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub format: String,
    /// Same as -f jsonl.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Also write an HTML page with a graph of the groups, the scores and a table.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Hash every file, even one that looks like a list of digests.
    #[arg(long)]
    pub no_lists: bool,
    /// Write to FILE, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Messages.
    #[command(flatten)]
    pub saying: Saying,
    /// How much findings count.
    #[command(flatten)]
    pub levels: Leveling,
    /// Reading and hashing; the memory also bounds the index and the sorter.
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
    let session = compare.run.session_saying(compare.saying)?.levels(&compare.levels.asked());
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
    // The natural word for two states of a folder: what differs between them is another command.
    if let [one, other] = &request.input.paths[..]
        && request.against.is_empty()
        && [one, other].iter().all(|path| std::path::Path::new(path).is_dir())
    {
        let [one, other] = [one, other].map(|path| crate::shell::quoted(path));
        session
            .message(format_args!("these are similar files; for what differs between the two: pfh diff {one} {other}"));
    }
    let incomplete = summary.faults > 0 || !summary.comparable;
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
        .plan(compare.levels.plan(compare.run.plan(Vec::new())?), memory)
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
    request.linkage = match compare.linkage {
        Linkage::Complete => job::Linkage::Complete,
        Linkage::Single => job::Linkage::Single,
    };
    request.earlier.clone_from(&compare.groups);
    request.page = compare.html.clone();
    request.command = crate::call::line();
    Ok(request)
}
