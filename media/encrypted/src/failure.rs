//! Why a volume cannot be opened.

use std::io;

/// Why a volume cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The medium cannot be read at this offset.
    #[error("cannot be read at offset {0}: {1}")]
    Unreadable(u64, io::Error),
    /// The metadata contradict themselves.
    #[error("{what} at offset {offset}")]
    Damaged {
        /// Where, in bytes from the start of the volume.
        offset: u64,
        /// The contradiction.
        what: String,
    },
    /// No key fits.
    #[error("opens with {}; {}", kinds(.needs), how_many(*.tried))]
    NoKey {
        /// The kinds of keys that would open it.
        needs: Vec<String>,
        /// How many of the keys at hand are of these kinds.
        tried: usize,
    },
    /// A variant that is not read.
    #[error("{0}: recognised, not read")]
    Unread(String),
}

impl Failure {
    /// Metadata at `offset` that contradict themselves.
    pub(crate) fn damaged(offset: u64, what: impl Into<String>) -> Failure {
        Failure::Damaged { offset, what: what.into() }
    }
}

fn kinds(needs: &[String]) -> String {
    match needs {
        [] => "no key that is known here".to_owned(),
        needs => needs.join(" or "),
    }
}

fn how_many(keys: usize) -> String {
    match keys {
        0 => "no such key was given".to_owned(),
        1 => "the one key that was given does not fit".to_owned(),
        keys => format!("none of the {keys} keys that were given fits"),
    }
}
