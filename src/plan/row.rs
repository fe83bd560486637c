//! The result of planning as a row: what `--json` prints.

use super::make::Summary;
use serde::Serialize;

// Members in the order of the alphabet.
/// The result of planning.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MadeRow {
    bytes: u64,
    failed: u64,
    files: u64,
    skipped: u64,
    units: u64,
}

impl MadeRow {
    /// The row.
    pub fn of(summary: &Summary) -> MadeRow {
        let Summary { units, files, bytes, skipped, failed, .. } = *summary;
        MadeRow { bytes, failed, files, skipped, units }
    }
}
