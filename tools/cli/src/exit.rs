//! Exit codes, and the one way to say something on standard error.

use pfh::Output;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

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

impl Exit {
    /// The exit of a verdict.
    pub fn of_verdict(verdict: pfh::Verdict) -> Exit {
        match verdict {
            pfh::Verdict::Verified => Exit::Good,
            pfh::Verdict::Differs => Exit::Verdict,
            pfh::Verdict::Incomplete | pfh::Verdict::NothingToCompareWith => Exit::Incomplete,
        }
    }

    /// The code that the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Verdict => 1,
            Exit::Usage => 2,
            Exit::Incomplete => 3,
            Exit::Aborted => 4,
            Exit::Signal(number) => 128 + number as u8,
        }
    }
}

/// The more severe exit.
pub fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Good => 0,
        Exit::Incomplete => 1,
        Exit::Verdict => 2,
        Exit::Usage => 3,
        Exit::Aborted => 4,
        Exit::Signal(_) => 5,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Why a command ended without a result.
#[derive(Debug)]
pub struct Failure {
    /// The message; none if the exit suffices.
    message: Option<String>,
    exit: Exit,
}

impl Failure {
    /// With this exit and message.
    pub fn new(exit: Exit, message: impl std::fmt::Display) -> Failure {
        Failure { message: Some(message.to_string()), exit }
    }

    /// The request makes no sense.
    pub fn usage(message: impl std::fmt::Display) -> Failure {
        Failure::new(Exit::Usage, message)
    }

    /// The output is incomplete.
    pub fn aborted(message: impl std::fmt::Display) -> Failure {
        Failure::new(Exit::Aborted, message)
    }

    /// The output cannot be written. A closed pipe is not an error (SIGPIPE's code, without
    /// a message).
    pub fn output(error: &std::io::Error) -> Failure {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure { message: None, exit: Exit::Signal(13) };
        }
        let remedy = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "; make room, and run it again",
            std::io::ErrorKind::FileTooLarge => "; raise the limit (ulimit -f), and run it again",
            std::io::ErrorKind::AlreadyExists => "; another run made the file meanwhile: look at it",
            _ => "",
        };
        Failure::aborted(format!("the output is incomplete: {error}{remedy}"))
    }

    /// That of a job; `cancelled` is the exit of one that was cancelled.
    pub fn of(error: &pfh::job::Error, cancelled: Exit) -> Failure {
        if let pfh::job::Error::Sink(error) = error {
            return Failure::output(error);
        }
        Failure::new(of_kind(error.kind(), cancelled), crate::remedy::sentence(error))
    }

    /// That of a request that was looked at before anything began.
    pub fn refused(error: impl Into<pfh::job::Error>) -> Failure {
        Failure::of(&error.into(), Exit::Aborted)
    }

    /// The same with what can be done about it.
    #[cfg(feature = "image")]
    #[must_use]
    pub fn and(mut self, remedy: &str) -> Failure {
        if let Some(message) = &mut self.message {
            *message = format!("{message}; {remedy}");
        }
        self
    }

    /// Prints the message, if there is one, and gives the exit.
    pub fn report(self) -> Exit {
        if let Some(message) = self.message {
            say(message);
        }
        self.exit
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message.as_deref().unwrap_or_default())
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    /// A sentence about a request that makes no sense.
    fn from(message: String) -> Failure {
        Failure::usage(message)
    }
}

impl From<&str> for Failure {
    /// A sentence about a request that makes no sense.
    fn from(message: &str) -> Failure {
        Failure::usage(message)
    }
}

impl From<Exit> for Failure {
    /// An exit whose message was printed.
    fn from(exit: Exit) -> Failure {
        Failure { message: None, exit }
    }
}

/// The one table from the meaning of an error to the exit code.
pub fn of_kind(kind: pfh::job::Kind, cancelled: Exit) -> Exit {
    use pfh::job::Kind;
    match kind {
        Kind::Negative => Exit::Verdict,
        Kind::Input => Exit::Incomplete,
        Kind::Output | Kind::Aborted => Exit::Aborted,
        Kind::Cancelled => cancelled,
        _ => Exit::Usage,
    }
}

/// The exit of a command.
pub fn end(result: Result<Exit, Failure>) -> Exit {
    result.unwrap_or_else(Failure::report)
}

/// How writing the output ended, as an exit: a closed pipe is not an error (SIGPIPE's code,
/// quietly).
pub fn of_output(error: &std::io::Error) -> Exit {
    Failure::output(error).report()
}

/// Says a sentence on standard error; a closed standard error is of no account. Errors of the
/// system have one form: `No such file or directory (ENOENT)`.
pub fn say(message: impl std::fmt::Display) {
    // In one piece, and not by the standard library's loop, which repeats an interrupted write
    // forever.
    let line = format!("pfh: {}\n", shortened(pfh::with_names(&message.to_string())));
    let _ = pfh::process::Patient(std::io::stderr().lock()).write_all(line.as_bytes());
}

/// Says of a private key that others can read it.
#[cfg(any(feature = "audit", feature = "image"))]
pub fn warn_of_key(path: &std::path::Path) {
    if pfh::key::is_exposed(path) {
        let name = pfh::terminal::shown(path);
        say(format_args!("{name}: others can read this private key, and sign with it: chmod 600 it"));
    }
}

/// Bytes of a message that are printed: a name in a hostile list may have millions.
const LONGEST: usize = 16 << 10;

/// A message as a terminal may see it, unsafe characters escaped, and without its end if it is too
/// long.
pub fn shortened(message: impl Into<String>) -> String {
    let mut message: String = message.into();
    let steers = |c: char| !matches!(c, '\n' | '\t') && pfh::terminal::is_unsafe(c);
    if message.contains(steers) {
        let escaped = |c: char| match steers(c) {
            true => pfh::terminal::render(c.encode_utf8(&mut [0; 4]).as_bytes()),
            false => c.to_string(),
        };
        message = message.chars().map(escaped).collect();
    }
    if message.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
        let more = message.len() - end;
        message.truncate(end);
        message.push_str(&format!(" ... ({more} bytes more)"));
    }
    message
}

/// Prints figures on standard error, as they are.
pub fn lines(text: &str) {
    let _ = pfh::process::Patient(std::io::stderr().lock()).write_all(format!("{text}\n").as_bytes());
}

/// Writes to standard output at once. Not by std's own loops, which repeat an interrupted write
/// forever.
///
/// # Errors
/// As `write`; `TimedOut` when it was interrupted for as long as is allowed.
pub fn print(bytes: &[u8]) -> std::io::Result<()> {
    static OUT: Mutex<Option<Output>> = Mutex::new(None);
    let mut out = OUT.lock().unwrap_or_else(PoisonError::into_inner);
    let out = out.get_or_insert_with(Output::standard);
    out.write_all(bytes)?;
    out.flush()
}
