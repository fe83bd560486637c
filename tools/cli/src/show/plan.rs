//! The result of planning, as text and as JSON.

use super::counted;
use pfh::manifest::row;
use pfh::plan::make::Summary;
use serde::Serialize;

/// A line for people.
pub fn text(summary: &Summary) -> String {
    let Summary { units, files, bytes, skipped, failed, .. } = summary;
    let (units, files, bytes) = (counted(*units, "unit"), counted(*files, "file"), counted(*bytes, "byte"));
    format!("{units}: {files}, {bytes}; {skipped} skipped, {failed} cannot be listed\n")
}

// Members in the order of the alphabet.
/// The result of planning.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    bytes: u64,
    failed: u64,
    files: u64,
    skipped: u64,
    units: u64,
}

/// One JSON object and a line feed.
pub fn json(summary: &Summary) -> String {
    let Summary { units, files, bytes, skipped, failed, .. } = *summary;
    row::line(&Row { bytes, failed, files, skipped, units })
}
