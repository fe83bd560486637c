//! The answer to a line that is not carried out: why, and the lines to type instead.

use super::matching::{Captures, filled};
use super::row::{Row, Treatment};
use super::table::rows;
use crate::exit::Failure;
use crate::shell::quoted;
use pfh::terminal::render;
use std::ffi::OsString;

/// Why a line is not carried out, and the lines to type instead.
#[derive(Debug)]
pub struct Advice {
    why: String,
    lines: Vec<(String, String)>,
}

impl Advice {
    /// These lines, each with its effect.
    pub(super) fn new(why: String, lines: Vec<(String, String)>) -> Advice {
        Advice { why, lines }
    }

    /// The same lines, for this reason.
    pub(super) fn because(self, why: String) -> Advice {
        Advice { why, ..self }
    }

    /// That of a row.
    pub(super) fn of(row: &Row, path: &str, captures: &Captures, rest: &[OsString]) -> Advice {
        let word = |word: &str| match word {
            "…" => spelt(rest),
            "@" => path.to_owned(),
            word if word.contains('{') => quoted(&filled(word, captures)),
            word => word.to_owned(),
        };
        let line = |line: &str| {
            let words = line.split(' ').map(word).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        };
        let lines = row
            .lines
            .iter()
            .map(|(text, what)| (line(text), filled(what, captures).to_string_lossy().into_owned()))
            .collect();
        Advice { why: filled(row.why, captures).to_string_lossy().into_owned(), lines }
    }

    /// That of a list of algorithms that was put right.
    pub(super) fn misspelt(wrong: &str, path: &str, words: &[OsString]) -> Advice {
        let why = format!("unknown algorithm \"{}\"", render(wrong.as_bytes()));
        Advice { why, lines: vec![(line(path, words), String::new())] }
    }

    /// The answer as it is printed.
    pub fn text(&self) -> String {
        let mut text = self.why.clone();
        text += match self.lines.len() {
            0 => return text,
            1 => "; type this:",
            _ => "; type one of these:",
        };
        let widest = self.lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
        for (line, what) in &self.lines {
            text += &match what.as_str() {
                "" => format!("\n  {line}"),
                what => format!("\n  {line:widest$}  # {what}"),
            };
        }
        text
    }
}

impl From<Advice> for Failure {
    fn from(advice: Advice) -> Failure {
        Failure::usage(advice.text())
    }
}

/// A command line with the program's name in front.
pub(super) fn line(path: &str, words: &[OsString]) -> String {
    let rest = spelt(words);
    let parts = ["pfh", path, &rest];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn spelt(words: &[OsString]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The page of `pfh help coming-from`: the table.
pub fn page() -> String {
    let mut text = "\
Words of other programs, and their meaning here. A line with an arrow is carried out; of one
with a question mark pfh says what to type. docs/guide/coming-from.md has whole command lines.
"
    .to_owned();
    let mut sections: Vec<&str> = Vec::new();
    rows().for_each(|row| {
        if !sections.contains(&row.at) {
            sections.push(row.at);
        }
    });
    for at in sections {
        text += &match at {
            "" => "\nIn place of a command\n".to_owned(),
            "*" => "\nWith every command that has such an option\n".to_owned(),
            at => format!("\npfh {}\n", at.replace('|', ", pfh ")),
        };
        for row in rows().filter(|row| row.at == at) {
            text += &described(row);
        }
    }
    text
}

fn described(row: &Row) -> String {
    let bare = |text: &str| text.replace(['{', '}'], "").replace('|', ", ");
    let typed = bare(row.typed);
    let beside = if row.with.is_empty() { String::new() } else { format!(" (with {})", row.with.join(", ")) };
    let of = if row.of.is_empty() { String::new() } else { format!("  [{}]", row.of) };
    match row.then {
        Treatment::Runs => {
            let means = if row.means.is_empty() { "(not needed)".to_owned() } else { bare(row.means) };
            format!("  {:<28} -> {means}{of}\n", format!("{typed}{beside}"))
        }
        Treatment::Asks => {
            let mut text = format!("  {:<28} ?  {}{of}\n", format!("{typed}{beside}"), bare(row.why));
            for (line, what) in row.lines {
                let what = if what.is_empty() { String::new() } else { format!("  # {what}") };
                text += &format!("  {:<28}    {}{what}\n", "", bare(line).replace("pfh @", "pfh …"));
            }
            text
        }
    }
}
