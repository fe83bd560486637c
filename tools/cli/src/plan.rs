//! `pfh plan`, `pfh run` and `pfh merge`: one manifest by many processes.

use crate::exit::{self, Exit, Failure};
use crate::input::{Input, unmatched};
use crate::run::{Run, algorithms};
use crate::session::{Session, amount, without_digest};
use crate::show::{counted, plan as show};
use crate::size;
use crate::{command, config, hash};
use clap::Args;
use pfh::NameList;
use pfh::hash::Sealing;
use pfh::manifest::row;
use pfh::manifest::{End, Format, Layout, Marker};
use pfh::plan::{Event, MadeRow, MergedRecord, Problem, make, merge, unit};
use std::path::{Path, PathBuf};

/// Missing names that are printed.
const NAMED: usize = 10;

/// `pfh plan`.
#[derive(Debug, Args)]
pub struct Plan {
    /// The input.
    #[command(flatten)]
    pub input: Input,
    /// Algorithms, separated by commas: see `pfh algorithms`.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',', default_value = "sha256")]
    pub algorithms: Vec<String>,
    /// sums, bsd, hashdeep, dfxml, jsonl or csv; for similarity digests also their own ssdeep, sdbf
    /// and mrsh.
    #[arg(short, long, value_name = "FORMAT", default_value = "sums")]
    pub format: String,
    /// End records with NUL and do not escape names (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// Mark names with an asterisk, like GNU's tools (sums).
    #[arg(long)]
    pub binary: bool,
    /// Also hash every window of SIZE bytes (hashdeep, dfxml, jsonl).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Read larger files in independent ranges of SIZE bytes, also on other machines: for blake3,
    /// kt128 and other trees (a power of two for blake3).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub split: Option<u64>,
    /// Maximum size of a unit; a larger file is a unit by itself.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "2GiB")]
    pub unit: u64,
    /// Maximum number of files in a unit.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub files: u64,
    /// Start relative names in DIR; all files lie there, and `run --base` says where else.
    #[arg(long, value_name = "DIR")]
    pub base: Option<PathBuf>,
    /// Directory of the plan, which is created.
    #[arg(short, long, value_name = "PLAN")]
    pub output: PathBuf,
    /// Print the result as a JSON object.
    #[arg(long)]
    pub json: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh run`.
#[derive(Debug, Args)]
pub struct Unit {
    /// Plan directory made by `pfh plan`.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Number of the unit, from 1.
    #[arg(long, value_name = "N")]
    pub unit: u64,
    /// Run unit N as task N of an array of at most SIZE tasks, with other units if there are more.
    #[arg(long, value_name = "SIZE", value_parser = clap::value_parser!(u64).range(1..))]
    pub array_size: Option<u64>,
    /// Where this machine has the directory that the names of the plan start in.
    #[arg(long, value_name = "DIR")]
    pub base: Option<PathBuf>,
    /// Run the unit even if it has a result.
    #[arg(long)]
    pub again: bool,
    /// Reading and hashing.
    #[command(flatten)]
    pub run: Run,
}

/// `pfh merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// Plan directory with the results of all units.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Write to FILE, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write FILE.seal: a Merkle root over the records, which `pfh check` verifies.
    #[arg(long, requires = "output")]
    pub seal: bool,
    /// Sign the seal with this Ed25519 key.
    #[arg(long, value_name = "FILE", requires = "seal")]
    pub key: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// Makes a plan, and prints how many units it has.
pub fn plan(args: &Plan) -> Exit {
    let here = std::env::current_dir();
    let exit = exit::end(try_plan(args));
    // Commands at the end, and a program that has this one inside, stay where they were.
    if let (Some(_), Ok(here)) = (&args.base, here) {
        let _ = std::env::set_current_dir(here);
    }
    exit
}

fn try_plan(args: &Plan) -> Result<Exit, Failure> {
    let mut input = args.input.asked()?;
    let mut output = args.output.clone();
    let base = args.base.as_deref().map(|base| enter(base, &mut output, input.list.as_mut())).transpose()?;
    let mut request = make::Request::new(input, algorithms(&args.algorithms)?, &output);
    request.base = base;
    let layout = Layout {
        end: if args.zero { End::Nul } else { End::Line },
        marker: if args.binary { Marker::Binary } else { Marker::Text },
    };
    request = request.format(args.format.parse::<Format>().map_err(Failure::usage)?, layout).unit(args.unit);
    (request.piecewise, request.split, request.files) = (args.piecewise, args.split, args.files);
    let line = command::of_hash(&request.algorithms, &request.input, request.piecewise);
    request.command_line = Some(line);
    let session = Session::open(!args.no_progress)?;
    let mut missing: Vec<Vec<u8>> = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Missing(name) = event
            && missing.len() < NAMED
        {
            missing.push(name.to_vec());
        }
        Ok(())
    };
    let made = make::run(&request, &mut take, &session.control()).map_err(|error| session.ended(error))?;
    session.close();
    unmatched(&request.input, &session);
    missing.iter().for_each(|name| session.about(name, "is not there, or cannot be looked at"));
    if made.ranged == 1 {
        session.message(format_args!(
            "--split shares nothing out: all ranges are in one unit of up to {}: give a smaller --unit",
            pfh::terminal::size_text(args.unit)
        ));
    }
    if args.split.is_none() && made.units > 1 && made.largest / 2 > args.unit {
        session.message(format_args!(
            "the longest unit is one file of {}: under a tree hash, --split lets several processes read it",
            pfh::terminal::size_text(made.largest)
        ));
    }
    let text = if args.json { row::line(&MadeRow::of(&made)) } else { show::text(&made) };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(if made.failed > 0 { Exit::Incomplete } else { Exit::Good })
}

