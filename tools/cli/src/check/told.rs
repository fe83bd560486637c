//! The closing line: what was compared with what, by which digests.

use super::name;
use pfh::sink::check::Expectations;
use std::collections::BTreeMap;
use std::path::Path;

/// What a check can say at its end.
pub struct Told {
    manifest: String,
    /// Files whose digests are those of the manifest, and how many the manifest has.
    pub verified: u64,
    /// Files that the manifest has.
    pub expected: u64,
    /// Files of which each algorithm's digest was compared and found right.
    pub algorithms: BTreeMap<String, u64>,
    /// What is not as it should be, with its number.
    pub against: Vec<(u64, &'static str)>,
    /// What the reader should know of how it was done.
    pub remarks: Vec<String>,
    nothing: Option<String>,
    skipped: u64,
}

impl Told {
    /// Nothing was compared yet.
    pub fn new(manifest: &Path, expectations: &Expectations) -> Told {
        Told {
            manifest: name(manifest),
            verified: 0,
            expected: expectations.entries.len() as u64,
            algorithms: BTreeMap::new(),
            against: Vec::new(),
            remarks: Vec::new(),
            nothing: None,
            skipped: expectations.skipped(),
        }
    }

    /// There is nothing to compare with, and why.
    pub fn nothing(&mut self, why: impl Into<String>) {
        self.nothing = Some(why.into());
    }

    /// A file is as the manifest has it, by these algorithms.
    pub fn verify<'a>(&mut self, algorithms: impl Iterator<Item = &'a pfh::Algorithm>) {
        self.verified += 1;
        for algorithm in algorithms {
            *self.algorithms.entry(algorithm.to_string()).or_default() += 1;
        }
    }

    /// Whether there is nothing to say but that all is well.
    pub fn is_plain(&self) -> bool {
        self.remarks.is_empty() && self.nothing.is_none()
    }

    /// The line. `open` is how many kinds of things in the manifest were not compared.
    pub fn line(&self, open: usize) -> String {
        let Told { manifest, verified, expected, .. } = self;
        if let Some(why) = &self.nothing {
            return format!("{manifest}: nothing to compare with: {why}");
        }
        let files = |count: u64| if count == 1 { "file" } else { "files" };
        let mut line = if verified == expected {
            format!("{verified} {} verified against {manifest}", files(*verified))
        } else {
            format!("{verified} of {expected} {} verified against {manifest}", files(*expected))
        };
        // An algorithm that was not compared for every file says for how many it was.
        let names: Vec<String> = self
            .algorithms
            .iter()
            .map(|(name, count)| if count == verified { name.clone() } else { format!("{name} ({count})") })
            .collect();
        if !names.is_empty() {
            line += &format!(": {}", names.join(", "));
        }
        for (count, what) in self.against.iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {count} {what}");
        }
        if open > 0 {
            line += "; not all of the manifest was compared, see above";
        }
        if self.skipped > 0 {
            line += &format!("; {} without a digest, skipped when it was made", self.skipped);
        }
        for remark in &self.remarks {
            line += &format!("; {remark}");
        }
        line
    }
}
