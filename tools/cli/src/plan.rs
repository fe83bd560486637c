//! `pfh plan`, `pfh run` and `pfh merge`: one manifest by many processes.

use crate::exit::{self, Exit, Failure};
use crate::input::{Input, unmatched};
use crate::run::{Run, algorithms};
use crate::session::{Session, amount};
use crate::show::{counted, plan as show};
use crate::size;
use crate::{command, config, hash};
use clap::Args;
use pfh::hash::Sealing;
use pfh::manifest::{End, Format, Layout, Marker};
use pfh::plan::{Event, Merged, make, merge, unit};
use std::path::PathBuf;

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
    exit::end(try_plan(args))
}

fn try_plan(args: &Plan) -> Result<Exit, Failure> {
    let mut request = make::Request::new(args.input.asked()?, algorithms(&args.algorithms)?, &args.output);
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
    let text = if args.json { show::json(&made) } else { show::text(&made) };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(if made.failed > 0 { Exit::Incomplete } else { Exit::Good })
}

/// Carries out a unit.
pub fn unit(args: &Unit) -> Exit {
    exit::end(try_unit(args))
}

fn try_unit(args: &Unit) -> Result<Exit, Failure> {
    let mut request = unit::Request::new(&args.plan, args.unit);
    request.again = args.again;
    request.settings = args.run.plan(Vec::new())?;
    let session = args.run.session()?;
    let mut take = |event: Event<'_>| {
        match event {
            Event::Record(record) => session.unread(record),
            Event::NotWritten(record, why) => session.about(&record.name, format_args!("not written: {why}")),
            _ => {}
        }
        Ok(())
    };
    let ran = unit::run(&request, &mut take, &session.control()).map_err(|error| session.ended(error))?;
    session.close();
    match &ran.run {
        Some(summary) => {
            args.run.report(summary);
            exit::say(format_args!("unit {}: {}", args.unit, amount(summary)));
        }
        None => exit::say(format_args!("unit {} was carried out before, and is left as it is", args.unit)),
    }
    Ok(complete(ran.files, ran.failed, "unit"))
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
        if let Event::Merged(Merged { complaint: Some(sentence), .. }) = event {
            session.message(sentence);
        }
        Ok(())
    };
    let merged = merge::write(&request, &manifest, &mut take, &session.control());
    let merged = merged.map_err(|error| session.ended(error))?;
    session.close();
    Run::default().note(&merged.run);
    hash::say_without(merged.without, &merged.algorithms);
    let exit = complete(merged.run.hashed + merged.run.failed, merged.run.failed + merged.unwritten, "output");
    if let (Some(path), Exit::Good) = (&args.output, exit) {
        let (files, size) = (counted(merged.run.hashed, "file"), pfh::terminal::size_text(merged.run.bytes));
        exit::say(format_args!("{}: {files}, {size}", pfh::terminal::shown(path)));
    }
    Ok(exit)
}

/// The exit, after a sentence if files have no digest.
fn complete(files: u64, failed: u64, place: &str) -> Exit {
    if failed == 0 {
        return Exit::Good;
    }
    exit::say(crate::session::without_digest(failed, files, place));
    Exit::Incomplete
}
