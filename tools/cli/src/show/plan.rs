//! The result of planning, as text.

use super::counted;
use pfh::plan::make::Summary;

/// A line for people.
pub fn text(summary: &Summary) -> String {
    let Summary { units, files, bytes, skipped, failed, .. } = summary;
    let (units, files, bytes) = (counted(*units, "unit"), counted(*files, "file"), counted(*bytes, "byte"));
    format!("{units}: {files}, {bytes}; {skipped} skipped, {failed} cannot be listed\n")
}
