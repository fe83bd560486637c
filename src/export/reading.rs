//! Findings while a result is read.

use std::collections::BTreeMap;

/// Faults that are kept in words.
const KEPT: usize = 10;

/// Findings while a result is read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The first lines that are not records.
    pub faults: Vec<String>,
    /// How many there are.
    pub faulty: u64,
    /// Types of lines that have no place in an export, with their numbers.
    pub others: BTreeMap<String, u64>,
}

impl Reading {
    /// A line that is not a record, or an end that is missing.
    pub(super) fn fault(&mut self, what: String) {
        self.faulty += 1;
        if self.faults.len() < KEPT {
            self.faults.push(what);
        }
    }

    /// A line of another type.
    pub(super) fn other(&mut self, kind: &str) {
        // A hostile file has as many types as lines.
        if self.others.len() < 100 || self.others.contains_key(kind) {
            *self.others.entry(kind.to_owned()).or_default() += 1;
        } else {
            self.fault("more than a hundred types of lines".to_owned());
        }
    }

    /// Makes faults of the other types, once all is read.
    pub(super) fn end(&mut self) {
        for (kind, count) in std::mem::take(&mut self.others) {
            let kind = pfh_source::terminal::render(kind.as_bytes());
            let (lines, are) = match count {
                1 => ("line", "is not a record of a file"),
                _ => ("lines", "are not records of files"),
            };
            self.fault(format!("{count} {lines} of type {kind:?} {are}"));
            self.faulty += count - 1;
        }
    }
}
