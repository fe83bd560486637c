//! `build`, `update` and `check` of a directory: its catalogue.

use super::args::{Build, Check, Digest, Existing, Update};
use super::print;
use crate::exit::{Exit, Failure};
use crate::session::Session;
use pfh::tree::catalogue::{self as job, Event, Request, Verb};
use std::path::Path;

pub fn build(directory: &Path, args: &Build) -> Result<Exit, Failure> {
    if args.leaf.is_some() {
        return Err(Failure::usage("--leaf is of a file: a leaf of a directory is a file below it"));
    }
    let mut request = Request::new(directory, Verb::Build(args.algorithm.parse().map_err(Failure::usage)?));
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
    on(&args.on, verb, args.trusted.root.as_ref(), args.trusted.kept.is_some())
}

pub fn check(args: &Check) -> Result<Exit, Failure> {
    on(&args.on, Verb::Check(args.entries.clone()), args.root.as_ref(), args.kept.is_some())
}

fn on(on: &Existing, verb: Verb, root: Option<&Digest>, has_kept: bool) -> Result<Exit, Failure> {
    if has_kept {
        return Err(Failure::usage("auditors keep roots of files: state that of a directory with --root HEX"));
    }
    let mut request = Request::new(&on.file, verb);
    request.tree = on.outboard.clone().unwrap_or(request.tree);
    request.threads = on.threads.map(usize::from);
    request.must = root.map(|root| root.0.clone());
    run(&request, on.json, !on.no_progress)
}

fn run(request: &Request, json: bool, progress: bool) -> Result<Exit, Failure> {
    let session = Session::open(progress)?;
    let mut take = |event: Event<'_>| {
        if let Some(line) = event.line(json) {
            return session.print(&line);
        }
        if let Event::Unread(name, problem) = event {
            session.about(name, problem);
        }
        Ok(())
    };
    let summary = job::run(request, &mut take, &session.control()).map_err(|error| session.failed(error))?;
    session.close();
    let exit = print(if json { summary.json() } else { summary.text().into_bytes() }, summary.differs())?;
    Ok(if exit == Exit::Good && summary.is_incomplete() { Exit::Incomplete } else { exit })
}
