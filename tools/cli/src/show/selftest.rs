//! The page of a test of the machine, and its rows as JSON.

use super::{many, word};
use crate::colour::{Tone, toned};
use pfh::Verdict;
use pfh::manifest::row::{self, Is, Word, Words};
use pfh::selftest::{Group, Row, Standing, Summary};
use serde::Serialize;

/// A test.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line<'a> {
    r#type: Is<word::Test>,
    group: Word<Group>,
    name: &'a str,
    standing: Word<Standing>,
    /// The facts that were found, in words.
    detail: &'a str,
    /// The consequence where it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    consequence: Option<&'a str>,
    /// The remedy where it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
}

/// A JSON object and a line feed.
pub fn json(row: &Row) -> String {
    row::line(&Line {
        r#type: Is(word::Test),
        group: Word(row.group),
        name: &row.name,
        standing: Word(row.standing),
        detail: &row.detail,
        consequence: row.consequence,
        remedy: row.remedy,
    })
}

/// How many tests came out how.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub struct All {
    r#type: Is<word::Summary>,
    holds: u64,
    less_safe: u64,
    untried: u64,
    verdict: Word<Verdict>,
    wrong: u64,
}

/// The counts as a JSON object.
pub fn summary_json(summary: &Summary) -> String {
    let Summary { holds, less_safe, untried, wrong, .. } = *summary;
    row::line(&All { r#type: Is(word::Summary), holds, less_safe, untried, verdict: Word(summary.verdict()), wrong })
}

/// The widest name.
const NAME: usize = 29;

/// A line of the page, below a heading where its group is another than that of the line before.
pub fn text(row: &Row, before: Option<Group>) -> String {
    let mut text = String::new();
    if before != Some(row.group) {
        text += &format!("{}{}\n", if before.is_some() { "\n" } else { "" }, row.group.word());
    }
    let mark = match row.standing {
        Standing::Holds => toned("ok", Tone::Good),
        Standing::LessSafe => toned("LESS SAFE", Tone::Unsure),
        Standing::Untried => toned("NOT TRIED", Tone::Unsure),
        Standing::Wrong => toned("WRONG", Tone::Bad),
        _ => String::new(),
    };
    let gap = if mark.is_empty() { "" } else { "  " };
    text += &format!("  {:NAME$} {mark}{gap}{}\n", row.name, row.detail);
    if !matches!(row.standing, Standing::Holds | Standing::Note) {
        let blank = " ".repeat(NAME + 3);
        text.extend(row.consequence.map(|consequence| format!("{blank}so: {consequence}\n")));
        text.extend(row.remedy.map(|remedy| format!("{blank}do: {remedy}\n")));
    }
    text
}

/// The last line of the page.
pub fn summary_text(summary: &Summary) -> String {
    let Summary { holds, less_safe, untried, wrong, .. } = *summary;
    let held =
        format!("{} as {} should be", many(holds, "test is", "tests are"), if holds == 1 { "it" } else { "they" });
    let others = [(wrong, "wrong"), (less_safe, "less safe"), (untried, "not tried")];
    let others = others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let all: Vec<String> = std::iter::once(held).chain(others).collect();
    format!("\n{}\n", all.join("; "))
}
