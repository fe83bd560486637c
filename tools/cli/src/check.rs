//! `pfh check`: files against a manifest.

mod args;
mod print;
mod stated;

pub use args::Check;

use crate::dry::would_read;
use crate::exit::{self, Exit, Failure};
use crate::run::{keyed_algorithms, secret};
use pfh::Algorithm;
use pfh::check::{self as job, Request, Summary, Task, Verdict};
use pfh::manifest::{End, Ending};
use pfh::terminal::render as shown;
use print::Printer;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Runs a request to its end.
pub fn run(request: &Check) -> Exit {
    exit::end(try_run(request))
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

fn try_run(request: &Check) -> Result<Exit, Failure> {
    let (objects, manifests): (Vec<_>, Vec<_>) =
        request.manifests.iter().cloned().partition(|path| pfh::is_address(path.as_os_str().as_bytes()));
    let judged = match &objects[..] {
        [] if request.part_size.is_some() => {
            return Err(Failure::usage("--part-size is of objects in stores: give the address of some"));
        }
        [] => Exit::Good,
        objects => stated::judge(request, objects)?,
    };
    if manifests.is_empty() || matches!(judged, Exit::Signal(_)) {
        return Ok(judged);
    }
    let mut manifests = &manifests[..];
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
    let secret = secret(request.key_file.as_ref(), request.derive_key.as_deref())?;
    let assumed = match &request.algorithms[..] {
        [] => Vec::new(),
        names => keyed_algorithms(names, secret.as_ref())?,
    };
    let mut worst = judged;
    // An audit is of all of them together: to each by itself, what the others have would be new.
    let (manifests, also) = match manifests {
        [first, rest @ ..] if request.audit => (std::slice::from_ref(first), rest.to_vec()),
        all => (all, Vec::new()),
    };
    // Each is a job of its own: a stream would serve the first alone.
    pfh::Streams::default().read_all(manifests).map_err(Failure::usage)?;
    for manifest in manifests {
        let job = asked(request, manifest, root, &assumed)?.secret(secret.clone()).also(also.clone());
        let exit = check(request, &job).unwrap_or_else(Failure::report);
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
    #[cfg(feature = "inside")]
    {
        // What bounds containers holds for names inside of them with and without --inside.
        job.inside = request.inside.asked()?;
    }
    Ok(job)
}

/// Checks one manifest to its end.
fn check(request: &Check, asked: &Request) -> Result<Exit, Failure> {
    let session = request.run.session()?;
    if request.dry_run {
        let names = job::would_read(asked).map_err(|error| session.failed(error))?;
        for name in &names {
            session.print(format!("{}\n", shown(name)).as_bytes()).map_err(|error| Failure::output(&error))?;
        }
        would_read(names.len() as u64, None, &session);
        return Ok(if names.is_empty() { Exit::Incomplete } else { Exit::Good });
    }
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
