//! The result of a check: the compared sides and digests, and the parts that were not compared.

use super::again::Rereads;
use super::place::{Reason, Remark};
use super::request::{Manner, Turn};
use crate::verdict::{Tally, Verdict};
use pfh_digest::Algorithm;
use pfh_ledger::{Counts, Ledger};
use pfh_manifest::{Ending, Fault};
use pfh_source::terminal::counted;
use pfh_source::terminal::{render, shown};
use pfh_source::{FindingId, Level, Levels};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// Not there, but for a file whose name is probably another spelling of it.
    pub likely: u64,
    /// Read, and the digest that is stated without its algorithm is only a checksum of it.
    pub weak: u64,
}

impl Files {
    /// Files that were read and compared.
    pub fn compared(&self) -> u64 {
        self.right + self.different
    }

    /// The counts that the verdict follows from, where findings have these levels: a missing file
    /// is not as the manifest has it.
    pub fn tally(&self, levels: &Levels) -> Tally {
        let counted = |finding: FindingId, count: u64| if levels.counts(finding) { count } else { 0 };
        Tally {
            equal: self.right,
            unequal: self.different + counted(FindingId::CheckMissing, self.missing),
            open: self.unread + counted(FindingId::CheckSpelling, self.likely) + self.weak,
        }
    }

    /// How many findings of each kind there are.
    fn findings(&self) -> Vec<(FindingId, u64)> {
        let all = [
            (FindingId::CheckDiffers, self.different),
            (FindingId::CheckMissing, self.missing),
            (FindingId::CheckUnread, self.unread),
            (FindingId::CheckSpelling, self.likely),
            (FindingId::CheckWeak, self.weak),
        ];
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

/// Which share of the listed files was checked, and how old the other checks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckShare {
    /// The share of all bytes that was asked for.
    pub part: Option<(u64, u64)>,
    /// Files that were looked at.
    pub read: u64,
    /// Their sizes, in bytes.
    pub bytes: u64,
    /// Files that the manifest lists.
    pub files: u64,
    /// Their sizes as far as they are known, in bytes.
    pub total: u64,
    /// Files that were never found to be as listed.
    pub never: u64,
    /// How long ago the check is that is the oldest; `None` if there was none, or the clock was
    /// set back since.
    pub oldest: Option<Duration>,
    /// The record of earlier checks was damaged: all files count as never checked.
    pub is_lost: bool,
}

impl CheckShare {
    /// How much was checked, and how old the other checks are.
    pub fn sentence(&self) -> String {
        let CheckShare { read, files, bytes, total, never, .. } = self;
        let percent = if *total == 0 { 100.0 } else { *bytes as f64 * 100.0 / *total as f64 };
        let share = self.part.map_or(String::new(), |(one, of)| format!(" {one}/{of},"));
        let mut line = format!("a share:{share} {read} of {}, {percent:.1} % of the bytes", counted(*files, "file"));
        match self.oldest {
            Some(oldest) => line += &format!("; the oldest check was {} ago", span(oldest)),
            None => line += "; no file was as listed yet",
        }
        if *never > 0 {
            line += &format!("; {never} {} never checked", if *never == 1 { "file was" } else { "files were" });
        }
        if self.is_lost {
            line += "; the record of earlier checks was damaged, and begins again";
        }
        line
    }
}

/// A time for people, in its largest unit.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (count, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    pfh_source::terminal::counted(count, unit)
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

/// The result of one manifest; an audit has one result for all.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Part {
    /// The manifest; of an audit all of them.
    pub manifests: Vec<PathBuf>,
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
    /// Parts of the manifest that were not compared, one sentence for each kind.
    pub not_compared: Vec<String>,
    /// The same by their findings, with those that have no sentence.
    pub unlisted: BTreeMap<FindingId, u64>,
    /// How much each finding counts.
    pub levels: Levels,
    /// Whether the manifest has lines that are not records.
    pub improper: bool,
    /// The outcome of the end that the manifest promises.
    pub ending: Ending,
    /// Records of the manifest without a digest because the file was skipped when the manifest was
    /// made.
    pub skipped: u64,
    /// How the request judges parts that were not compared.
    pub manner: Manner,
    /// The directory in which names were taken to start, as the request or the working directory
    /// leads to it; `None` if all names are absolute, or nothing was looked for.
    pub root: Option<Vec<u8>>,
    /// The share of the files that was checked; `expected` counts those of it.
    pub share: Option<CheckShare>,
    /// Files that differ and were read a second time.
    pub rereads: Rereads,
}

