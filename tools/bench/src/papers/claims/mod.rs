//! The claims of the five papers, each as a test over rows of one kind: threads against threads,
//! sizes against sizes. A claim holds here, does not hold here, or cannot be shown here; a row that
//! was not measured is never replaced by another.

mod cloner;
mod lanes;
mod languages;
mod prefetching;
mod rows;
mod trees;

use rows::{Claim, Finding};
pub use rows::{Evidence, PLAIN_STUDY};

use super::items::Item;
use crate::markup::escape;
use crate::report::align;
use serde::Serialize;
use std::fmt::Write;

/// The outcome of a claim on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Verdict {
    /// All rows that it is about were measured, and they agree with it.
    #[serde(rename = "holds here")]
    Holds,
    /// All rows that it is about were measured, and some contradict it.
    #[serde(rename = "does not hold here")]
    HoldsNot,
    /// A row that it is about is missing.
    #[serde(rename = "cannot be shown here")]
    Unshown,
}

impl Verdict {
    /// All three, in the order of the overview.
    const ALL: [Verdict; 3] = [Verdict::Holds, Verdict::HoldsNot, Verdict::Unshown];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Holds => "holds here",
            Verdict::HoldsNot => "does not hold here",
            Verdict::Unshown => "cannot be shown here",
        }
    }
}

/// A claim that was tested.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgedClaim {
    /// The paper.
    pub paper: &'static str,
    /// The table or figure that it is from, or `text`.
    pub item: &'static str,
    /// The paper's claim, with its figures.
    pub claim: &'static str,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The figures that decide, or the lack that leaves it open.
    pub why: String,
}

/// Every claim, tested.
pub fn judge(evidence: &Evidence<'_>) -> Vec<JudgedClaim> {
    let papers = [
        (super::scripts::PREFETCHING, prefetching::claims()),
        (super::scripts::LANES, lanes::claims()),
        (super::items::LANGUAGES, languages::claims()),
        (super::scripts::TREES, trees::claims()),
        (super::scripts::CLONER, cloner::claims()),
    ];
    let mut judged = Vec::new();
    for (paper, claims) in papers {
        for Claim { item, says, test } in claims {
            let (verdict, why) = match test(evidence) {
                Ok(Finding { holds: true, figures }) => (Verdict::Holds, figures),
                Ok(Finding { holds: false, figures }) => (Verdict::HoldsNot, figures),
                Err(missing) => (Verdict::Unshown, missing),
            };
            judged.push(JudgedClaim { paper, item, claim: says, verdict, why });
        }
    }
    judged
}

/// How many claims of these have each verdict.
fn counted<'a>(judged: impl Iterator<Item = &'a JudgedClaim> + Clone) -> String {
    let count = |verdict| judged.clone().filter(|judged| judged.verdict == verdict).count();
    let some = Verdict::ALL.iter().map(|verdict| (count(*verdict), verdict.words())).filter(|(count, _)| *count > 0);
    let plural = |count: usize, words: &str| match count {
        1 => words.to_owned(),
        _ => words.replace("does", "do").replace("holds", "hold"),
    };
    some.map(|(count, words)| format!("{count} {}", plural(count, words))).collect::<Vec<_>>().join(", ")
}

/// The verdicts over an item's claims, counted; missing rows are not summed up.
pub fn of_item(item: &Item, judged: &[JudgedClaim]) -> Option<String> {
    let about = judged.iter().filter(|judged| judged.paper == item.paper && judged.item == item.number);
    let words = counted(about);
    (!words.is_empty()).then_some(words)
}

/// The claims as a table of text.
pub fn text(judged: &[JudgedClaim]) -> String {
    let title = format!("The claims of the papers: {}", counted(judged.iter()));
    let mut text = format!("{title}\n{}\n", "=".repeat(title.chars().count()));
    let mut paper = "";
    for one in judged {
        if one.paper != paper {
            paper = one.paper;
            write!(text, "\n{paper}\n").expect("a string takes it");
        }
        let row = [one.item, one.verdict.words(), one.claim].map(str::to_owned).to_vec();
        writeln!(text, "{}      {}", align(&[row]), one.why).expect("a string takes it");
    }
    text + "\n"
}

/// The claims as a table of a page.
pub fn html(judged: &[JudgedClaim]) -> String {
    let left = "style=\"text-align:left\"";
    let heads = ["item", "claim", "verdict", "why"].map(|head| format!("<th {left}>{head}</th>")).concat();
    let mut html = format!("<h2>The claims</h2>\n<p>{}.</p>\n<table><tr>{heads}</tr>\n", counted(judged.iter()));
    let mut paper = "";
    for one in judged {
        if one.paper != paper {
            paper = one.paper;
            let name = escape(paper);
            writeln!(html, "<tr><th {left} colspan=\"4\">{name}</th></tr>").expect("a string takes it");
        }
        let cells = [one.item, one.claim, one.verdict.words(), &one.why].map(escape);
        let cells = cells.map(|cell| format!("<td {left}>{cell}</td>")).concat();
        writeln!(html, "<tr class=\"claim\">{cells}</tr>").expect("a string takes it");
    }
    html + "</table>\n"
}

/// The claims as comma-separated values.
pub fn csv(judged: &[JudgedClaim]) -> String {
    let mut text = String::from("paper,item,claim,verdict,why\n");
    for one in judged {
        let cells = [one.paper, one.item, one.claim, one.verdict.words(), &one.why];
        let cells = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        writeln!(text, "{}", cells.join(",")).expect("a string takes it");
    }
    text
}
