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

/// Names that are printed of what is not there.
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
    /// sums, bsd, hashdeep, dfxml, jsonl or csv; of similarity digests also ssdeep, sdbf and mrsh,
    /// their own.
    #[arg(short, long, value_name = "FORMAT", default_value = "sums")]
    pub format: String,
    /// End records with NUL and escape no names (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// Mark names with an asterisk, as GNU's tools do with the same option (sums).
    #[arg(long)]
    pub binary: bool,
    /// Also digests of every window of SIZE bytes (hashdeep, dfxml, jsonl).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Read larger files in ranges of SIZE bytes, each by itself, perhaps on another machine: for
    /// blake3, kt128 and other trees (a power of two for blake3) [default: a file is read by one].
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub split: Option<u64>,
    /// Most bytes of a unit; a larger file is a unit by itself.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "2GiB")]
    pub unit: u64,
    /// Most files of a unit.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub files: u64,
    /// The directory that becomes the plan.
    #[arg(short, long, value_name = "PLAN")]
    pub output: PathBuf,
    /// The result as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh run`.
#[derive(Debug, Args)]
pub struct Unit {
    /// The plan, a directory that `pfh plan` made.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// The unit, counted from 1.
    #[arg(long, value_name = "N")]
    pub unit: u64,
    /// Carry the unit out although it was before.
    #[arg(long)]
    pub again: bool,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

/// `pfh merge`.
#[derive(Debug, Args)]
pub struct Merge {
    /// The plan, all of whose units were carried out.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write FILE.seal: a Merkle root over the records, which `pfh check` verifies.
    #[arg(long, requires = "output")]
    pub seal: bool,
    /// Sign the seal with this Ed25519 key.
    #[arg(long, value_name = "FILE", requires = "seal")]
    pub key: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// No progress on standard error.
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
