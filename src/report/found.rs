//! The findings so far.

use super::members::Object;
use super::similar::Similar;
use pfh_report::case::{Case, Problem, SetCount, Source, Standing, Tone, VerdictEvidence};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Names below a verdict that are among the problems as well.
const NAMED: usize = 50;

/// A log of an acquisition without an end.
#[derive(Debug)]
pub(super) struct OpenLog {
    /// The number of its source.
    pub source: usize,
    /// Its name.
    pub path: PathBuf,
    /// Its first record.
    pub first: Object,
}

/// How much was read according to a map, in bytes.
#[derive(Debug)]
pub(super) struct MapShare {
    /// The number of its source.
    pub source: usize,
    /// Its name.
    pub path: PathBuf,
    /// Read.
    pub read: u64,
    /// Unreadable.
    pub bad: u64,
    /// Not read yet.
    pub open: u64,
}

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct PageFindings {
    /// The contents of the page.
    pub case: Case,
    /// Images that logs name.
    pub images: Vec<PathBuf>,
    /// Logs of acquisitions without an end.
    pub open_logs: Vec<OpenLog>,
    /// Maps of acquisitions.
    pub maps: Vec<MapShare>,
    /// Plans of runs in units: source and file.
    pub plans: Vec<(usize, PathBuf)>,
    /// Pairs of similar files.
    pub similar: Similar,
    /// Files by the word of their verdict.
    pub words: BTreeMap<String, u64>,
    /// Known sets, by name and class.
    pub sets: BTreeMap<(String, String), SetCount>,
    /// Seals and chains that were verified again, and do not hold: source and why.
    pub broken: Vec<(usize, String)>,
    /// Those that hold.
    pub holding: u64,
    /// Sources that are not whole, and why.
    pub torn: Vec<(usize, String)>,
}

impl PageFindings {
    /// Enters a source, and gives its number.
    pub fn enter(&mut self, name: &[u8], kind: &str) -> usize {
        self.case.sources.push(Source {
            name: name.to_vec(),
            kind: kind.to_owned(),
            bytes: 0,
            records: 0,
            sha256: String::new(),
            standing: Standing::Read,
        });
        self.case.sources.len() - 1
    }

    /// Something contradicts.
    pub fn wrong(&mut self, source: usize, name: &[u8], what: impl Into<String>) {
        self.case.wrong.push(Problem { source, name: name.to_vec(), what: what.into() });
    }

    /// Something is left open.
    pub fn open(&mut self, source: usize, name: &[u8], what: impl Into<String>) {
        self.case.open.push(Problem { source, name: name.to_vec(), what: what.into() });
    }

    /// A source is not whole, or not all of it was understood.
    pub fn torn(&mut self, source: usize, why: impl Into<String>) {
        let why = why.into();
        self.open(source, b"", why.clone());
        self.torn.push((source, why));
    }

    /// Enters a verdict; one that is not good is a problem as well.
    pub fn judge(&mut self, judged: VerdictEvidence) {
        let what = format!("{}: {}", judged.what, judged.verdict);
        let more = judged.rows.count().saturating_sub(NAMED as u64);
        let what = if more > 0 { format!("{what}; {more} more names stand below the verdict") } else { what };
        match judged.tone {
            Tone::Good => {}
            Tone::Open => self.open(judged.source, b"", what),
            Tone::Bad => self.wrong(judged.source, b"", what),
        }
        for row in judged.rows.kept().iter().take(NAMED) {
            let what = format!("{}: {}", judged.what, row.class);
            match row.tone {
                Tone::Good => {}
                Tone::Open => self.open(judged.source, &row.name, what),
                Tone::Bad => self.wrong(judged.source, &row.name, what),
            }
        }
        self.case.results.judged.push(judged);
    }
}

/// How a verdict's word stands.
pub(super) fn tone(verdict: &str) -> Tone {
    match verdict {
        "verified" => Tone::Good,
        "differs" => Tone::Bad,
        _ => Tone::Open,
    }
}
