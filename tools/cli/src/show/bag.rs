//! Findings in a bag: lines and JSON.

use super::word;
use pfh::Verdict;
use pfh::bag::{Finding, Severity, Summary};
use pfh::manifest::row::{self, Is, Path, Word};
use pfh::terminal::render;
use serde::Serialize;

/// A finding for people.
pub fn text(finding: &Finding) -> String {
    format!("{:<10}  {}: {}\n", finding.severity.name(), render(&finding.path), render(finding.what.as_bytes()))
}

/// A finding in a bag.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found<'a> {
    r#type: Is<word::Finding>,
    /// Its severity for the bag.
    severity: Word<Severity>,
    #[serde(flatten)]
    path: Path<'a>,
    /// The finding, in words.
    what: &'a str,
}

/// A finding as one JSON object.
pub fn json(finding: &Finding) -> String {
    let Finding { severity, path, what, .. } = finding;
    row::line(&Found { r#type: Is(word::Finding), severity: Word(*severity), path: Path(path), what })
}

// In the order of the names of its members.
/// A bag.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Whole {
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

/// The result for the bag, as one JSON object.
pub fn summary_json(summary: &Summary) -> String {
    row::line(&Whole {
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
    })
}

/// A bag that was packed. Nothing was compared.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Made {
    algorithms: Vec<String>,
    bytes: u64,
    files: u64,
    tag_files: u64,
    r#type: Is<word::Summary>,
}

/// The packed bag, as one JSON object. There is no verdict: nothing was compared.
pub fn made_json(summary: &Summary) -> String {
    let (bytes, files, tag_files) = (summary.bytes, summary.files, summary.tags);
    row::line(&Made { algorithms: algorithms(summary), bytes, files, tag_files, r#type: Is(word::Summary) })
}
