//! What `pfh acquire` and `pfh dd` have in common: signals, events, the exit.

use crate::exit::{Exit, Failure};
use crate::session::Session;
use pfh::acquire::{Event, Summary};
use pfh::terminal::render as shown;
use std::path::Path;

/// A path as a terminal may see it.
pub fn name(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

/// Begins to catch signals and to show progress.
///
/// # Errors
/// When signals cannot be caught.
pub fn session(progress: bool) -> Result<Session, Failure> {
    // A write beyond a file size limit must be an error to report, not a death.
    let too_large = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, too_large);
    Session::open(progress)
}

/// Prints an event that people must know.
pub fn say(session: &Session, event: &Event<'_>) {
    match event {
        Event::Mounted { .. } | Event::Departure { .. } | Event::Remark(_) | Event::Resumed { .. } => {
            session.message(event);
        }
        Event::Retried { .. } | Event::SourceChanged { .. } => session.message(event),
        Event::Unchanged { .. } | Event::CanRetry | Event::NothingToRetry => session.message(event),
        _ => {}
    }
}

/// The exit of an acquisition that ended.
pub fn exit(summary: &Summary) -> Exit {
    match (summary.differs(), summary.is_complete()) {
        (true, _) => Exit::Verdict,
        (false, true) => Exit::Good,
        (false, false) => Exit::Incomplete,
    }
}
