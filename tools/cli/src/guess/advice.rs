//! The answer to a line that is not carried out: why, and the lines to type instead.

use super::matching::{Captures, filled};
use super::pieces;
use super::row::{Row, Then};
use super::shell::quoted;
use super::table::TABLE;
use crate::exit::Failure;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use pfh::terminal::render;
use std::ffi::OsString;

/// Why a line is not carried out, and the lines to type instead.
#[derive(Debug)]
pub struct Advice {
    why: String,
    lines: Vec<(String, String)>,
}

impl Advice {
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
        let lines = row.lines.iter().map(|(text, what)| (line(text), (*what).to_owned())).collect();
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
fn line(path: &str, words: &[OsString]) -> String {
    let rest = spelt(words);
    let parts = ["pfh", path, &rest];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn spelt(words: &[OsString]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The answer in place of clap's words to an unknown option or command. It never says
/// that an option can be written as an operand.
pub fn refused(error: &clap::Error, root: &Command, words: &[OsString]) -> Option<Advice> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(one)) => Some(one.clone()),
        Some(ContextValue::Strings(several)) => several.first().cloned(),
        _ => None,
    };
    let (page, path, used) = pieces::page(root, words);
    let help = (line("help", &[OsString::from(&path)]).replace('\'', ""), String::new());
    let help = if path.is_empty() { ("pfh --help".to_owned(), "the commands".to_owned()) } else { help };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let wrong = context(ContextKind::InvalidArg)?;
            let wrong = wrong.split(['=', ' ']).next().unwrap_or_default();
            let command = if path.is_empty() { "pfh".to_owned() } else { format!("pfh {path}") };
            if !wrong.starts_with('-') {
                let why = format!("{command}: there is one operand too many, {}", render(wrong.as_bytes()));
                return Some(Advice { why, lines: vec![help] });
            }
            let why = format!("{command} has no option {}", render(wrong.as_bytes()));
            let nearest = context(ContextKind::SuggestedArg).and_then(|near| {
                let near = near.split(['=', ' ']).next().unwrap_or_default().to_owned();
                let option = pieces::option(page, &near)?;
                let mut words = words[used..].to_vec();
                let at = words.iter().position(|word| word.to_string_lossy().split('=').next() == Some(wrong))?;
                let text = words[at].to_string_lossy().replacen(wrong, &near, 1);
                let has_value = text.contains('=') || !option.get_action().takes_values();
                words[at] = text.into();
                // Of a value that is not there nothing is made up.
                (has_value || at + 1 < words.len()).then(|| (line(&path, &words), String::new()))
            });
            Some(Advice { why, lines: nearest.into_iter().chain([help]).collect() })
        }
        ErrorKind::InvalidSubcommand => {
            let wrong = context(ContextKind::InvalidSubcommand)?;
            let why = match &*path {
                "" => format!("pfh has no command {}, and there is no such file", render(wrong.as_bytes())),
                path => format!("pfh {path} has no command {}", render(wrong.as_bytes())),
            };
            let near = context(ContextKind::SuggestedSubcommand).map(|near| {
                let front = if path.is_empty() { near } else { format!("{path} {near}") };
                (line(&front, &words[used + 1..]), String::new())
            });
            let others = ("pfh help coming-from".to_owned(), "words of other programs".to_owned());
            let others = path.is_empty().then_some(others);
            Some(Advice { why, lines: near.into_iter().chain([help]).chain(others).collect() })
        }
        _ => None,
    }
}

/// The page of `pfh help coming-from`: the table.
pub fn page() -> String {
    let mut text = "\
Words of other programs, and their meaning here. A line with an arrow is carried out; of one
with a question mark pfh says what to type. docs/guide/coming-from.md has whole command lines.
"
    .to_owned();
    let mut sections: Vec<&str> = Vec::new();
    TABLE.iter().for_each(|row| {
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
        for row in TABLE.iter().filter(|row| row.at == at) {
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
        Then::Runs => {
            let means = if row.means.is_empty() { "(not needed)".to_owned() } else { bare(row.means) };
            format!("  {:<28} -> {means}{of}\n", format!("{typed}{beside}"))
        }
        Then::Asks => {
            let mut text = format!("  {:<28} ?  {}{of}\n", format!("{typed}{beside}"), bare(row.why));
            for (line, what) in row.lines {
                let what = if what.is_empty() { String::new() } else { format!("  # {what}") };
                text += &format!("  {:<28}    {}{what}\n", "", bare(line).replace("pfh @", "pfh …"));
            }
            text
        }
    }
}
