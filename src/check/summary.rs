//! What a check found: what was compared with what, by which digests, and what was not compared.

use super::{Counts, Expectations, Remark, Request};
use crate::verdict::{Tally, Verdict};
use pfh_digest::Algorithm;
use pfh_manifest::{Ending, Fault};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why there was nothing to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nothing {
    /// The manifest has no record with a digest.
    NoRecord,
    /// No listed file is there, and missing ones are ignored.
    NoFile,
    /// No listed file is in the audited part.
    NoPart,
}

/// How many listed files came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Files {
    /// As the manifest has them.
    pub right: u64,
    /// Read, and not as the manifest has them.
    pub different: u64,
    /// Not there.
    pub missing: u64,
    /// Not there, and ignored because the request says so.
    pub ignored: u64,
    /// There, and not readable.
    pub unread: u64,
}

impl Files {
    /// Files that were read and compared.
    pub fn compared(&self) -> u64 {
        self.right + self.different
    }

    /// The counts that the verdict follows from: a missing file is not as the manifest has it.
    pub fn tally(&self) -> Tally {
        Tally { equal: self.right, unequal: self.different + self.missing, open: self.unread }
    }
}

/// How many files came out how.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Findings {
    /// Of the listed files.
    Files(Files),
    /// Of an audited tree.
    Audit(Counts),
}

/// The result of a check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// The manifest.
    pub manifest: PathBuf,
    /// Further manifests of an audit.
    pub also: Vec<PathBuf>,
    /// Files that are as the manifest has them.
    pub verified: u64,
    /// Files that the manifest has.
    pub expected: u64,
    /// Verified files by algorithm: how many were compared by a digest of each.
    pub by_algorithm: BTreeMap<String, u64>,
    /// The counts.
    pub findings: Findings,
    /// Why there was nothing to compare with; `None` if there was something.
    pub nothing: Option<Nothing>,
    /// How names and algorithms were found.
    pub remarks: Vec<Remark>,
    /// What the manifest holds and was not compared, one sentence for each kind.
    pub not_compared: Vec<String>,
    /// Whether the manifest has lines that are no records.
    pub improper: bool,
    /// What became of the end that the manifest promises.
    pub ending: Ending,
    /// Records of the manifest without a digest because the file was skipped when the manifest was
    /// made.
    pub skipped: u64,
}

impl Summary {
    /// Nothing was compared yet.
    pub(super) fn new(request: &Request, expectations: &Expectations) -> Summary {
        Summary {
            manifest: request.manifest.clone(),
            also: request.also.clone(),
            verified: 0,
            expected: expectations.entries.len() as u64,
            by_algorithm: BTreeMap::new(),
            findings: Findings::Files(Files::default()),
            nothing: None,
            remarks: Vec::new(),
            not_compared: expectations.not_compared(),
            improper: expectations.faults.iter().any(|(_, fault)| !matches!(fault, Fault::Unasked)),
            ending: expectations.ending,
            skipped: expectations.skipped(),
        }
    }

    /// Counts a file that is as the manifest has it, by these algorithms.
    pub(super) fn verify(&mut self, algorithms: impl IntoIterator<Item = Algorithm>) {
        self.verified += 1;
        for algorithm in algorithms {
            *self.by_algorithm.entry(algorithm.to_string()).or_default() += 1;
        }
    }

    /// The verdict over the files. What the manifest holds and was not compared is beside it.
    pub fn verdict(&self) -> Verdict {
        if self.nothing.is_some() {
            return Verdict::NothingToCompareWith;
        }
        match &self.findings {
            Findings::Files(files) => files.tally().verdict(),
            Findings::Audit(counts) => counts.tally().verdict(),
        }
    }
}
