//! Where the bytes of a member lie, as a table and as JSON.

use pfh::Extent;
use pfh::cat::Found;
use pfh::manifest::row::{self, Path};
use serde::Serialize;

/// A run of a member.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line<'a> {
    /// A range of the member that lies in one piece, or a hole.
    Run {
        #[serde(flatten)]
        name: Path<'a>,
        /// Where in the member, in bytes.
        file_offset: u64,
        /// Where in the volume or archive, in bytes; null for a hole, which reads as zeros.
        offset: Option<u64>,
        /// Where on the medium, in bytes, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        medium_offset: Option<u64>,
        /// How many bytes.
        length: u64,
    },
}

/// Where a run lies on the medium, if its volume does.
fn on_medium(found: &Found, run: &Extent) -> Option<u64> {
    found.inside.volume_offset?.checked_add(run.offset?)
}

/// Each run as a line of JSON.
pub fn json(found: &Found, runs: &[Extent]) -> String {
    let line = |run: &Extent| {
        row::line(&Line::Run {
            name: Path(&found.name),
            file_offset: run.file_offset,
            offset: run.offset,
            medium_offset: on_medium(found, run),
            length: run.length,
        })
    };
    runs.iter().map(line).collect()
}

/// A table of the runs.
pub fn text(found: &Found, runs: &[Extent]) -> String {
    let place = |place: Option<u64>, none: &str| place.map_or_else(|| none.to_owned(), |place| place.to_string());
    let mut text = format!("{:>16} {:>16} {:>16} {:>16}\n", "FILE", "VOLUME", "MEDIUM", "BYTES");
    for run in runs {
        let none = if run.offset.is_some() { "-" } else { "hole" };
        let (volume, medium) = (place(run.offset, none), place(on_medium(found, run), none));
        text += &format!("{:>16} {volume:>16} {medium:>16} {:>16}\n", run.file_offset, run.length);
    }
    text
}

/// Why the bytes lie nowhere as they are.
pub fn why_no_runs(found: &Found) -> &'static str {
    match (found.inside.resident, found.inside.compressed) {
        (true, _) => "no runs: its bytes are in its metadata",
        (_, true) => "no runs: it is compressed",
        _ => "no runs: its bytes are not stored as they are",
    }
}
