//! `pfh check s3://…`: objects against the statements of their stores.

use super::Check;
use crate::exit::{Exit, Failure};
use pfh::name_bytes::OsStrExt;
use pfh::terminal::render as shown;
use std::path::PathBuf;

/// The first given option that is of manifests alone.
fn refused(request: &Check) -> Option<&'static str> {
    let options = [
        (request.audit, "--audit"),
        (request.update, "--update"),
        (request.share.is_some(), "--share"),
        (request.r#for.is_some(), "--for"),
        (request.root.is_some(), "--root"),
        (request.allow_outside, "--allow-outside"),
        (request.ignore_missing, "--ignore-missing"),
        (request.once, "--once"),
        (request.zero, "--zero"),
        (!request.algorithms.is_empty(), "--algorithm"),
        (request.key.is_some(), "--key"),
        (request.key_file.is_some(), "--key-file"),
    ];
    options.into_iter().find_map(|(given, option)| given.then_some(option))
}

/// Compares objects with the statements of their stores.
///
/// # Errors
/// When an option is of manifests alone, or the job has no result.
pub fn judge(request: &Check, objects: &[PathBuf]) -> Result<Exit, Failure> {
    if let Some(option) = refused(request) {
        let address = shown(objects[0].as_os_str().as_bytes());
        return Err(Failure::usage(format!(
            "{option} is of manifests: {address} is compared with the digests of its store; check it without {option}"
        )));
    }
    run(request, objects)
}

#[cfg(not(feature = "remote"))]
fn run(_: &Check, objects: &[PathBuf]) -> Result<Exit, Failure> {
    let address = shown(objects[0].as_os_str().as_bytes());
    Err(Failure::usage(format!(
        "{address}: this build reads no object stores: `cargo install --path tools/cli --features remote` makes one that does"
    )))
}

#[cfg(feature = "remote")]
fn run(request: &Check, objects: &[PathBuf]) -> Result<Exit, Failure> {
    use crate::exit;
    use crate::show::stated as rows;
    use pfh::Verdict;
    use pfh::check::Manner;
    use pfh::manifest::row::line;
    use pfh::stated::{self as job, Event, ObjectRow, ObjectsSum, Request};

    let manner = if request.lenient { Manner::Lenient } else { Manner::Usual };
    let asked = Request::new(objects).part_size(request.part_size).manner(manner).plan(request.run.plan(Vec::new())?);
    let asked = if request.versions { asked.versions() } else { asked };
    let session = request.run.session()?;
    if request.dry_run {
        let names = job::would_read(&asked).map_err(|error| session.ended(error))?;
        for name in &names {
            session.print(format!("{}\n", shown(name)).as_bytes()).map_err(|error| Failure::output(&error))?;
        }
        crate::dry::would_read(names.len() as u64, None, &session);
        return Ok(if names.is_empty() { Exit::Incomplete } else { Exit::Good });
    }
    let print = |text: &str| if request.status { Ok(()) } else { session.print(text.as_bytes()) };
    let mut sink = |event: Event<'_>| match event {
        Event::Judged { name, judged } => {
            if !request.status {
                rows::sentences(judged).iter().for_each(|sentence| session.about(name, sentence));
            }
            match judged.verdict() {
                Verdict::Verified if request.quiet => Ok(()),
                _ if request.json => print(&line(&ObjectRow::of(name, judged, rows::sentences(judged)))),
                _ => print(&rows::line(name, judged)),
            }
        }
        Event::Unread(record) => {
            session.unread(record);
            Ok(())
        }
        Event::Passed(summary) => {
            session.suspended(|| request.run.report(summary));
            Ok(())
        }
        _ => Ok(()),
    };
    let ran = job::run(&asked, &mut sink, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    if request.json {
        print(&line(&ObjectsSum::of(&summary))).map_err(|error| Failure::output(&error))?;
    }
    drop(session);
    let exit = Exit::of_verdict(summary.conclusion());
    if !(request.status || request.quiet && exit == Exit::Good) {
        exit::say(summary.sentence());
    }
    Ok(exit)
}
