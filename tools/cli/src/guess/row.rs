//! A row of the table: a typed line, and its treatment.
//!
//! Words in braces stand for words typed there; the name says what fits: `{N}` a number, `{BYTES}`
//! one that is put in as bits, `{SIZE}` a size, `{SET}` neither of these (a list, of a name that
//! need not be there), `{LIST}` a file, `{FILE}` an existing path, `{DIR}` a directory, `{NEW}` a
//! path that is not there, `{DIGEST}` hexadecimal digits, `{ALGORITHM}` an algorithm, also spelt
//! `sha256sum` or `md5deep`, `{COMMAND}` a command of pfh's, `{STATED}` a digest whose length says
//! its algorithm, which is put in front, `{EWF}` a name that ends as an image's, `{IMAGE}` such a
//! file, `{PLACE}` a file or nothing yet, `{BELOW}` a path that lies below another operand,
//! `{GLOB}` anything but the name of a file; others fit everything. The option `-{AK}` is `-ak` of
//! hashdeep, with others of its letters. `{BASE}` is the last component of the last file or
//! directory, `…` the rest of the line.

/// The treatment of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It is carried out as the other.
    Runs,
    /// It is refused, with the lines to choose from.
    Asks,
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The commands it is typed with, separated by `|`; `` is before any command, `*` all that have
    /// the option in question.
    pub at: &'static str,
    /// The words behind the command.
    pub typed: &'static str,
    /// The meaning, of a row that runs: options in its place, or a whole line, which begins with a
    /// command.
    pub means: &'static str,
    /// The lines to choose from, of a row that asks, each with its effect.
    pub lines: &'static [(&'static str, &'static str)],
    /// The programs whose users type it.
    pub of: &'static str,
    /// The treatment.
    pub then: Treatment,
    /// Why it is not simply carried out.
    pub why: &'static str,
    /// The command has this option too, and means something else by it.
    pub over: bool,
    /// Only beside one of these options, or one of these algorithms.
    pub with: &'static [&'static str],
    /// Only without any of these options.
    pub without: &'static [&'static str],
}

const ROW: Row = Row {
    at: "",
    typed: "",
    means: "",
    lines: &[],
    of: "",
    then: Treatment::Runs,
    why: "",
    over: false,
    with: &[],
    without: &[],
};

/// A row that is carried out.
pub const fn runs(at: &'static str, typed: &'static str, means: &'static str, of: &'static str) -> Row {
    Row { at, typed, means, of, ..ROW }
}

/// A row that is refused with lines to choose from.
pub const fn asks(
    at: &'static str,
    typed: &'static str,
    why: &'static str,
    lines: &'static [(&'static str, &'static str)],
    of: &'static str,
) -> Row {
    Row { at, typed, lines, of, why, then: Treatment::Asks, ..ROW }
}

impl Row {
    /// Also where the command has this option.
    pub const fn over(self) -> Row {
        Row { over: true, ..self }
    }

    /// Only beside one of these.
    pub const fn with(self, with: &'static [&'static str]) -> Row {
        Row { with, ..self }
    }

    /// Only without these.
    pub const fn without(self, without: &'static [&'static str]) -> Row {
        Row { without, ..self }
    }
}
