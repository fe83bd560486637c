//! A command line taken apart by the options that its command has, as clap will read it.

use clap::{Arg, ArgAction, Command};
use std::ffi::{OsStr, OsString};

/// A part of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A file, or another operand.
    Operand(OsString),
    /// An option.
    Flag(Flag),
    /// A word that stays as it is: `--`, the words behind it, and options that are not text.
    Fixed(OsString),
}

/// An option with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// `-t` or `--threads`.
    pub name: String,
    /// Its value, if it has one here.
    pub value: Option<OsString>,
    /// The value is written in the same word.
    pub joined: bool,
    /// The command has this option.
    pub known: bool,
}

impl Piece {
    /// The words that it is written with.
    pub fn words(&self) -> Vec<OsString> {
        match self {
            Piece::Operand(word) | Piece::Fixed(word) => vec![word.clone()],
            Piece::Flag(Flag { name, value: None, .. }) => vec![name.into()],
            Piece::Flag(Flag { name, value: Some(value), joined: false, .. }) => vec![name.into(), value.clone()],
            Piece::Flag(Flag { name, value: Some(value), .. }) => {
                let mut word = OsString::from(name);
                word.push(if name.starts_with("--") { "=" } else { "" });
                word.push(value);
                vec![word]
            }
        }
    }
}

/// The command that words lead to: its path (`known build`), and how many words that takes.
pub fn page<'a>(root: &'a Command, words: &[OsString]) -> (&'a Command, String, usize) {
    let (mut page, mut path, mut used) = (root, String::new(), 0);
    while let Some(below) = words.get(used).and_then(|word| page.find_subcommand(word)) {
        let space = if path.is_empty() { "" } else { " " };
        path += &format!("{space}{}", below.get_name());
        (page, used) = (below, used + 1);
    }
    (page, path, used)
}

/// The option of this name; `-h`, `-V` and their long forms are there without being defined.
pub fn option<'a>(page: &'a Command, name: &str) -> Option<&'a Arg> {
    let mut options = page.get_arguments().filter(|arg| !arg.is_positional());
    match name.strip_prefix("--") {
        Some(long) => options.find(|arg| {
            arg.get_long() == Some(long) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&long))
        }),
        None => {
            // Several letters behind one dash name no option.
            let letter = name.chars().nth(1).filter(|_| name.chars().nth(2).is_none())?;
            options.find(|arg| {
                arg.get_short() == Some(letter)
                    || arg.get_all_short_aliases().is_some_and(|aliases| aliases.contains(&letter))
            })
        }
    }
}

/// Whether a command has this option.
pub fn is_known(page: &Command, name: &str) -> bool {
    ["-h", "--help", "--help-all", "-V", "--version"].contains(&name) || option(page, name).is_some()
}

/// Whether an option takes the next word for its value.
fn takes_word(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && !arg.is_require_equals_set()
}

/// Takes the words behind the command's name apart. `foreign` says of an option that the command
/// does not have whether it takes a value: `None` if it knows nothing of it.
pub fn pieces(page: &Command, words: &[OsString], foreign: &dyn Fn(&str) -> Option<bool>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let Some(text) = word.to_str().filter(|text| text.len() > 1 && text.starts_with('-')) else {
            pieces.push(match word.as_encoded_bytes() {
                [b'-', _, ..] => Piece::Fixed(word.clone()),
                _ => Piece::Operand(word.clone()),
            });
            continue;
        };
        if text == "--" {
            pieces.push(Piece::Fixed(word.clone()));
            pieces.extend(words.by_ref().cloned().map(Piece::Fixed));
            break;
        }
        let mut next = |takes: bool| match words.peek() {
            Some(word) if takes && !starts_option(word) => words.next().cloned(),
            _ => None,
        };
        let takes = |name: &str| match option(page, name) {
            Some(arg) => takes_word(arg),
            None => foreign(name).unwrap_or(false),
        };
        if text.starts_with("--") || (foreign(text).is_some() && option(page, text).is_none()) {
            let (name, value) = match text.split_once('=').filter(|_| text.starts_with("--")) {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            let joined = value.is_some();
            let value = value.or_else(|| next(takes(name)));
            pieces.push(Piece::Flag(Flag { name: name.to_owned(), value, joined, known: is_known(page, name) }));
            continue;
        }
        // A word whose first letter is unknown stays whole: it may be joined with its value.
        let first: String = text.chars().take(2).collect();
        if text.chars().nth(2).is_some() && option(page, &first).is_none() && foreign(&first).is_none() {
            pieces.push(Piece::Flag(Flag { name: text.to_owned(), value: None, joined: false, known: false }));
            continue;
        }
        for (at, letter) in text[1..].char_indices() {
            let name = format!("-{letter}");
            let rest = &text[1 + at + letter.len_utf8()..];
            let takes = takes(&name);
            let joined = takes && !rest.is_empty();
            let value = if joined { Some(OsString::from(rest)) } else { next(takes) };
            pieces.push(Piece::Flag(Flag { known: is_known(page, &name), name, value, joined }));
            if joined {
                break;
            }
        }
    }
    pieces
}

/// Whether clap takes this word for an option and not for a value.
fn starts_option(word: &OsStr) -> bool {
    matches!(word.as_encoded_bytes(), [b'-', _, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_line_is_put_together_as_it_was() {
        let root = crate::help::command(false);
        for line in [
            "hash -r -t4 -a md5,sha1 d --inside=lenient --exclude x -- -q",
            "hash --output=list -t 4 -",
            "match -k a -k b --only known d",
            "known build --bad m k",
        ] {
            let words = words(line);
            let (page, _, used) = page(&root, &words);
            let pieces = pieces(page, &words[used..], &|_| None);
            let again: Vec<OsString> = pieces.iter().flat_map(Piece::words).collect();
            assert_eq!(again, words[used..], "{line}");
        }
    }

    #[test]
    fn letters_in_one_word_are_options_of_their_own() {
        let root = crate::help::command(false);
        let words = words("hash -rj4 -Q d");
        let (page, path, used) = page(&root, &words);
        let foreign = |name: &str| (name == "-j").then_some(true);
        let flag = |name: &str, value: Option<&str>, known| {
            let joined = value.is_some();
            Piece::Flag(Flag { name: name.into(), value: value.map(OsString::from), joined, known })
        };
        let expected =
            [flag("-r", None, true), flag("-j", Some("4"), false), flag("-Q", None, false), Piece::Operand("d".into())];
        assert_eq!((&*path, pieces(page, &words[used..], &foreign)), ("hash", expected.to_vec()));
    }
}
