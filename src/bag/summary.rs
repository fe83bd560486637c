//! The outcome of a bag.

use super::event::{Event, Events, Finding, Severity};
use crate::job::Error;
use crate::verdict::{Tally, Verdict};
use pfh_digest::Algorithm;
use pfh_source::Levels;
use pfh_source::terminal::counted;
use pfh_source::terminal::shown;
use std::path::{Path, PathBuf};

/// The outcome of a bag.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// The bag.
    pub bag: PathBuf,
    /// The version that it declares; `None` if it declares none.
    pub version: Option<(u32, u32)>,
    /// Files of the payload that are as all their manifests say.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Tag files that are as all their manifests say.
    pub tags: u64,
    /// The algorithms by which payload and tag files were compared.
    pub algorithms: Vec<Algorithm>,
    /// Files that are yet to be fetched.
    pub fetch: u64,
    /// How many findings make it invalid.
    pub errors: u64,
    /// How many leave a part of it open.
    pub incomplete: u64,
    /// How many deserve a warning.
    pub warnings: u64,
    /// How many of the warnings count, as their level is error.
    pub raised: u64,
}

impl Summary {
    pub(super) fn new(bag: &Path) -> Summary {
        Summary {
            bag: bag.to_owned(),
            version: None,
            files: 0,
            bytes: 0,
            tags: 0,
            algorithms: Vec::new(),
            fetch: 0,
            errors: 0,
            incomplete: 0,
            warnings: 0,
            raised: 0,
        }
    }

    /// Counts a finding, and hands it out.
    pub(super) fn found(&mut self, finding: &Finding, levels: &Levels, events: &mut Events<'_>) -> Result<(), Error> {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Incomplete => self.incomplete += 1,
            Severity::Warning => {
                self.warnings += 1;
                self.raised += u64::from(levels.counts(finding.severity.finding()));
            }
        }
        events(Event::Found(finding)).map_err(Error::Sink)
    }

    /// Whether the bag is valid: *verified*, if everything was compared.
    pub fn verdict(&self) -> Verdict {
        Tally { equal: self.files + self.tags, unequal: self.errors, open: self.incomplete + self.raised }.verdict()
    }

    /// The contents, for a bag that was made or updated.
    pub fn made(&self) -> String {
        let names: Vec<String> = self.algorithms.iter().map(Algorithm::to_string).collect();
        let files = counted(self.files, "file");
        format!("{}: a bag of {files}, {}, by {}", shown(&self.bag), counted(self.bytes, "byte"), names.join(", "))
    }

    /// The compared sides and the result.
    pub fn sentence(&self) -> String {
        let names: Vec<String> = self.algorithms.iter().map(Algorithm::to_string).collect();
        let (bag, by) = (shown(&self.bag), names.join(", "));
        let files = counted(self.files, "file");
        let tags = counted(self.tags, "tag file");
        let errors = counted(self.errors, "error");
        let compared = format!("{files} and {tags} are as its manifests say, by {by}");
        let fetch = if self.fetch > 0 { format!("; {} yet to be fetched", self.fetch) } else { String::new() };
        match self.verdict() {
            Verdict::Verified => format!("{bag}: a valid bag: {compared}"),
            Verdict::Differs if self.algorithms.is_empty() => format!("{bag}: no valid bag: {errors}"),
            Verdict::Differs => format!("{bag}: no valid bag: {errors}; {compared}{fetch}"),
            Verdict::Incomplete => {
                format!("{bag}: not complete: {} open; {compared}{fetch}", self.incomplete + self.raised)
            }
            Verdict::NothingToCompareWith => format!("{bag}: nothing to compare with: its manifests list no file"),
        }
    }
}
