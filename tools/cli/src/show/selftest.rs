//! The page of a test of the machine.

use super::many;
use crate::colour::{Tone, toned};
use pfh::manifest::row::Words;
use pfh::selftest::{Group, Row, Standing, Summary};

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
