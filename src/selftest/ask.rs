//! A question to a file system.

use super::room::{Room, cause};
use super::row::{Group, Row, Standing};
use pfh_engine::Control;
use std::io;
use std::path::Path;

/// The answer of a file system.
pub(super) enum Answer {
    /// Yes, with the facts.
    Holds(String),
    /// No, with the facts.
    Not(String),
    /// The system has no such thing.
    Absent(String),
}

/// A question: its name, how it is asked in an empty directory, and the meaning of a no.
pub(super) struct Question {
    pub name: &'static str,
    pub try_it: fn(&Path, &Control<'_>) -> io::Result<Answer>,
    /// The consequence of a no and its remedy; without them a no is only worth a note.
    pub but: Option<(&'static str, &'static str)>,
}

impl Question {
    /// Asks it in a directory of its own.
    pub fn ask(&self, room: &Room, number: usize, control: &Control<'_>) -> Row {
        let asked = room.part(&number.to_string()).and_then(|path| (self.try_it)(&path, control));
        let row = |standing, detail| Row::new(Group::Files, self.name, standing, detail);
        match (asked, self.but) {
            (Ok(Answer::Holds(facts)), _) => row(Standing::Holds, facts),
            (Ok(Answer::Not(facts)), Some((consequence, remedy))) => {
                row(Standing::LessSafe, facts).but(consequence, remedy)
            }
            (Ok(Answer::Not(facts) | Answer::Absent(facts)), _) => row(Standing::Note, facts),
            (Err(error), Some((consequence, remedy))) => {
                row(Standing::Untried, format!("it could not be tried: {}", cause(&error))).but(consequence, remedy)
            }
            (Err(error), None) => row(Standing::Note, format!("not here: {}", cause(&error))),
        }
    }
}