/// Goes to the base, where relative names start from then on; paths of other files stay where they
/// were. Gives its absolute path.
fn enter(base: &Path, output: &mut PathBuf, list: Option<&mut NameList>) -> Result<PathBuf, Failure> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| unread(path, &error));
    *output = absolute(output)?;
    if let Some(list) = list.filter(|list| !list.path.as_os_str().eq("-")) {
        list.path = absolute(&list.path)?;
    }
    let whole = absolute(base)?;
    std::env::set_current_dir(&whole).map_err(|error| unread(base, &error))?;
    Ok(whole)
}

fn unread(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Exit::Incomplete, format_args!("{}: {error}", pfh::terminal::shown(path)))
}

/// Carries out a unit.
pub fn unit(args: &Unit) -> Exit {
    exit::end(try_unit(args))
}

fn try_unit(args: &Unit) -> Result<Exit, Failure> {
    let units = match args.array_size {
        None => vec![args.unit],
        Some(size) => unit::of_task(&args.plan, args.unit, size).map_err(Failure::refused)?,
    };
    let mut request = unit::Request::new(&args.plan, args.unit);
    (request.again, request.base) = (args.again, args.base.clone());
    request.settings = args.run.plan(Vec::new())?;
    let session = args.run.session()?;
    let (mut exit, mut summaries) = (Exit::Good, Vec::new());
    for number in units {
        request.unit = number;
        let mut take = |event: Event<'_>| {
            match event {
                Event::Record(record) => session.unread(record),
                Event::NotWritten(record, why) => session.about(&record.name, format_args!("not written: {why}")),
                _ => {}
            }
            Ok(())
        };
        let ran = match unit::run(&request, &mut take, &session.control()) {
            // The other units of the task need not wait until somebody has mended this one.
            Err(error) if args.array_size.is_some() && matches!(error.find(), Some(Problem::Damaged(_))) => {
                session.message(&error);
                exit = exit::worse(exit, Exit::Incomplete);
                continue;
            }
            ran => ran.map_err(|error| session.ended(error))?,
        };
        match &ran.run {
            Some(summary) => session.message(format_args!("unit {number}: {}", amount(summary))),
            None => session.message(format_args!("unit {number} was carried out before, and is left as it is")),
        }
        if ran.failed > 0 {
            session.message(without_digest(ran.failed, ran.files, "unit"));
            exit = exit::worse(exit, Exit::Incomplete);
        }
        summaries.extend(ran.run);
    }
    session.close();
    summaries.iter().for_each(|summary| args.run.report(summary));
    Ok(exit)
}

/// Writes the manifest of a plan.
pub fn merge(args: &Merge) -> Exit {
    exit::end(try_merge(args))
}

fn try_merge(args: &Merge) -> Result<Exit, Failure> {
    #[cfg(any(feature = "audit", feature = "image"))]
    args.key.iter().for_each(|path| exit::warn_of_key(path));
    let session = Session::open(!args.no_progress)?;
    let mut request = merge::Request::new(&args.plan);
    request.replace = args.force;
    let manifest = merge::Manifest::new(session.destination(args.output.as_ref()))
        .seal(args.seal.then(|| Sealing { key: args.key.clone(), defaults: config::used() }));
    let mut take = |event: Event<'_>| {
        if let Event::Merged(MergedRecord { complaint: Some(sentence), .. }) = event {
            session.message(sentence);
        }
        Ok(())
    };
    let merged = merge::write(&request, &manifest, &mut take, &session.control());
    let merged = merged.map_err(|error| session.ended(error))?;
    session.close();
    Run::default().note(&merged.run);
    hash::say_without(merged.without, &merged.algorithms);
    let exit = complete(merged.run.hashed + merged.run.failed, merged.run.failed + merged.unwritten);
    if let (Some(path), Exit::Good) = (&args.output, exit) {
        let (files, size) = (counted(merged.run.hashed, "file"), pfh::terminal::size_text(merged.run.bytes));
        exit::say(format_args!("{}: {files}, {size}", pfh::terminal::shown(path)));
    }
    Ok(exit)
}

/// The exit, after a sentence if files have no digest.
fn complete(files: u64, failed: u64) -> Exit {
    if failed == 0 {
        return Exit::Good;
    }
    exit::say(without_digest(failed, files, "output"));
    Exit::Incomplete
}
