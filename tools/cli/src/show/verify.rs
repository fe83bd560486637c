//! The results of a verification, as text.

use crate::colour::{Tone, toned};
use pfh::terminal::shown;
use pfh::verdict::Comparison;
use pfh::verify::{Finding, Summary, Verdict};

/// A finding as a sentence, with the option that helps.
pub fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::Signed { log } => format!("{}: signed; give --key to check by whom", shown(log)),
        Finding::Unlike(_) => format!("{finding}; --raw takes its bytes as they are"),
        other => other.to_string(),
    }
}

/// Lines for people: findings, a table of the comparisons, the digests, and the verdict with its
/// sources. The verdict has its colour.
pub fn text(summary: &Summary) -> String {
    let (word, tone) = match summary.verdict() {
        Verdict::Verified => ("verified", Tone::Good),
        Verdict::Differs => ("NOT VERIFIED", Tone::Bad),
        Verdict::Incomplete | Verdict::NothingToCompareWith => ("not verified", Tone::Unsure),
    };
    let said = match summary.verdict() {
        Verdict::Verified => format!("{word}: {}", equal_by(summary)),
        Verdict::Incomplete | Verdict::NothingToCompareWith if summary.equal().next().is_some() => {
            let missing = summary.missing();
            let what = if missing.is_empty() { String::new() } else { format!(": {}", missing.join("; ")) };
            format!("{word}: not all could be compared{what}; {}", equal_by(summary))
        }
        _ => summary.sentence(),
    };
    let verdict = match said.strip_prefix(word) {
        Some(rest) => format!("{}{rest}\n", toned(word, tone)),
        None => format!("{said}\n"),
    };
    let findings = summary.findings.iter().map(|finding| format!("{}\n", sentence(finding)));
    let digests = summary.digests.iter().map(|digest| format!("{} {digest}\n", digest.algorithm()));
    findings.chain([table(&summary.comparisons)]).chain(digests).chain([verdict]).collect()
}

/// How much is equal, and who states it.
fn equal_by(summary: &Summary) -> String {
    let mut sources: Vec<&str> = Vec::new();
    for one in summary.equal() {
        if !sources.contains(&&*one.with) {
            sources.push(&one.with);
        }
    }
    let count = summary.equal().count();
    let are = if count == 1 { "1 comparison is equal".to_owned() } else { format!("{count} comparisons are equal") };
    format!("{are}, with {}", sources.join(", "))
}

/// A line for each comparison: its subject, the source of the statement, and whether they are
/// equal.
fn table(comparisons: &[Comparison]) -> String {
    let columns = |row: &Comparison| [row.what.chars().count(), row.with.chars().count()];
    let [mut what, mut with] = ["compared".len(), "stated by".len()];
    for [one, other] in comparisons.iter().map(columns) {
        (what, with) = (what.max(one), with.max(other));
    }
    let mut text = String::new();
    if !comparisons.is_empty() {
        text += &format!("{:what$}  {:with$}  equal\n", "compared", "stated by");
    }
    for one in comparisons {
        let equal = if one.is_unequal() { toned("NO", Tone::Bad) } else { "yes".to_owned() };
        text += &format!("{:what$}  {:with$}  {equal}\n", one.what, one.with);
    }
    text
}
