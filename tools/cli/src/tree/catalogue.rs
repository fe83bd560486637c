//! `build`, `update` and `check` of a directory: its catalogue.

use super::args::{Build, Check, Digest, Existing, Update};
use crate::exit::{self, Exit, Failure};
use crate::show::tree as lines;
use crate::tree_key::KeyArgs;
use pfh::UnknownAlgorithm;
use pfh::manifest::row;
use pfh::tree::DirectoryRow;
use pfh::tree::catalogue::{self as job, Request, Verb};
use std::path::Path;

pub fn build(directory: &Path, args: &Build) -> Result<Exit, Failure> {
    if args.leaf.is_some() {
        return Err(Failure::usage("--leaf is of a file: a leaf of a directory is a file below it"));
    }
    let secret = args.keyed.secret()?;
    let unknown = |error: UnknownAlgorithm| match error.needs_key() {
        true => Failure::usage(format_args!("{error}: state it with --key-file FILE")),
        false => Failure::usage(error),
    };
    let algorithm = match &secret {
        Some(secret) => secret.algorithm(&args.algorithm).map_err(Failure::refused)?,
        None => args.algorithm.parse().map_err(unknown)?,
    };
    let mut request = Request::new(directory, Verb::Build(algorithm));
    request.secret = secret;
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    request.threads = args.threads.map(usize::from);
    request.replace = args.force;
    run(&request, args.json, !args.no_progress)
}

pub fn update(args: &Update) -> Result<Exit, Failure> {
    if args.proof.is_some() || args.changed.changed_since.is_some() || !args.changed.ranges.is_empty() {
        return Err(Failure::usage(
            "--range, --changed-since and --proof are of a file; of a directory state --entry NAME",
        ));
    }
    let verb = Verb::Update(args.changed.entries.clone());
    let request = on(&args.on, verb, &args.keyed, args.trusted.root.as_ref(), args.trusted.kept.is_some())?;
    run(&request, args.on.json, !args.on.no_progress)
}

pub fn check(args: &Check) -> Result<Exit, Failure> {
    let verb = Verb::Check(args.entries.clone());
    let mut request = on(&args.on, verb, &args.keyed, args.root.as_ref(), args.kept.is_some())?;
    request.levels = args.levels.asked();
    run(&request, args.on.json, !args.on.no_progress)
}

fn on(on: &Existing, verb: Verb, keyed: &KeyArgs, root: Option<&Digest>, has_kept: bool) -> Result<Request, Failure> {
    if has_kept {
        return Err(Failure::usage("auditors keep roots of files: state that of a directory with --root HEX"));
    }
    let mut request = Request::new(&on.file, verb);
    request.tree = on.outboard.clone().unwrap_or(request.tree);
    request.threads = on.threads.map(usize::from);
    request.must = root.map(|root| root.0.clone());
    request.secret = keyed.secret()?;
    Ok(request)
}

fn run(request: &Request, json: bool, progress: bool) -> Result<Exit, Failure> {
    let summary = super::carry::carry_out(progress, json, |events, control| job::run(request, events, control))?;
    let line = if json { row::line(&DirectoryRow::of(&summary)) } else { lines::catalogue(&summary) };
    exit::print(line.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(match (summary.differs(), summary.is_incomplete()) {
        (true, _) => Exit::Verdict,
        (_, true) => Exit::Incomplete,
        _ => Exit::Good,
    })
}
