//! Which copy of each group stays, asked for on a terminal.

use crate::exit::{self, Failure};
use crate::show::dups as rows;
use pfh::dups::Group;
use std::io::{self, BufRead, IsTerminal};

/// Whether somebody can be asked.
pub fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// An answer of the user.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// The copy of this number stays.
    Keep(usize),
    /// All copies of the group stay.
    Skip,
    /// The rule decides here and from here on.
    Rest,
    /// No script is written.
    Quit,
}

/// Reads an answer about a group of this many copies; `None` for one that makes no sense.
fn answer(line: &str, copies: usize) -> Option<Answer> {
    match line.trim() {
        "" => Some(Answer::Keep(0)),
        "s" => Some(Answer::Skip),
        "r" => Some(Answer::Rest),
        "q" => Some(Answer::Quit),
        number => number.parse().ok().filter(|number| (1..=copies).contains(number)).map(|at| Answer::Keep(at - 1)),
    }
}

/// Asks about each group. `None` if the answer is to write nothing.
///
/// # Errors
/// When the terminal cannot be read.
pub fn ask(groups: &[Group]) -> Result<Option<Vec<Group>>, Failure> {
    chosen(groups, &mut io::stdin().lock())
}

fn chosen(groups: &[Group], terminal: &mut impl BufRead) -> Result<Option<Vec<Group>>, Failure> {
    let mut chosen = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        exit::lines(&format!("\n{} of {}: {}", at + 1, groups.len(), rows::choices(group)));
        let answer = loop {
            exit::lines(
                "which one stays? number, Enter: 1, s: all of them, r: number 1 here and in the rest, q: no script",
            );
            let mut line = String::new();
            let read =
                terminal.read_line(&mut line).map_err(|error| Failure::aborted(format!("the terminal: {error}")))?;
            // The end of the input does not answer.
            match if read == 0 { Some(Answer::Quit) } else { answer(&line, group.copies.len()) } {
                Some(answer) => break answer,
                None => exit::lines(&format!("write a number from 1 to {}, s, r or q", group.copies.len())),
            }
        };
        match answer {
            Answer::Keep(copy) => chosen.push(group.keeping(copy)),
            Answer::Skip => {}
            Answer::Rest => {
                chosen.extend_from_slice(&groups[at..]);
                break;
            }
            Answer::Quit => return Ok(None),
        }
    }
    Ok(Some(chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        assert_eq!((answer("\n", 2), answer("2\n", 2)), (Some(Answer::Keep(0)), Some(Answer::Keep(1))));
        assert_eq!(
            (answer("s", 2), answer("r ", 2), answer("q", 2)),
            (Some(Answer::Skip), Some(Answer::Rest), Some(Answer::Quit))
        );
        assert_eq!((answer("0", 2), answer("3", 2), answer("yes", 2)), (None, None, None));
        assert!(chosen(&[], &mut &b""[..]).unwrap().is_some_and(|chosen| chosen.is_empty()));
    }
}
