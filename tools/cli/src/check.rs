//! `pfh check`: files against a manifest.

mod print;

use crate::exit::{self, Exit, Failure};
use crate::run::{Run, algorithms_or_none};
use crate::shown;
use clap::{Args, ValueEnum};
use pfh::Algorithm;
use pfh::check::{self as job, Request, Summary, Task, Verdict};
use pfh::manifest::{End, Ending};
use print::Printer;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How an audit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wording {
    /// Lines for people.
    Text,
    /// A JSON object per line.
    Jsonl,
    /// hashdeep's words.
    Hashdeep,
}

/// What to check.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Check {
    /// Manifests, in any format that pfh reads; - is standard input. A directory behind the last of
    /// them is ROOT.
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifests: Vec<PathBuf>,
    /// The directory in which the names start [default: the working directory; if that has none of
    /// them, the directory of the manifest, or the one that it records]. Names that begin with the
    /// path of another directory are looked for here without it.
    #[arg(long, value_name = "DIR")]
    pub root: Option<OsString>,
    /// Class the whole tree: matched, metadata-only, modified, bit-rot, moved, copied, new,
    /// missing, unverified.
    #[arg(long)]
    pub audit: bool,
    /// Audit only this part of ROOT; what lies elsewhere is unverified, and no fault.
    #[arg(long, value_name = "PATH", requires = "audit")]
    pub below: Vec<OsString>,
    /// Follow symbolic links while walking.
    #[arg(short = 'L', long, requires = "audit")]
    pub follow: bool,
    /// What an audit prints: text, jsonl, or hashdeep's wording.
    #[arg(short = 'f', long = "format", value_name = "FORMAT", default_value = "text", requires = "audit", value_parser = wording, hide_possible_values = true)]
    pub wording: Wording,
    /// Print also what matched, and what differs in its times alone.
    #[arg(long, requires = "audit")]
    pub all: bool,
    /// Names may lead out of ROOT, by `..`, by links, or as absolute names.
    #[arg(long, conflicts_with = "audit")]
    pub allow_outside: bool,
    /// Files that are not there do not count, and are not listed.
    #[arg(long, conflicts_with = "audit")]
    pub ignore_missing: bool,
    /// Do not print OK for every file.
    #[arg(long)]
    pub quiet: bool,
    /// Print nothing: the exit code has the verdict.
    #[arg(long)]
    pub status: bool,
    /// Lines that are no records make the exit code 1.
    #[arg(long)]
    pub strict: bool,
    /// What the manifest holds and nobody could compare (lines that are no records, unknown
    /// algorithms, errors when it was made, a missing end) is reported and does not make the exit
    /// code 3: as GNU's tools have it.
    #[arg(long, conflicts_with = "strict")]
    pub lenient: bool,
    /// List every line that is no record.
    #[arg(short, long)]
    pub warn: bool,
    /// The manifest's records end with NUL (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// The algorithm of digests that do not say theirs; lines that name others are left out.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// The manifest must have a seal that is signed with this key.
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

const EXITS: &str = "\
Exit codes: 0 every file is what the manifest says, and all of the manifest was compared; 1 a file differs or is missing, or the
seal does not hold; 2 usage, or no such manifest; 3 something could not be read or compared, or there was nothing to compare
with; 4 the manifest is broken off in the middle of a document.";

fn wording(text: &str) -> Result<Wording, Failure> {
    Wording::from_str(text, false).map_err(|_| {
        Failure::usage(format_args!("an audit is written as text, jsonl or hashdeep, not {}", shown(text.as_bytes())))
    })
}

/// Runs a request to its end.
pub fn run(request: &Check) -> Exit {
    exit::end(try_run(request))
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

fn try_run(request: &Check) -> Result<Exit, Failure> {
    let mut manifests = &request.manifests[..];
    let mut root = request.root.as_deref();
    if let ([before @ .., last], None) = (manifests, root)
        && !before.is_empty()
        && last.is_dir()
    {
        (manifests, root) = (before, Some(last.as_os_str()));
    }
    if let Some(directory) = manifests.iter().find(|path| path.is_dir()) {
        let directory = name(directory);
        return Err(Failure::usage(format!("{directory} is a directory: give the manifest first, then the directory")));
    }
    if let (true, [_, _, ..]) = (request.audit, manifests) {
        return Err(Failure::usage("an audit is of one manifest: of two, what one has is new to the other"));
    }
    let assumed = algorithms_or_none(&request.algorithms)?;
    let mut worst = Exit::Good;
    for manifest in manifests {
        let exit = check(request, &asked(request, manifest, root, &assumed)?).unwrap_or_else(Failure::report);
        if matches!(exit, Exit::Signal(_)) {
            return Ok(exit);
        }
        worst = exit::worse(worst, exit);
    }
    Ok(worst)
}

/// The job that is asked for one manifest.
fn asked(request: &Check, manifest: &Path, root: Option<&OsStr>, assumed: &[Algorithm]) -> Result<Request, Failure> {
    let task = if request.audit {
        Task::Audit { below: request.below.clone(), follow: request.follow }
    } else {
        Task::Files { allow_outside: request.allow_outside, ignore_missing: request.ignore_missing }
    };
    let mut job = Request::new(manifest)
        .task(task)
        .algorithms(assumed.to_vec())
        .end(if request.zero { End::Nul } else { End::Line })
        .key(request.key.clone())
        .plan(request.run.plan(Vec::new())?);
    job.root = root.map(OsStr::to_owned);
    Ok(job)
}

/// Checks one manifest to its end.
fn check(request: &Check, asked: &Request) -> Result<Exit, Failure> {
    let session = request.run.session()?;
    let mut printer = Printer { request, session: &session, manifest: &asked.manifest, changes: Vec::new() };
    let ran = job::run(asked, &mut |event| printer.event(event), &session.control());
    let summary = ran.map_err(|error| session.failed(error))?;
    printer.end(&summary).map_err(|error| Failure::output(&error))?;
    drop(session);
    Ok(report(request, &summary))
}

/// Prints what is to be said of a whole check, and gives its exit.
fn report(request: &Check, summary: &Summary) -> Exit {
    let exit = match summary.verdict() {
        Verdict::Verified => Exit::Good,
        Verdict::Differs => Exit::Verdict,
        Verdict::Incomplete | Verdict::NothingToCompareWith => Exit::Incomplete,
    };
    if !request.status {
        for sentence in summary.warnings() {
            exit::say(format!("WARNING: {sentence}"));
        }
    }
    let exit = match exit {
        _ if summary.ending == Ending::Broken => Exit::Aborted,
        exit if summary.improper && request.strict => exit::worse(exit, Exit::Verdict),
        exit if !summary.not_compared.is_empty() && !request.lenient => exit::worse(exit, Exit::Incomplete),
        exit => exit,
    };
    if !(request.status || request.quiet && exit == Exit::Good && summary.is_plain()) {
        exit::say(summary.sentence());
    }
    exit
}
