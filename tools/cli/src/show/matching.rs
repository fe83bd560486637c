//! Verdicts of sets on files: sentences, and the colours of verdicts.

use crate::colour::{Tone, toned};
use pfh::matching::{Event, Gap};
use pfh::terminal::{render, shown};

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

/// The sentence of an event of the sets, if it has one.
pub fn sentence(event: &Event<'_>) -> Option<String> {
    Some(match event {
        Event::Gap(gap) => self::gap(gap),
        Event::LeftOut { set, records, algorithms } => {
            let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
            format!(
                "{}: at most {records} of {} have a digest of {}: nothing is compared with the rest",
                render(set.name.as_bytes()),
                super::counted(set.records, "record"),
                names.join(", ")
            )
        }
        Event::NoClass(list) => format!(
            "{}: a list of no class: files in it are `known`, neither good nor bad; --class bad makes them known-bad, exit code 1",
            shown(list)
        ),
        _ => return None,
    })
}
