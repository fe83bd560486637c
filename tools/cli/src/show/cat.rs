//! Where the bytes of a member lie, as a table and as JSON.

use pfh::Extent;
use pfh::cat::{FoundMember, RunRow};
use pfh::manifest::row;

/// Each run as a line of JSON.
pub fn json(found: &FoundMember, runs: &[Extent]) -> String {
    runs.iter().map(|run| row::line(&RunRow::of(found, run))).collect()
}

/// A table of the runs.
pub fn text(found: &FoundMember, runs: &[Extent]) -> String {
    let place = |place: Option<u64>, none: &str| place.map_or_else(|| none.to_owned(), |place| place.to_string());
    let mut text = format!("{:>16} {:>16} {:>16} {:>16}\n", "FILE", "VOLUME", "MEDIUM", "BYTES");
    for run in runs {
        let none = if run.offset.is_some() { "-" } else { "hole" };
        let (volume, medium) = (place(run.offset, none), place(found.on_medium(run), none));
        text += &format!("{:>16} {volume:>16} {medium:>16} {:>16}\n", run.file_offset, run.length);
    }
    text
}

/// Why the bytes lie nowhere as they are.
pub fn why_no_runs(found: &FoundMember) -> &'static str {
    match (found.inside.resident, found.inside.compressed) {
        (true, _) => "no runs: its bytes are in its metadata",
        (_, true) => "no runs: it is compressed",
        _ => "no runs: its bytes are not stored as they are",
    }
}
