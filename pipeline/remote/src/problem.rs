//! A store's answer, as a problem of an entry.

use pfh_source::{Cause, Problem, Stage, StoreAnswer};
use std::time::Duration;

/// Why a request has no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The store cannot answer now; perhaps it says how long.
    Busy { status: u16, what: String, after: Option<Duration> },
    /// The connection was not made, or broke off; whether the store was reached.
    Broken { what: String, reached: bool },
    /// No such object, bucket or version.
    NotFound(String),
    /// The object has another tag.
    Changed,
    /// The store does not let the account read.
    Denied(String),
    /// There are no credentials, and what to do.
    Credentials(String),
    /// The store does not do that (405, 501).
    Unsupported(String),
    /// The answer to a listing is another document, or says that more follows and not where.
    Listing(String),
    /// The store has a key that no request can name.
    Name(String),
    /// No byte of that range is there (416).
    Unsatisfied,
    /// Fewer or more bytes than were stated.
    Length(String),
    /// Any other answer that another attempt would not change.
    Refused(String),
}

const CHANGED: &str = "the object was replaced after it was listed: hash it again when it is at rest";

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::NotFound(what) if what.is_empty() => f.write_str("no such object"),
            Failure::NotFound(what) => write!(f, "no such object ({what})"),
            Failure::Changed => f.write_str(CHANGED),
            Failure::Unsatisfied => f.write_str("the store has fewer bytes than it states"),
            Failure::Denied(what) => write!(f, "the store refuses: {what}"),
            Failure::Busy { what, after: Some(after), .. } if *after > Duration::from_secs(60) => {
                write!(f, "{what} (the store asks to be left alone for {} s)", after.as_secs())
            }
            Failure::Busy { what, .. }
            | Failure::Broken { what, .. }
            | Failure::Credentials(what)
            | Failure::Unsupported(what)
            | Failure::Listing(what)
            | Failure::Name(what)
            | Failure::Length(what)
            | Failure::Refused(what) => f.write_str(what),
        }
    }
}

impl Failure {
    fn answer(&self) -> StoreAnswer {
        match self {
            Failure::NotFound(_) => StoreAnswer::NotFound,
            Failure::Changed | Failure::Unsatisfied => StoreAnswer::Changed,
            Failure::Denied(_) | Failure::Credentials(_) => StoreAnswer::Denied,
            Failure::Name(_) => StoreAnswer::BadName,
            Failure::Length(_) => StoreAnswer::Truncated,
            Failure::Busy { .. }
            | Failure::Broken { .. }
            | Failure::Unsupported(_)
            | Failure::Listing(_)
            | Failure::Refused(_) => StoreAnswer::Other,
        }
    }

    /// The problem that it is, at an offset in bytes where it has one.
    pub(crate) fn problem(&self, stage: Stage, offset: Option<u64>) -> Problem {
        let cause = Cause::Store { answer: self.answer(), what: self.to_string().into() };
        Problem { offset, ..Problem::new(stage, cause) }
    }
}

/// The words of an error and of its causes, each once.
pub(crate) fn root(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_words = inner.to_string();
        if !words.contains(&inner_words) {
            words = format!("{words}: {inner_words}");
        }
        cause = inner.source();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
