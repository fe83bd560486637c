//! The claims of jobs as plain data, so that a judge can be handed a false one.

use crate::room::Files;
use crate::script::{Act, At};
use crate::step::Step;
use std::collections::BTreeMap;

/// One step: the claims of its jobs, and the files that they left.
#[derive(Debug, Clone)]
pub struct Account {
    /// Each job with its claims, in the order of the step.
    pub jobs: Vec<(Step, Claims)>,
    /// The files that jobs wrote, before the step.
    pub before: Files,
    /// The same after it: of one that was killed, at the moment of the kill.
    pub after: Files,
    /// The same if nobody had been killed.
    pub unkilled: Files,
    /// The acts that came to pass, each with its call.
    pub acts: Vec<(At, Act)>,
    /// Calls of the system that were seen.
    pub calls: u64,
    /// Those on files of the room, in their order.
    pub seen: Vec<At>,
    /// Whether the calls were without end.
    pub endless: bool,
    /// Numbers that were drawn once more.
    pub repeated: u64,
    /// Evidence that is not as it was left.
    pub altered: Vec<String>,
}

impl Account {
    /// Whether all were killed.
    pub fn is_killed(&self) -> bool {
        self.acts.iter().any(|(_, act)| matches!(act, Act::Kill | Act::Cut(_)))
    }

    /// Whether nothing happened that a job may ever tell: calls that were short, late or broken off
    /// in passing must change no result.
    pub fn is_quiet(&self) -> bool {
        self.acts.iter().all(|(_, act)| match act {
            Act::Fail(errno, _) => errno.is_passing(),
            Act::Short(_) | Act::Late(_) | Act::Clock(_) => true,
            Act::Deed(_) | Act::Kill | Act::Cut(_) => false,
        })
    }

    /// Whether a call on this file, or on a directory that it lies in, failed.
    pub fn has_failed(&self, name: &str) -> bool {
        let is_above =
            |place: &str| name == place || name.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
        self.failures().any(is_above)
    }

    /// The files on which calls failed for good.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.acts.iter().filter_map(|(at, act)| match act {
            Act::Fail(errno, _) if !errno.is_passing() => Some(at.place.as_str()),
            _ => None,
        })
    }
}

/// The claims of a job.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    /// Its result for each file, in the order of its events.
    pub rows: Vec<Row>,
    /// How it ended.
    pub end: End,
}

/// A result for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The file, by its path in the room.
    pub name: String,
    /// The result.
    pub word: Word,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// It has this SHA-256, and this many bytes.
    Digest(String, u64),
    /// It was listed and not read.
    Skipped,
    /// No digest can be given.
    Failed(String),
    /// It is as it is listed.
    Right,
    /// It is not.
    Wrong,
    /// It is not there.
    Missing,
    /// It could not be read.
    Unread,
    /// It has a class, and perhaps another name that it had.
    Class(&'static str, Option<String>),
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With a summary.
    Done(Summary),
    /// With an error: its kind, and its sentence.
    Broken(pfh::job::Kind, String),
    /// With a panic.
    Panicked,
}

impl Default for End {
    fn default() -> End {
        End::Done(Summary::default())
    }
}

/// The summary of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Its counts by their names.
    pub counts: BTreeMap<&'static str, u64>,
    /// Its verdict, if it has one.
    pub verdict: Option<pfh::Verdict>,
    /// The digest that it claims for all that it read.
    pub digest: Option<String>,
}

impl Claims {
    /// The summary, of a job that came to its end.
    pub fn summary(&self) -> Option<&Summary> {
        match &self.end {
            End::Done(summary) => Some(summary),
            _ => None,
        }
    }

    /// The rows of a file.
    pub fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Word> {
        self.rows.iter().filter(move |row| row.name == name).map(|row| &row.word)
    }
}
