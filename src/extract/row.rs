//! The findings as rows: what `--json` prints, and dictionaries in Python.

use super::problem::Problem;
use super::run::{Event, Summary};
use pfh_digest::Digest;
use pfh_manifest::jsonl::SkippedInput;
use pfh_manifest::row::{Digests, NameField, Path, TextField, Word};
use pfh_source::os::names::OsStrExt;
use pfh_source::{FindingId, Level};
use serde::Serialize;
use std::slice::from_ref;
use std::sync::LazyLock;

pfh_manifest::constants! { Member = "member" }

/// The only algorithm, as a list of names.
static NAMES: LazyLock<[String; 1]> = LazyLock::new(|| ["sha256".to_owned()]);

/// A finding. Files have the members of a manifest in JSON lines, so that `pfh check` reads the
/// rows as a list.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Row<'a> {
    /// A member that is in a file.
    File {
        /// The file.
        #[serde(flatten)]
        path: Path<'a>,
        /// Its printed name in the container.
        #[serde(flatten)]
        member: NameField<'a, Member>,
        /// Its bytes.
        size: u64,
        /// Its digest, of the bytes that were written and read back.
        digests: Digests<'a>,
    },
    /// A link, a device or another member that is not a file.
    Skipped(SkippedInput<'a>),
    /// A member that is in no file.
    Error {
        /// Its printed name in the container.
        #[serde(flatten)]
        path: Path<'a>,
        /// Why, as a word.
        code: &'a str,
        /// Why.
        cause: TextField<&'a Problem>,
        /// The finding that it is.
        id: TextField<FindingId>,
        /// How much it counts.
        level: Word<Level>,
    },
    /// The counts: the last row, which a run that was interrupted lacks.
    Summary {
        /// Files that were written and read back.
        files: u64,
        /// Their bytes.
        bytes: u64,
        /// Members that are in no file.
        errors: u64,
        /// Links, devices and other members that are not files.
        skipped: u64,
    },
}

impl<'a> Row<'a> {
    /// The row of a finding.
    pub fn of(event: &Event<'a>) -> Row<'a> {
        match *event {
            Event::Written { name, path, bytes, digest } => Row::File {
                path: Path(path.as_os_str().as_bytes()),
                member: NameField(name, Member),
                size: bytes,
                digests: Digests(&NAMES[..], from_ref::<Digest>(digest)),
            },
            Event::Skipped { name, skip, level } => {
                Row::Skipped(SkippedInput::of(name, skip).as_finding(FindingId::ExtractUnmade, level))
            }
            Event::Failed { name, problem, level } => Row::Error {
                path: Path(name),
                code: problem.code(),
                cause: TextField(problem),
                id: TextField(problem.finding()),
                level: Word(level),
            },
        }
    }

    /// The row at the end of a run.
    pub fn end(summary: &Summary) -> Row<'static> {
        let Summary { files, bytes, failed: errors, skipped, .. } = *summary;
        Row::Summary { files, bytes, errors, skipped }
    }
}