impl Part {
    /// Nothing was compared yet.
    pub(super) fn new(turn: Turn<'_>, ledger: &Ledger) -> Part {
        Part {
            manifests: turn.manifests.to_vec(),
            verified: 0,
            expected: ledger.entries.len() as u64,
            by_algorithm: BTreeMap::new(),
            findings: Findings::Files(Files::default()),
            nothing: None,
            remarks: ledger.remarks.iter().cloned().map(Remark::Read).collect(),
            not_compared: ledger.not_compared(),
            unlisted: ledger.findings(),
            levels: turn.request.plan.levels.clone(),
            improper: ledger.faults.iter().any(|(_, fault)| !matches!(fault, Fault::Unasked)),
            ending: ledger.ending,
            skipped: ledger.skipped(),
            manner: turn.request.manner,
            root: None,
            share: None,
            rereads: Rereads::default(),
        }
    }

    /// Counts a file that is as the manifest has it, by these algorithms.
    pub(super) fn verify(&mut self, algorithms: impl IntoIterator<Item = Algorithm>) {
        self.verified += 1;
        for algorithm in algorithms {
            *self.by_algorithm.entry(algorithm.to_string()).or_default() += 1;
        }
    }

    /// The manifest; of an audit the first.
    pub fn manifest(&self) -> &Path {
        self.manifests.first().map_or(Path::new(""), |manifest| manifest)
    }

    /// The verdict over the files. Parts of the manifest that were not compared are beside it.
    pub fn verdict(&self) -> Verdict {
        if self.nothing.is_some() {
            return Verdict::NothingToCompareWith;
        }
        match &self.findings {
            Findings::Files(files) => files.tally(&self.levels).verdict(),
            Findings::Audit(counts) => counts.tally(&self.levels).verdict(),
        }
    }

    /// The verdict over the files and over the manifest, which must be compared as a whole. How
    /// much it counts that it was not is the request's [`Manner`].
    pub fn conclusion(&self) -> Verdict {
        match self.verdict() {
            _ if self.improper && self.manner == Manner::Strict => Verdict::Differs,
            Verdict::Verified if self.is_open() && self.manner != Manner::Lenient => Verdict::Incomplete,
            verdict => verdict,
        }
    }

    /// Missing files, unless their level is to say nothing of them.
    pub fn said_missing(&self) -> u64 {
        match &self.findings {
            Findings::Files(files) if self.levels.says(FindingId::CheckMissing) => files.missing,
            _ => 0,
        }
    }

    /// Whether a part of the manifest was not compared, and counts.
    fn is_open(&self) -> bool {
        // Files that a list contradicts itself about differ anyhow.
        let is_open = |finding: &&FindingId| **finding != FindingId::ListContradiction && self.levels.counts(**finding);
        self.unlisted.keys().any(|finding| is_open(&finding))
    }

    /// How many findings of each kind there are, with their levels.
    pub fn findings(&self) -> Vec<(FindingId, Level, u64)> {
        let found = match &self.findings {
            Findings::Files(files) => files.findings(),
            Findings::Audit(counts) => counts.findings(),
        };
        let all = self.unlisted.iter().map(|(finding, count)| (*finding, *count)).chain(found);
        all.map(|(finding, count)| (finding, self.levels.of(finding), count)).collect()
    }

    /// Whether the manifest breaks off in the middle of a document: the rest was not read.
    pub fn is_broken(&self) -> bool {
        self.ending == Ending::Broken
    }

    /// Whether there is nothing to report but that all is well.
    pub fn is_plain(&self) -> bool {
        self.conclusion() == Verdict::Verified && !self.is_broken() && self.remarks.is_empty() && self.share.is_none()
    }

