//! The findings as rows: what `--json` prints, and dictionaries in Python.

use super::event::{Finding, Severity};
use super::summary::Summary;
use crate::verdict::Verdict;
use pfh_manifest::row::{Is, Mark, Path, Word};
use pfh_source::Levels;
use serde::Serialize;

mod word {
    pfh_manifest::constants! { Finding = "finding", Summary = "summary" }
}

/// A finding in a bag.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingRow<'a> {
    r#type: Is<word::Finding>,
    /// Its severity for the bag.
    severity: Word<Severity>,
    #[serde(flatten)]
    path: Path<'a>,
    /// The finding, in words.
    what: &'a str,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Mark,
}

impl<'a> FindingRow<'a> {
    /// A finding as one JSON object, where findings have these levels.
    pub fn of(finding: &'a Finding, levels: &Levels) -> FindingRow<'a> {
        let Finding { severity, path, what, .. } = finding;
        FindingRow {
            r#type: Is(word::Finding),
            severity: Word(*severity),
            path: Path(path),
            what,
            mark: Mark::at(severity.finding(), levels),
        }
    }
}

// In the order of the names of its members.
/// A bag.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryRow {
    algorithms: Vec<String>,
    bytes: u64,
    errors: u64,
    files: u64,
    incomplete: u64,
    tag_files: u64,
    to_fetch: u64,
    r#type: Is<word::Summary>,
    verdict: Word<Verdict>,
    version: Option<String>,
    warnings: u64,
}

fn algorithms(summary: &Summary) -> Vec<String> {
    summary.algorithms.iter().map(ToString::to_string).collect()
}

impl SummaryRow {
    /// The result for the bag, as one JSON object.
    pub fn of(summary: &Summary) -> SummaryRow {
        SummaryRow {
            algorithms: algorithms(summary),
            bytes: summary.bytes,
            errors: summary.errors,
            files: summary.files,
            incomplete: summary.incomplete,
            tag_files: summary.tags,
            to_fetch: summary.fetch,
            r#type: Is(word::Summary),
            verdict: Word(summary.verdict()),
            version: summary.version.map(|(major, minor)| format!("{major}.{minor}")),
            warnings: summary.warnings,
        }
    }
}

/// A bag that was packed. Nothing was compared.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MadeRow {
    algorithms: Vec<String>,
    bytes: u64,
    files: u64,
    tag_files: u64,
    r#type: Is<word::Summary>,
}

impl MadeRow {
    /// The packed bag, as one JSON object. There is no verdict: nothing was compared.
    pub fn of(summary: &Summary) -> MadeRow {
        let (bytes, files, tag_files) = (summary.bytes, summary.files, summary.tags);
        MadeRow { algorithms: algorithms(summary), bytes, files, tag_files, r#type: Is(word::Summary) }
    }
}
