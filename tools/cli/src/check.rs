//! `pfh check`: files against a manifest.

mod args;
mod print;
mod stated;
mod update;

pub use args::{Check, Names};

use crate::dry::would_read;
use crate::exit::{self, Exit, Failure};
use crate::finish;
use crate::run::{keyed_algorithms, secret};
use pfh::Algorithm;
use pfh::check::{self as job, Manner, Request, Share, Task};
use pfh::manifest::End;
use pfh::name_bytes::OsStrExt;
use pfh::terminal::render as shown;
use print::Printer;
use std::path::PathBuf;

/// Runs a request to its end.
pub fn run(request: &Check) -> Exit {
    exit::end(try_run(request))
}

fn try_run(request: &Check) -> Result<Exit, Failure> {
    let is_address = |path: &PathBuf| pfh::is_address(path.as_os_str().as_bytes());
    let (mut objects, mut manifests): (Vec<_>, Vec<_>) = request.manifests.iter().cloned().partition(is_address);
    // A tree of objects behind the manifests, in the place of a directory.
    if let (true, [root], Some(last)) = (request.audit || request.update, &objects[..], request.manifests.last())
        && !manifests.is_empty()
        && root == last
    {
        manifests.append(&mut objects);
    }
    let judged = match &objects[..] {
        [] if request.part_size.is_some() => {
            return Err(Failure::usage("--part-size is of objects in stores: give the address of some"));
        }
        [] if request.versions => return Err(Failure::usage(crate::input::NO_VERSIONS)),
        [] => Exit::Good,
        objects => stated::judge(request, objects)?,
    };
    if manifests.is_empty() || matches!(judged, Exit::Signal(_)) {
        return Ok(judged);
    }
    let secret = secret(request.key_file.as_ref(), request.derive_key.as_deref())?;
    let assumed = match &request.algorithms[..] {
        [] => Vec::new(),
        names => keyed_algorithms(names, secret.as_ref())?,
    };
    if request.update {
        return update::update(request, manifests, assumed, secret);
    }
    let asked = asked(request, manifests, assumed)?.secret(secret);
    Ok(exit::worse(judged, check(request, &asked).unwrap_or_else(Failure::report)))
}

/// The job that is asked for.
fn asked(request: &Check, manifests: Vec<PathBuf>, assumed: Vec<Algorithm>) -> Result<Request, Failure> {
    let task = if request.audit {
        Task::Audit { below: request.below.clone(), follow: request.follow }
    } else {
        Task::Files { allow_outside: request.allow_outside, ignore_missing: request.ignore_missing }
    };
    let manner = match (request.strict, request.lenient) {
        (true, _) => Manner::Strict,
        (_, true) => Manner::Lenient,
        _ => Manner::Usual,
    };
    let job = match &request.root {
        Some(root) => Request::all(manifests).root(root),
        None => Request::operands(manifests),
    };
    let job = job
        .task(task)
        .manner(manner)
        .algorithms(assumed)
        .likely(request.names.likely())
        .end(if request.zero { End::Nul } else { End::Line })
        .columns(request.columns.clone())
        .key(request.key.clone())
        .after(request.after.clone())
        .newest(request.newest.then(seals).transpose()?)
        .share(share(request)?)
        .once(request.once)
        .plan(request.levels.plan(request.run.plan(Vec::new())?));
    #[cfg(feature = "inside")]
    // The bounds of containers hold for names inside of them with and without --inside.
    let job = job.inside(request.inside.asked()?);
    Ok(job)
}

/// The directory that keeps the newest seals: below `XDG_STATE_HOME`, or `.local/state` in the home
/// directory.
fn seals() -> Result<PathBuf, Failure> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named("XDG_STATE_HOME").or_else(|| named("HOME").map(|home| home.join(".local/state")));
    let absent = || Failure::usage("--newest: there is no home directory to remember seals in: set XDG_STATE_HOME");
    state.map(|state| state.join("pfh/seals")).ok_or_else(absent)
}

/// The share of the files that is asked for.
fn share(request: &Check) -> Result<Option<Share>, Failure> {
    let share = match (request.share, request.r#for) {
        (Some((one, of)), time) => Share::of(one, of).time(time),
        (None, Some(time)) => Share::lasting(time),
        (None, None) if request.state.is_some() => {
            return Err(Failure::usage("--state is of a share of the files: add --share 1/30 or --for 2h"));
        }
        (None, None) => return Ok(None),
    };
    Ok(Some(share.state(request.state.clone())))
}

/// Checks all manifests to their end.
fn check(request: &Check, asked: &Request) -> Result<Exit, Failure> {
    let session = request.run.session()?.levels(&asked.plan.levels);
    if request.dry_run {
        let names = job::would_read(asked).map_err(|error| session.ended(error))?;
        for name in &names {
            session.print(format!("{}\n", shown(name)).as_bytes()).map_err(|error| Failure::output(&error))?;
        }
        would_read(names.len() as u64, None, &session);
        return Ok(if names.is_empty() { Exit::Incomplete } else { Exit::Good });
    }
    let mut printer = Printer { request, session: &session, levels: asked.plan.levels.clone(), changes: Vec::new() };
    let ran = job::run(asked, &mut |event| printer.event(event), &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    let sum = |of: fn(&pfh::check::Part) -> u64| summary.parts.iter().map(of).sum();
    finish::count(&[("files", sum(|part| part.expected)), ("verified", sum(|part| part.verified))]);
    let unchecked = summary.unchecked.iter().map(|(_, error)| exit::of_kind(error.kind(), Exit::Aborted));
    Ok(summary.parts.iter().map(print::of_part).chain(unchecked).fold(Exit::Good, exit::worse))
}
