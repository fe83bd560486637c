//! What the five papers claim, each claim as a test over rows of one kind: threads against threads,
//! sizes against sizes. A claim holds here, does not hold here, or cannot be shown here; a row that
//! was not measured is never replaced by another.

mod cloner;
mod lanes;
mod languages;
mod prefetching;
mod trees;

use super::items::Item;
use super::{Cell, Repeated, Table};
use crate::markup::escape;
use crate::report::align;
use crate::study::StudyResult;
use serde::Serialize;
use std::fmt::Write;

/// What is known of a claim on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
pub struct Judged {
    /// The paper.
    pub paper: &'static str,
    /// The table or figure that it is from, or `text`.
    pub item: &'static str,
    /// What the paper says, with its figures.
    pub claim: &'static str,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The figures that decide; what is missing.
    pub why: String,
}

/// A claim and its test.
struct Claim {
    item: &'static str,
    says: &'static str,
    test: Test,
}

type Test = Box<dyn Fn(&Evidence<'_>) -> Tested>;

/// The finding; or what is missing for one.
type Tested = Result<Finding, String>;

/// What the rows say.
struct Finding {
    holds: bool,
    figures: String,
}

/// All that was measured.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The parts of `pfh bench papers`.
    pub repeated: &'a [Repeated],
    /// The study of languages, if the output directory has one.
    pub study: Option<&'a StudyResult>,
}

impl Evidence<'_> {
    /// The table of a part whose title begins so.
    fn table(&self, part: &str, begins: &str) -> Result<&Table, String> {
        let Some(found) = self.repeated.iter().find(|repeated| repeated.name == part) else {
            return Err(format!("not measured yet: `pfh bench papers --only {part}`"));
        };
        let tables = found.found.as_ref().map_err(Clone::clone)?;
        let table = tables.iter().find(|table| table.table.starts_with(begins));
        table.ok_or_else(|| format!("{part} has no table {begins:?} here"))
    }
}

/// Figures of one kind: a column of a table.
#[derive(Clone, Copy)]
struct Of {
    part: &'static str,
    table: &'static str,
    column: &'static str,
}

const fn of(part: &'static str, table: &'static str, column: &'static str) -> Of {
    Of { part, table, column }
}

impl Of {
    /// The figure of a row.
    fn value(self, evidence: &Evidence<'_>, row: &str) -> Result<f64, String> {
        let table = evidence.table(self.part, self.table)?;
        let at = table.columns.iter().position(|column| column == self.column);
        let at = at.ok_or_else(|| format!("{} has no column {}", table.table, self.column))?;
        let named = |cells: &&Vec<Cell>| matches!(cells.first(), Some(Cell::Text(name)) if name == row);
        let Some(cells) = table.rows.iter().find(named) else {
            return Err(format!("{} has no row {row:?} here", table.table));
        };
        match (&cells[at], cells.last()) {
            (Cell::Number(value), _) if *value >= 0.0 => Ok(*value),
            (_, Some(Cell::Text(why))) if at + 1 < cells.len() => Err(format!("{row}: {why}")),
            _ => Err(format!("{row}: no figure here")),
        }
    }

    /// Names and figures of all rows that have one.
    fn rows(self, evidence: &Evidence<'_>) -> Result<Vec<(String, f64)>, String> {
        let table = evidence.table(self.part, self.table)?;
        let names = table.rows.iter().filter_map(|cells| match &cells[0] {
            Cell::Text(name) => Some(name.clone()),
            _ => None,
        });
        let found: Vec<_> = names.filter_map(|name| Some((name.clone(), self.value(evidence, &name).ok()?))).collect();
        if found.is_empty() { Err(format!("{} has no figures here", table.table)) } else { Ok(found) }
    }

    /// How the table was measured, for a claim that its rows contradict.
    fn because(self, evidence: &Evidence<'_>, causes: &[&str]) -> String {
        let Ok(table) = evidence.table(self.part, self.table) else { return String::new() };
        let known = |cause: &&&str| table.conditions.iter().any(|condition| condition == **cause);
        let mut found: Vec<&str> = causes.iter().filter(known).map(|cause| explain(cause)).collect();
        if table.conditions.iter().any(|condition| condition == "loaded") {
            found.push(explain("loaded"));
        }
        match (found.is_empty(), table.conditions.is_empty()) {
            (false, _) => format!(": {}", found.join("; ")),
            (true, false) => format!(": no cause is known; measured {}", table.conditions.join(", ")),
            (true, true) => String::new(),
        }
    }
}

/// Conditions that scripts state of their tables, as causes.
fn explain(condition: &str) -> &str {
    match condition {
        "cached" => "the files are in the page cache, so that no disk limits the readers",
        "flash" => "the device has no moving head, so that reads at the same time do not slow it",
        "virtual" => "the disk is a virtual one, whose device behind it is not known to have a moving head",
        "few processors" => "there are more threads than processors",
        "SHA instructions" => "the processor has SHA instructions, which serve a single message",
        "loaded" => "other programs were running",
        other => other,
    }
}

/// What a ratio has to be.
#[derive(Clone, Copy)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
    Within(f64, f64),
}

use Bound::{AtLeast, AtMost, Within};

impl Bound {
    fn holds(self, ratio: f64) -> bool {
        match self {
            AtMost(most) => ratio <= most,
            AtLeast(least) => ratio >= least,
            Within(least, most) => (least..=most).contains(&ratio),
        }
    }

