//! Verdicts of sets on files: sentences, and the colours of verdicts.

use crate::colour::{Tone, toned};
use pfh::matching::{Event, Gap};
use pfh::terminal::shown;

/// A verdict's word with its colour.
pub fn painted(verdict: &str) -> String {
    let tone = match verdict {
        "known-bad" => Tone::Bad,
        "known-good" | "known" => Tone::Good,
        "maybe" | "error" => Tone::Unsure,
        // Unknown and skipped files are neither.
        _ => return verdict.to_owned(),
    };
    toned(verdict, tone)
}

/// The part of a set that cannot be compared with, and the option that helps.
pub fn gap(gap: &Gap<'_>) -> String {
    match gap {
        Gap::Nothing { set, .. } if set.has_blocks() => format!("{gap}: --sectors looks for those in images"),
        Gap::Nothing { path, similar, .. } if !similar.is_empty() => {
            format!("{gap}: pfh match --similar {} PATH", shown(path))
        }
        gap => gap.to_string(),
    }
}

/// The sentence of an event of the sets, if it has one, with the option that helps.
pub fn sentence(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Gap(gap) => Some(self::gap(gap)),
        Event::NoClass(_) => event.sentence().map(|said| said + "; --class bad makes them known-bad, exit code 1"),
        event => event.sentence(),
    }
}
