//! `pfh hash --update` and `pfh check --update`: a manifest is brought up to date.

use crate::colour::{Tone, toned};
use crate::config;
use crate::exit::{self, Exit, Failure};
use crate::hash::Hash;
use crate::input::unmatched;
use crate::run::secret;
use crate::session::Session;
use crate::show::update as rows;
use pfh::Verdict;
use pfh::hash::{Reuse, Sealing};
use pfh::manifest::End;
use pfh::manifest::row::line;
use pfh::terminal::render as shown;
use pfh::update::{self as job, Change, ChangeRow, Class, Event, Request, Summary, Trust, UpdateSum};
use std::io;
use std::path::PathBuf;

/// How much is printed.
#[derive(Clone, Copy)]
pub struct Printing {
    /// JSON lines.
    pub json: bool,
    /// No line of a good outcome.
    pub quiet: bool,
    /// Nothing but errors.
    pub silent: bool,
}

/// The trust in recorded times.
pub fn trust(times: bool) -> Trust {
    if times { Trust::Times } else { Trust::Nothing }
}

/// The end of the lines.
pub fn end(zero: bool) -> End {
    if zero { End::Nul } else { End::Line }
}

/// Brings the manifest of `pfh hash --update` up to date.
///
/// # Errors
/// When the request makes no sense, or the job has no result.
pub fn of_hash(hash: &Hash) -> Result<Exit, Failure> {
    #[cfg(any(feature = "audit", feature = "image"))]
    hash.key.iter().for_each(|path| exit::warn_of_key(path));
    let Some(manifest) = &hash.update else { return Ok(Exit::Usage) };
    if hash.input.paths.is_empty() && hash.input.files_from.is_none() {
        return Err(Failure::usage(
            "--update needs the directories of the manifest: name them, or use `pfh check --update`",
        ));
    }
    let reuse = |path: &PathBuf| Reuse { path: path.clone(), sample: hash.cache_verify.unwrap_or(0.0) };
    let request = Request::new(manifest, hash.input.asked()?)
        .trust(trust(hash.trust_times))
        .seal(hash.seal.then(|| Sealing { key: hash.key.clone(), defaults: config::used() }))
        .end(end(hash.zero))
        .secret(secret(hash.key_file.as_ref(), hash.derive_key.as_deref())?)
        .reuse(hash.cache.as_ref().map(reuse))
        .plan(hash.run.plan(Vec::new())?)
        .replace(hash.force);
    let session = hash.run.session_saying(hash.saying)?;
    let printing = Printing { json: hash.json, quiet: hash.saying.quiet, silent: false };
    let summary = carry_out(&request, printing, &session)?;
    hash.run.report(&summary.run);
    Ok(exit(&summary))
}

/// The exit of the job.
pub fn exit(summary: &Summary) -> Exit {
    match summary.verdict() {
        Verdict::Verified => Exit::Good,
        Verdict::Differs => Exit::Verdict,
        Verdict::Incomplete | Verdict::NothingToCompareWith => Exit::Incomplete,
    }
}

/// Runs the job, and prints the changes.
///
/// # Errors
/// When the job has no result, or standard output fails.
pub fn carry_out(request: &Request, printing: Printing, session: &Session) -> Result<Summary, Failure> {
    let ran = job::run(request, &mut |event| show(printing, session, event), &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    if printing.json {
        let line = line(&UpdateSum::of(&summary));
        session.print(line.as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    session.close();
    unmatched(&request.input, session);
    if !(printing.silent || printing.quiet && exit(&summary) == Exit::Good) {
        exit::say(summary.sentence(&request.manifest));
    }
    Ok(summary)
}

fn show(printing: Printing, session: &Session, event: Event<'_>) -> io::Result<()> {
    match event {
        Event::Sealed(held) if !printing.quiet && !printing.silent => session.message(held),
        Event::Walked(walked) if !printing.silent => {
            let walked: Vec<String> = walked.iter().map(|path| shown(path)).collect();
            session.message(format_args!("walked: {}", walked.join(", ")));
        }
        Event::Unread(record) => session.unread(record),
        Event::NotWritten(record, why) => session.about(&record.name, format_args!("not written: {why}")),
        Event::Uncached(why) => session.message(format_args!("{why}: files are hashed without it")),
        Event::Classed(_) if printing.silent => {}
        Event::Classed(change) if printing.json => session.print(line(&ChangeRow::of(change)).as_bytes())?,
        // A good outcome is not worth a line then.
        Event::Classed(change) if printing.quiet && !is_bad(change) => {}
        Event::Classed(change) => session.print(classed(change).as_bytes())?,
        _ => {}
    }
    Ok(())
}

fn is_bad(change: &Change) -> bool {
    matches!(change.class, Class::BitRot | Class::Unread)
}

fn classed(change: &Change) -> String {
    let line = rows::text(change);
    let class = change.class.name();
    let tone = match change.class {
        Class::BitRot => Tone::Bad,
        Class::Unread => Tone::Unsure,
        _ => Tone::Good,
    };
    line.strip_prefix(class).map(|rest| toned(class, tone) + rest).unwrap_or(line)
}