    fn words(self) -> String {
        match self {
            AtMost(most) => format!("at most {}", percent(most)),
            AtLeast(least) => format!("at least {}", percent(least)),
            Within(least, most) => format!("{} to {}", percent(least), percent(most)),
        }
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}

/// The first row of each pair over the second.
fn ratios(
    of: Of,
    pairs: &'static [(&'static str, &'static str)],
    bound: Bound,
    causes: &'static [&'static str],
) -> Test {
    Box::new(move |evidence| {
        let mut figures = Vec::new();
        let mut holds = true;
        for (one, other) in pairs {
            let ratio = of.value(evidence, one)? / of.value(evidence, other)?;
            if !ratio.is_finite() {
                return Err(format!("{other}: too short to be measured"));
            }
            holds &= bound.holds(ratio);
            figures.push(format!("{one} / {other}: {}", percent(ratio)));
        }
        let because = if holds { String::new() } else { of.because(evidence, causes) };
        Ok(Finding { holds, figures: format!("{} (tested: {}){because}", figures.join(", "), bound.words()) })
    })
}

/// The rows differ by less than this part of the least.
fn alike(of: Of, rows: &'static [&'static str], most: f64, causes: &'static [&'static str]) -> Test {
    Box::new(move |evidence| {
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>()?;
        let holds = spread(&values) <= most;
        let because = if holds { String::new() } else { of.because(evidence, causes) };
        let rows = rows.join(", ");
        let figures =
            format!("{rows}: they differ by {} (tested: at most {}){because}", percent(spread(&values)), percent(most));
        Ok(Finding { holds, figures })
    })
}

/// Each row has more than the one before.
fn rising(of: Of, rows: &'static [&'static str], causes: &'static [&'static str]) -> Test {
    Box::new(move |evidence| {
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>()?;
        let holds = values.windows(2).all(|pair| pair[0] < pair[1]);
        let because = if holds { String::new() } else { of.because(evidence, causes) };
        let figures: Vec<String> =
            rows.iter().zip(&values).map(|(row, value)| format!("{row} {}", figure(*value))).collect();
        Ok(Finding { holds, figures: format!("{}{because}", figures.join(", ")) })
    })
}

/// Figures of a column, each within a bound.
fn figures(of: Of, rows: &'static [&'static str], bound: Bound, causes: &'static [&'static str]) -> Test {
    Box::new(move |evidence| {
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>()?;
        let holds = values.iter().all(|value| bound.holds(*value));
        let because = if holds { String::new() } else { of.because(evidence, causes) };
        let shown: Vec<String> =
            rows.iter().zip(&values).map(|(row, value)| format!("{row} {}", figure(*value))).collect();
        let tested = match bound {
            AtMost(most) => format!("at most {most}"),
            AtLeast(least) => format!("at least {least}"),
            Within(least, most) => format!("{least} to {most}"),
        };
        Ok(Finding { holds, figures: format!("{} (tested: {tested}){because}", shown.join(", ")) })
    })
}

/// What this machine lacks for a claim.
fn needs(what: &'static str) -> Test {
    Box::new(move |_| Err(what.to_owned()))
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn spread(values: &[f64]) -> f64 {
    let (least, most) = values.iter().fold((f64::MAX, 0.0_f64), |(l, m), &v| (l.min(v), m.max(v)));
    most / least - 1.0
}

fn claim(item: &'static str, says: &'static str, test: Test) -> Claim {
    Claim { item, says, test }
}

/// Every claim, tested.
pub fn judge(evidence: &Evidence<'_>) -> Vec<Judged> {
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
            judged.push(Judged { paper, item, claim: says, verdict, why });
        }
    }
    judged
}

/// How many claims of these have each verdict.
fn counted<'a>(judged: impl Iterator<Item = &'a Judged> + Clone) -> String {
    let count = |verdict| judged.clone().filter(|judged| judged.verdict == verdict).count();
    let some = Verdict::ALL.iter().map(|verdict| (count(*verdict), verdict.words())).filter(|(count, _)| *count > 0);
    some.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

/// The verdicts over an item's claims, counted; nothing is summed up over what is missing.
pub fn of_item(item: &Item, judged: &[Judged]) -> Option<String> {
    let about = judged.iter().filter(|judged| judged.paper == item.paper && judged.item == item.number);
    let words = counted(about);
    (!words.is_empty()).then_some(words)
}

/// The claims as a table of text.
pub fn text(judged: &[Judged]) -> String {
    let title = format!("The claims of the papers: {}", counted(judged.iter()));
    let mut text = format!("{title}\n{}\n", "=".repeat(title.chars().count()));
    let mut paper = "";
    for one in judged {
        if one.paper != paper {
            paper = one.paper;
            write!(text, "\n{paper}\n").expect("a string takes it");
        }
        let row = [one.item, one.verdict.words(), one.claim].map(str::to_owned).to_vec();
        write!(text, "{}      {}\n", align(&[row]), one.why).expect("a string takes it");
    }
    text + "\n"
}

/// The claims as a table of a page.
pub fn html(judged: &[Judged]) -> String {
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
pub fn csv(judged: &[Judged]) -> String {
    let mut text = String::from("paper,item,claim,verdict,why\n");
    for one in judged {
        let cells = [one.paper, one.item, one.claim, one.verdict.words(), &one.why];
        let cells = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        writeln!(text, "{}", cells.join(",")).expect("a string takes it");
    }
    text
}