    /// The compared sides and digests, and whether a part was not compared; remarks in these words.
    pub fn sentence(&self, words: impl Fn(&Remark) -> String) -> String {
        let manifests = self.manifests.iter();
        let manifest = manifests.map(|manifest| shown(manifest)).collect::<Vec<_>>().join(", ");
        if let Some(why) = self.nothing {
            return format!("{manifest}: nothing to compare with: {}", nothing(why, &manifest));
        }
        let (verified, expected) = (self.verified, self.expected);
        let files = |count: u64| if count == 1 { "file" } else { "files" };
        let mut line = if verified == expected {
            format!("{verified} {} verified against {manifest}", files(verified))
        } else {
            format!("{verified} of {expected} {} verified against {manifest}", files(expected))
        };
        // An algorithm that was not compared for every file says for how many it was.
        let by = self.by_algorithm.iter();
        let by = by.map(|(name, count)| if *count == verified { name.clone() } else { format!("{name} ({count})") });
        let names: Vec<String> = by.collect();
        if !names.is_empty() {
            line += &format!(": {}", names.join(", "));
        }
        line += &self.share.map_or(String::new(), |share| format!("; {}", share.sentence()));
        for (count, what) in against(&self.findings).iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {count} {what}");
        }
        if self.rereads.total() > 0 {
            line += &format!("; {}", self.rereads.sentence());
        }
        if !self.not_compared.is_empty() {
            line += "; not all of the manifest was compared, see above";
        }
        if self.skipped > 0 {
            line += &format!("; {} without a digest, skipped when it was made", self.skipped);
        }
        for remark in &self.remarks {
            line += &format!("; {}", words(remark));
        }
        line
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(Remark::to_string))
    }
}

/// A deviation, with its number.
fn against(findings: &Findings) -> Vec<(u64, &'static str)> {
    match findings {
        Findings::Files(files) => vec![
            (files.different, "not as the manifest has it"),
            (files.missing, "missing"),
            (files.ignored, "not there, ignored"),
            (files.unread, "could not be read"),
            (files.likely, "here under another spelling of its name, not compared"),
            (files.weak, "with a checksum in place of the digest, not compared"),
        ],
        Findings::Audit(counts) => vec![
            (counts.negative(), "not as the manifest has it"),
            (counts.unverified - counts.beyond, "could not be looked at"),
            (counts.beyond, "outside of the audited part"),
        ],
    }
}

fn nothing(why: Nothing, manifest: &str) -> String {
    match why {
        Nothing::NoFile => format!("no file of {manifest} was verified"),
        Nothing::NoPart => "no file of it is in the part that was audited".into(),
        Nothing::NoRecord => "it has no record with a digest".into(),
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Beside => "where the manifest lies",
            Reason::Recorded => "which the manifest records",
        })
    }
}

/// A part of a sentence.
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::StartIn(directory, why) => write!(f, "names start in {}, {why}", render(directory)),
            Remark::MoreIn(directory, why) => {
                write!(f, "more of the names are in {}, {why}, which was not checked", render(directory))
            }
            Remark::Nowhere => {
                f.write_str("no name is there below the working directory: name the directory in which names start")
            }
            Remark::WithoutPrefix(root, prefix) => {
                write!(f, "names are looked for in {} without {} in front", render(root), render(prefix))
            }
            Remark::Walked(directory) => {
                write!(f, "{} was walked, which all names have in common", render(directory))
            }
            Remark::OtherAlgorithms(others) => {
                let names: Vec<String> = others.iter().map(Algorithm::to_string).collect();
                write!(f, "that digests are of {} was found by trying", names.join(" and "))
            }
            Remark::Read(how) => f.write_str(how),
            Remark::Likely(_) => f.write_str("names as found are compared where the request says so"),
            Remark::NoAlgorithm(tried) => write!(
                f,
                "no algorithm is named, and no file has its digest by any of the {tried} of that length that pfh has: files that changed, or another algorithm"
            ),
            Remark::Weak(weak) => write!(
                f,
                "a file has the {weak} that stands there, which anybody can bring about: name {weak} if the manifest is of that"
            ),
        }
    }
}
