//! Command lines of users of other programs: carried out where that is safe, and otherwise answered
//! with the line to type. [`table`] is the data.

mod advice;
mod matching;
mod refused;
mod row;
mod spelling;
mod table;

pub use advice::{Advice, page};
pub use refused::refused;

use crate::help;
use crate::pieces::{self, Flag, Piece};
use clap::Command;
use matching::{filled, fit, freed, is_of, rest, takes_value};
use row::{Row, Treatment};
use std::ffi::OsString;
use table::rows;

/// Rows that follow one another at most.
const ROUNDS: usize = 12;

/// The command line that is meant by the one that was typed. The pages on the way are opened.
///
/// # Errors
/// The lines to choose from, if that is for the user to say.
pub fn meant(root: &mut Command, typed: &[OsString]) -> Result<Vec<OsString>, Advice> {
    open(root, typed);
    if let Some((wrong, corrected)) = spelling::option(root, typed) {
        return Err(misspelt(root, &wrong, &corrected));
    }
    let mut words = typed.to_vec();
    for _ in 0..ROUNDS {
        match once(root, &words)? {
            Some(next) => {
                words = next;
                open(root, &words);
            }
            None => break,
        }
    }
    algorithms(root, &words)?;
    Ok(words)
}

/// Opens the page of these words; without a command that of `hash`, whose options may stand alone.
fn open(root: &mut Command, words: &[OsString]) {
    help::open(root, words);
    if pieces::page(root, words).2 == 0 {
        help::open(root, &["hash".into()]);
    }
}

/// The answer to a misspelt option: the line with the right one, as it is meant.
fn misspelt(root: &mut Command, wrong: &str, corrected: &[OsString]) -> Advice {
    let (_, path, _) = pieces::page(root, corrected);
    let command = if path.is_empty() { "pfh".to_owned() } else { format!("pfh {path}") };
    let why = format!("{command} has no option {}", pfh::terminal::render(wrong.as_bytes()));
    match meant(root, corrected) {
        Ok(words) => Advice::new(why, vec![(advice::line("", &words), String::new())]),
        Err(advice) => advice.because(why),
    }
}

/// A step: the words that another row may be for, or nothing.
fn once(root: &Command, words: &[OsString]) -> Result<Option<Vec<OsString>>, Advice> {
    if let Some(asked) = help::asked(words).or_else(|| command_first(root, words)) {
        return Ok(Some(asked));
    }
    let (page, path, used) = pieces::page(root, words);
    // A word of another program in place of a command leads to `hash` most often: so do its words
    // of several letters behind one dash, as `-sha256`.
    let hash = |name: &str| {
        let is_word = path.is_empty() && name.len() > 2 && !name.starts_with("--");
        root.find_subcommand("hash").filter(|_| is_word).and_then(|hash| takes_value(hash, "hash", name))
    };
    let foreign = |name: &str| takes_value(page, &path, name).or_else(|| hash(name));
    let pieces = pieces::pieces(page, &words[used..], &foreign);
    for row in rows().filter(|row| is_of(row, page, &path)) {
        let Some(fit) = fit(row, &pieces) else { continue };
        if row.then == Treatment::Asks {
            return Err(Advice::of(row, &path, &fit.captures, &rest(&pieces, &fit.taken, row)));
        }
        let next = match row.means.strip_prefix("pfh ") {
            Some(line) => whole(line, &fit, &rest(&pieces, &fit.taken, row)),
            None => in_place(row, &words[..used], &pieces, &fit),
        };
        return Ok(Some(next).filter(|next| next != words));
    }
    let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
    let is_own = |word: &OsString| ["-h", "--help", "--help-all", "-V", "--version"].iter().any(|own| word == own);
    // Options without a command are of hash, which has most of them.
    if words.first().is_some_and(|first| is_option(first) && !is_own(first)) {
        return Ok(Some(std::iter::once(OsString::from("hash")).chain(words.iter().cloned()).collect()));
    }
    Ok(None)
}

/// The line with options of all commands behind the command, where they stand before it.
fn command_first(root: &Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let mut front = 0;
    while let Some(word) = words.get(front).and_then(|word| word.to_str()).filter(|word| word.starts_with("--")) {
        let arg = pieces::option(root, word.split('=').next().unwrap_or_default())?;
        front += if arg.get_action().takes_values() && !word.contains('=') { 2 } else { 1 };
    }
    if front == 0 || front >= words.len() {
        return None;
    }
    let (options, rest) = words.split_at(front);
    Some([&rest[..1], options, &rest[1..]].concat())
}

/// A line of a row, with the rest of the typed line in its place.
fn whole(line: &str, fit: &matching::Fit, rest: &[OsString]) -> Vec<OsString> {
    line.split(' ')
        .flat_map(|word| if word == "…" { rest.to_vec() } else { vec![filled(word, &fit.captures)] })
        .collect()
}

/// The line with the meaning of a row in place of the pieces that it took.
fn in_place(row: &Row, command: &[OsString], pieces: &[Piece], fit: &matching::Fit) -> Vec<OsString> {
    let mut words = command.to_vec();
    for (at, piece) in pieces.iter().enumerate() {
        if fit.taken.first() == Some(&at) {
            words.extend(row.means.split(' ').filter(|word| !word.is_empty()).map(|word| filled(word, &fit.captures)));
        }
        if fit.taken.contains(&at) {
            words.extend(freed(piece, row));
        } else {
            words.extend(piece.words());
        }
    }
    words
}

/// Looks at the names of algorithms: of one that is misspelt the line with the right one.
fn algorithms(root: &Command, words: &[OsString]) -> Result<(), Advice> {
    let (page, path, used) = pieces::page(root, words);
    let mut pieces = pieces::pieces(page, &words[used..], &|_| None);
    let mut wrong = None;
    for piece in &mut pieces {
        let Piece::Flag(Flag { name, value: Some(value), known: true, .. }) = piece else { continue };
        let is_list = pieces::option(page, name).is_some_and(|arg| arg.get_long() == Some("algorithm"));
        let Some(text) = value.to_str().filter(|_| is_list) else { continue };
        let meant = |name: &str| match name.parse::<pfh::Algorithm>() {
            Ok(_) => Some(name.to_owned()),
            Err(error) if error.needs_key() => Some(name.to_owned()),
            Err(_) => pfh::Algorithm::nearest(name),
        };
        let names = pfh::Algorithm::names(text).into_iter().filter(|name| !name.is_empty());
        let Some(names) = names.map(meant).collect::<Option<Vec<_>>>() else { continue };
        let names = names.join(",");
        if names != text && pfh::Algorithm::names(text).iter().any(|name| !is_algorithm(name)) {
            wrong.get_or_insert_with(|| text.to_owned());
            *value = names.into();
        }
    }
    let Some(wrong) = wrong else { return Ok(()) };
    let rest = pieces.iter().flat_map(Piece::words).collect::<Vec<_>>();
    Err(Advice::misspelt(&wrong, &path, &rest))
}

fn is_algorithm(name: &str) -> bool {
    name.is_empty() || name.parse::<pfh::Algorithm>().map_or_else(|error| error.needs_key(), |_| true)
}
