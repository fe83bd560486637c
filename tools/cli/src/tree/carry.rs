//! A verb from its beginning to its end.

use crate::exit::Failure;
use crate::remedy;
use crate::session::Session;
use crate::show::tree as lines;
use pfh::Control;
use pfh::tree::{Event, Events};
use std::io;

/// Prints the row of an event, or the complaint.
///
/// # Errors
/// The output's.
pub fn show(session: &Session, event: &Event<'_>, json: bool) -> io::Result<()> {
    if let Some(line) = lines::line(event, json) {
        return session.print(line.as_bytes());
    }
    match event {
        Event::Unread { name, problem } => session.about(name, remedy::problem(problem)),
        Event::Unwatched { directory, why } => {
            session.about(directory.as_os_str().as_encoded_bytes(), format_args!("not watched: {why}"));
        }
        Event::Listening(address) => session.message(format_args!("waiting for a connection to {address}")),
        Event::Overflowed => session.message("changes were lost: all files are compared"),
        Event::Refused(refused) => session.message(remedy::refused(refused)),
        Event::Failed(failure) => session.message(remedy::tree::failure(failure)),
        _ => {}
    }
    Ok(())
}

/// Carries out a verb, and prints its rows.
///
/// # Errors
/// The verb's.
pub fn carry_out<T>(
    progress: bool,
    json: bool,
    run: impl FnOnce(&mut Events<'_>, &Control<'_>) -> Result<T, pfh::job::Error>,
) -> Result<T, Failure> {
    let session = Session::open(progress)?;
    let ran = run(&mut |event| show(&session, &event, json), &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    session.close();
    Ok(summary)
}
