//! A store's answer, as a problem of an entry.

use object_store::Error;
use pfh_source::{Cause, Problem, Stage, StoreAnswer};

/// The problem that an answer is, at an offset in bytes where it has one.
pub(crate) fn problem(stage: Stage, offset: Option<u64>, error: &Error) -> Problem {
    let (answer, what): (_, String) = match error {
        Error::NotFound { .. } => (StoreAnswer::NotFound, "no such object".into()),
        Error::Precondition { .. } => (StoreAnswer::Changed, CHANGED.into()),
        Error::PermissionDenied { .. } => (StoreAnswer::Denied, format!("the store refuses: {}", root(error))),
        Error::Unauthenticated { .. } => {
            (StoreAnswer::Denied, format!("the store does not accept the credentials: {}", root(error)))
        }
        // For a missing bucket the client has no error of its own.
        other if root(other).contains("404 Not Found") => (StoreAnswer::NotFound, root(other)),
        // Nor for a listing that is refused.
        other if ["403 Forbidden", "401 Unauthorized"].iter().any(|status| root(other).contains(status)) => {
            (StoreAnswer::Denied, format!("the store refuses: {}", root(other)))
        }
        other => (StoreAnswer::Other, root(other)),
    };
    Problem { offset, ..Problem::new(stage, Cause::Store { answer, what: what.into() }) }
}

/// An object that is another one now.
pub(crate) fn changed(offset: u64) -> Problem {
    Problem::new(Stage::Read, Cause::Store { answer: StoreAnswer::Changed, what: CHANGED.into() }).at(offset)
}

const CHANGED: &str = "the object was replaced after it was listed: hash it again when it is at rest";

/// The words of an error and of its causes, each once.
fn root(error: &Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let inner_words = inner.to_string();
        if !words.contains(&inner_words) {
            words = format!("{words}: {inner_words}");
        }
        cause = inner.source();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
