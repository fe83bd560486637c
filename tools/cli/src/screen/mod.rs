//! `pfh acquire` alone on a terminal: a screen on which a source, a target and case data are
//! chosen, and acquisitions are followed side by side.
//!
//! The screen makes the words of a command line. They are parsed and become a request as those that
//! are typed, and the job *acquire* does the rest.

mod acquisition;
mod app;
mod field;
mod form;
mod map;
mod panes;
mod request;
mod sources;
mod terminal;
mod text;
mod words;

pub use terminal::is_open;

use crate::exit::{self, Exit, Failure};
use crate::signals::Signals;
use acquisition::Acquisition;
use app::App;
use std::ffi::OsString;
use std::io::IsTerminal;

/// Whether these words ask for the screen, and there is a terminal for it.
pub fn is_asked(typed: &[OsString]) -> bool {
    typed == ["acquire"] && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Shows the screen, until all acquisitions have ended and it is left.
pub fn run() -> Exit {
    exit::end(try_run())
}

fn try_run() -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Failure::aborted(format_args!("the terminal: {error}"));
    let signals = Signals::catch().map_err(|error| Failure::aborted(format!("signals cannot be caught: {error}")))?;
    let mut app = App::new(crate::disks::system(None));
    let mut screen = terminal::Screen::open().map_err(failed)?;
    let shown = app.show(&mut screen.terminal, &signals);
    // However the screen ended, the images on the targets are synced before the process ends.
    app.close();
    drop(screen);
    let exits = app.acquisitions.iter().map(report).collect::<Result<Vec<_>, _>>()?;
    shown.map_err(failed)?;
    let exit = exits.into_iter().fold(Exit::Good, exit::worse);
    Ok(match (app.was_cancelled, signals.number()) {
        (_, number) if number > 0 => Exit::Signal(number),
        (true, _) if exit == Exit::Good => Exit::Signal(signal_hook::consts::SIGINT),
        _ => exit,
    })
}

/// Prints how an acquisition ended as the command does, behind its command line.
fn report(one: &Acquisition) -> Result<Exit, Failure> {
    let Some(ended) = &one.ended else { return Ok(Exit::Aborted) };
    let text = format!("$ {}\n{}", one.line(), ended.report);
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    one.seen().messages.iter().for_each(exit::say);
    ended.failure.iter().for_each(exit::say);
    if ended.resumes {
        exit::say(format_args!("it resumes with: {}", one.line()));
    }
    Ok(ended.exit)
}
