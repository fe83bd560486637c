//! The runs of a member as rows: what `--json` prints, and dictionaries in Python.

use super::find::FoundMember;
use pfh_manifest::row::Path;
use pfh_source::Extent;
use serde::Serialize;

/// A run of a member.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum RunRow<'a> {
    /// A range of the member that lies in one piece, or a hole.
    Run {
        /// The name of the member.
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

impl<'a> RunRow<'a> {
    /// The row of a run of a member.
    pub fn of(found: &'a FoundMember, run: &Extent) -> RunRow<'a> {
        RunRow::Run {
            name: Path(&found.name),
            file_offset: run.file_offset,
            offset: run.offset,
            medium_offset: found.on_medium(run),
            length: run.length,
        }
    }
}
