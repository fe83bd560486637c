//! Colour of verdicts, where people see it: green, red, yellow.
//!
//! `NO_COLOR` that is not empty turns it off (no-color.org); `CLICOLOR_FORCE` that is neither empty
//! nor 0 turns it on wherever standard output goes; `CLICOLOR=0` and `TERM=dumb` turn it off
//! (bixense.com/clicolors). Otherwise a terminal has it, and a pipe or a file never.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

/// The tone of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Nobody knows, or it is worth a look.
    Unsure,
}

/// Whether there is colour, by these variables.
fn wanted(variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    is_terminal && set("CLICOLOR").is_none_or(|value| value != "0") && set("TERM").is_none_or(|value| value != "dumb")
}

/// Whether standard output shows colour.
pub fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| wanted(|name| std::env::var_os(name), std::io::stdout().is_terminal()))
}

/// A word of a verdict as standard output shows it.
pub fn toned(word: &str, tone: Tone) -> String {
    if !is_wanted() {
        return word.to_owned();
    }
    let code = match tone {
        Tone::Good => 32,
        Tone::Bad => 31,
        Tone::Unsure => 33,
    };
    format!("\x1b[{code}m{word}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_that_others_know() {
        for (set, terminal, pipe) in [
            (&[][..], true, false),
            (&[("NO_COLOR", "1")], false, false),
            (&[("NO_COLOR", "")], true, false),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("CLICOLOR_FORCE", "0")], true, false),
            (&[("CLICOLOR", "0")], false, false),
            (&[("CLICOLOR", "1")], true, false),
            (&[("TERM", "dumb")], false, false),
            (&[("TERM", "xterm")], true, false),
        ] {
            let variable =
                |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(*value));
            assert_eq!((wanted(variable, true), wanted(variable, false)), (terminal, pipe), "{set:?}");
        }
    }
}
