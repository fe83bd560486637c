//! The contents of a page of a case.

use super::rows::Rows;
use crate::pairs::page::Page;

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Verified, or in order.
    Good,
    /// Nothing was found out, or not all.
    Open,
    /// It differs, is missing or contradicts itself.
    Bad,
}

/// The outcome of a file that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was read and is on the page.
    Read,
    /// It is not a result, and why that is in order: an image, a tree.
    Beside(String),
    /// It was not understood, and why.
    Unknown(String),
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name; raw bytes.
    pub name: Vec<u8>,
    /// Its kind, in words.
    pub kind: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Records that were read of it.
    pub records: u64,
    /// SHA-256 of the bytes read, in hexadecimal; empty if it was not read to its end.
    pub sha256: String,
    /// Its outcome.
    pub standing: Standing,
}

/// Something that is wrong.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The number of the source that says so, from 0.
    pub source: usize,
    /// Its subject; raw bytes, empty for the source itself.
    pub name: Vec<u8>,
    /// The fault, in words.
    pub what: String,
}

/// A line below a verdict.
#[derive(Clone, Debug)]
pub struct Row {
    /// How it stands.
    pub tone: Tone,
    /// Its class: `changed`, `missing` …
    pub class: String,
    /// Its subject; raw bytes.
    pub name: Vec<u8>,
    /// Further remarks.
    pub more: String,
}

/// A verdict with its evidence.
#[derive(Clone, Debug)]
pub struct VerdictEvidence {
    /// The number of the source, from 0.
    pub source: usize,
    /// The job: `check`, `audit of a tree`, `seal` …
    pub what: String,
    /// How it stands.
    pub tone: Tone,
    /// The verdict's word.
    pub verdict: String,
    /// The two sides of each comparison, and how much was compared; sentences.
    pub evidence: Vec<String>,
    /// A deviation.
    pub rows: Rows<Row>,
}

/// The counts of a manifest.
#[derive(Clone, Debug, Default)]
pub struct ManifestCounts {
    /// The number of the source, from 0.
    pub source: usize,
    /// Files with digests.
    pub files: u64,
    /// Their bytes, if the format says sizes.
    pub bytes: Option<u64>,
    /// Entries without digests, because reading them failed.
    pub errors: u64,
    /// Entries that were skipped.
    pub skipped: u64,
    /// The algorithms.
    pub algorithms: Vec<String>,
}

/// A file that a set knows.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The number of the source, from 0.
    pub source: usize,
    /// Its name, or a digest that was looked up; raw bytes.
    pub name: Vec<u8>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// The verdict's word.
    pub verdict: String,
    /// The sets that hold it.
    pub sets: Vec<String>,
    /// Digests: algorithm and hexadecimal.
    pub digests: Vec<(String, String)>,
}

/// The hits of one set in the case.
#[derive(Clone, Debug, Default)]
pub struct SetCount {
    /// The set's name, with version and product.
    pub set: String,
    /// Its class.
    pub class: String,
    /// Files that it holds.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The results of the known sets.
#[derive(Clone, Debug, Default)]
pub struct KnownResults {
    /// The verdicts' words with their numbers of files, in the order in which they are shown.
    pub counts: Vec<(String, u64)>,
    /// The sets.
    pub sets: Vec<SetCount>,
    /// Files that are known, but for good ones.
    pub hits: Rows<Hit>,
}

/// Files of one content.
#[derive(Clone, Debug)]
pub struct Copies {
    /// Bytes of one of them.
    pub size: u64,
    /// Bytes that would be free with one of them alone.
    pub reclaimable: u64,
    /// By which digest they were found to be equal.
    pub digest: String,
    /// Their names; raw bytes.
    pub names: Vec<Vec<u8>>,
}

/// Folders of one content.
#[derive(Clone, Debug)]
pub struct Folders {
    /// Files in one of them.
    pub files: u64,
    /// Bytes in one of them.
    pub bytes: u64,
    /// Their names; raw bytes.
    pub names: Vec<Vec<u8>>,
}

/// A group of similar files that came without its pairs.
#[derive(Clone, Debug)]
pub struct Group {
    /// The algorithm.
    pub algorithm: String,
    /// Its members' names; raw bytes.
    pub names: Vec<Vec<u8>>,
}

/// An acquisition.
#[derive(Clone, Debug)]
pub struct Acquisition {
    /// The number of the source, from 0.
    pub source: usize,
    /// The source and the image.
    pub title: String,
    /// Label and value of each remark on it.
    pub facts: Vec<(String, String)>,
    /// Digests of the image as written: algorithm and hexadecimal.
    pub digests: Vec<(String, String)>,
    /// Unread ranges, and other remarks.
    pub remarks: Rows<String>,
}

/// A job that has not ended: it runs, or was cut off.
#[derive(Clone, Debug)]
pub struct OpenJob {
    /// The number of the source that says so, from 0.
    pub source: usize,
    /// The kind of the job.
    pub what: String,
    /// How it stands.
    pub tone: Tone,
    /// The same in words: `running`, with the process; cut off.
    pub state: String,
    /// How much is done, of how much, both in bytes or units.
    pub share: Option<(u64, u64)>,
    /// Sentences on how far it is.
    pub facts: Vec<String>,
}

/// The results, by subject.
#[derive(Debug, Default)]
pub struct Results {
    /// Manifests.
    pub hashed: Vec<ManifestCounts>,
    /// Verdicts, in the order in which they were read.
    pub judged: Vec<VerdictEvidence>,
    /// Known sets.
    pub known: KnownResults,
    /// Files of one content.
    pub copies: Rows<Copies>,
    /// Bytes that would be free without redundant copies.
    pub reclaimable: u64,
    /// Folders of one content.
    pub folders: Rows<Folders>,
    /// Pairs of similar files.
    pub similar: Page,
    /// Groups of similar files.
    pub groups: Rows<Group>,
    /// Acquisitions.
    pub acquisitions: Vec<Acquisition>,
}

/// A page in the making.
#[derive(Debug, Default)]
pub struct Case {
    /// Its heading.
    pub title: String,
    /// Who made the page, when, and by which line.
    pub made: String,
    /// The case: its number, the examiner, the exhibits; labels with values.
    pub about: Vec<(String, String)>,
    /// The files that were read.
    pub sources: Vec<Source>,
    /// Jobs that have not ended.
    pub unfinished: Vec<OpenJob>,
    /// Contradictions.
    pub wrong: Rows<Problem>,
    /// Open points.
    pub open: Rows<Problem>,
    /// The results.
    pub results: Results,
}
