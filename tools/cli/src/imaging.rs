//! What `pfh acquire` and `pfh dd` have in common: signals, progress, the exit.

use crate::bar::Bar;
use crate::exit::{Exit, Failure};
use crate::shown;
use crate::signals::Signals;
use pfh::acquire::{self, Compared, Error, Event, Request, Summary, sectors};
use pfh::image::OpenError;
use std::path::Path;

/// A path as a terminal may see it.
pub fn name(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

/// Runs an acquisition; events that people must know go to standard error, and all of them to `take`.
///
/// # Errors
/// When the acquisition is refused, fails or is stopped.
pub fn run(request: Request, progress: bool, take: &mut dyn FnMut(&Event<'_>, &Bar)) -> Result<Summary, Failure> {
    let signals = Signals::catch().map_err(|e| Failure::aborted(format!("signals cannot be caught: {e}")))?;
    // A write beyond a file size limit must be an error to report, not a death.
    let too_large = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, too_large);
    let bar = Bar::open(progress);
    let mut say = |event: &Event<'_>| {
        match event {
            Event::Mounted { .. } | Event::Departure { .. } | Event::Remark(_) | Event::Resumed { .. } => {
                bar.say(event)
            }
            Event::Retried { .. } | Event::SourceChanged { .. } => bar.say(event),
            Event::Unchanged { .. } | Event::CanRetry | Event::NothingToRetry => bar.say(event),
            _ => {}
        }
        take(event, &bar);
    };
    let ran = acquire::run(request, &mut say, &bar.control(signals.flag()));
    bar.clear();
    ran.map_err(|error| {
        let by_signal = matches!(error, Error::Stopped { .. }) && signals.number() != 0;
        let exit = if by_signal { Exit::Signal(signals.number()) } else { exit_of(&error) };
        Failure::new(exit, error)
    })
}

/// The exit of an acquisition that failed.
fn exit_of(error: &Error) -> Exit {
    match error {
        Error::Usage(_) | Error::Refused(_) | Error::Key(_) | Error::LogRefused(_) | Error::CaseRefused { .. } => {
            Exit::Usage
        }
        Error::Image(OpenError::Unread { .. } | OpenError::Mismatch { .. }) => Exit::Usage,
        Error::Changed { .. } | Error::ChangedSince { .. } => Exit::Verdict,
        _ => Exit::Aborted,
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

/// The differing ranges of a medium, line by line: the first ones, and the number of the others.
pub fn differing(name: &str, compared: &Compared, line: impl Fn(u64, u64) -> String) -> Vec<String> {
    let first = compared.differing.iter().take(sectors::MOST_LISTED);
    let lines = first.map(|(offset, length)| format!("{name}: {}", line(*offset, *length)));
    lines.chain(sectors::more(&compared.differing).map(|more| format!("{name}: {more}"))).collect()
}
