//! Runs that only list their input.

use crate::exit::{Exit, Failure};
use crate::input::unmatched;
use crate::remedy;
use crate::session::Session;
use pfh::dry::{self, Event, Request};
use pfh::terminal::render as shown;

/// Lists the input of a run: a name a line, and the counts on standard error. Nothing is opened but
/// directories, lists of names, and containers with --inside.
///
/// # Errors
/// When the input makes no sense, or the output fails.
pub fn run(input: &pfh::Input, session: &Session) -> Result<Exit, Failure> {
    let mut take = |event: Event<'_>| {
        match event {
            Event::File(name, _) => return session.print(format!("{}\n", shown(name)).as_bytes()),
            Event::Skipped(name, skip) => session.about(name, format_args!("skipped: {}", remedy::skip(&skip))),
            Event::Unread(name, problem) => session.about(name, remedy::problem(problem)),
            _ => {}
        }
        Ok(())
    };
    let ran = dry::run(&Request::new(input.clone()), &mut take, &session.control());
    let counts = ran.map_err(|error| session.ended(error))?;
    unmatched(input, session);
    would_read(counts.files, Some(counts.bytes), session);
    Ok(if counts.unread > 0 { Exit::Incomplete } else { Exit::Good })
}

/// Says how much would be read.
pub fn would_read(files: u64, bytes: Option<u128>, session: &Session) {
    let noun = if files == 1 { "file" } else { "files" };
    let size = bytes.map(|bytes| format!(", {}", pfh::terminal::sum_text(bytes))).unwrap_or_default();
    session.message(format_args!("{files} {noun}{size} would be read; nothing was"));
}
