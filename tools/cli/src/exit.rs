//! Exit codes, and the one way to say something on standard error.

use std::io::Write;
use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All good.
    Good,
    /// A negative verdict: an answer was wrong.
    Verdict,
    /// The command line or its input makes no sense.
    Usage,
    /// Finished, and some input has no digest.
    Incomplete,
    /// The output is incomplete.
    Aborted,
    /// Ended by a signal.
    Signal(i32),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Good => 0,
            Exit::Verdict => 1,
            Exit::Usage => 2,
            Exit::Incomplete => 3,
            Exit::Aborted => 4,
            Exit::Signal(number) => 128 + number as u8,
        })
    }
}

/// How writing the output ended, as an exit: a reader that went away is no news (SIGPIPE's code, quietly).
pub fn of_output(error: &std::io::Error) -> Exit {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        return Exit::Signal(13);
    }
    say(format!("the output is incomplete: {error}"));
    Exit::Aborted
}

/// Says a sentence on standard error; a closed standard error is of no account.
pub fn say(message: impl std::fmt::Display) {
    // In one piece, and not by std's own loop, which repeats an interrupted write forever.
    let line = format!("pfh: {message}\n");
    let _ = pfh::Patient(std::io::stderr().lock()).write_all(line.as_bytes());
}
