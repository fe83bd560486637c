//! Runs that only list what they would read.

use crate::exit::{Exit, Failure};
use crate::input::unmatched;
use crate::session::Session;
use pfh::dry::{self, Met};
use pfh::terminal::render as shown;

/// Lists what a run would read: a name a line, and the counts on standard error. Nothing is opened
/// but directories, lists of names, and containers with --inside.
///
/// # Errors
/// When the input makes no sense, or the output fails.
pub fn run(input: &pfh::Input, session: &Session) -> Result<Exit, Failure> {
    let counts = dry::list(input, &mut |met| {
        match met {
            Met::File(name, _) => return session.print(format!("{}\n", shown(name)).as_bytes()),
            Met::Skipped(name, skip) => session.about(name, format_args!("skipped: {}", skip.reason())),
            Met::Unread(name, problem) => session.about(name, problem),
            _ => {}
        }
        Ok(())
    });
    let counts = counts.map_err(|error| match error {
        dry::Error::Input(error) => Failure::refused(&error),
        dry::Error::Sink(error) => Failure::output(&error),
        error => Failure::usage(error),
    })?;
    unmatched(input, session);
    would_read(counts.files, Some(counts.bytes), session);
    Ok(if counts.unread > 0 { Exit::Incomplete } else { Exit::Good })
}

/// Says how much would be read.
pub fn would_read(files: u64, bytes: Option<u64>, session: &Session) {
    let noun = if files == 1 { "file" } else { "files" };
    let size = bytes.map(|bytes| format!(", {}", pfh::dups::size_text(bytes))).unwrap_or_default();
    session.message(format_args!("{files} {noun}{size} would be read; nothing was"));
}
