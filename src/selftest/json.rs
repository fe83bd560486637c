//! The answers as rows of JSON: what `--json` prints, and dictionaries in Python.

use super::row::{Group, Row, Standing, Summary};
use crate::verdict::Verdict;
use pfh_manifest::row::{Is, Mark, Word};
use serde::Serialize;

mod word {
    pfh_manifest::constants! { Summary = "summary", Test = "test" }
}

/// A test.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRow<'a> {
    r#type: Is<word::Test>,
    group: Word<Group>,
    name: &'a str,
    standing: Word<Standing>,
    /// The facts that were found, in words.
    detail: &'a str,
    /// The finding that it is.
    #[serde(flatten)]
    mark: Option<Mark>,
    /// The consequence where it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    consequence: Option<&'a str>,
    /// The remedy where it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
}

impl<'a> TestRow<'a> {
    /// A JSON object and a line feed.
    pub fn of(row: &'a Row) -> TestRow<'a> {
        TestRow {
            r#type: Is(word::Test),
            group: Word(row.group),
            name: &row.name,
            standing: Word(row.standing),
            detail: &row.detail,
            mark: row.standing.finding().map(Mark::of),
            consequence: row.consequence,
            remedy: row.remedy,
        }
    }
}

/// How many tests came out how.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct TestsSum {
    r#type: Is<word::Summary>,
    holds: u64,
    less_safe: u64,
    untried: u64,
    verdict: Word<Verdict>,
    wrong: u64,
}

impl TestsSum {
    /// The counts as a JSON object.
    pub fn of(summary: &Summary) -> TestsSum {
        let Summary { holds, less_safe, untried, wrong, .. } = *summary;
        TestsSum { r#type: Is(word::Summary), holds, less_safe, untried, verdict: Word(summary.verdict()), wrong }
    }
}
