//! The lines of a manifest as rows: what serde makes JSON of, and a schema.

use crate::count::Names;
use crate::encode::Kind;
use crate::row::{Digests, NameField, Path, TextField, Timestamp, Word};
use crate::times::Times;
use pfh_engine::{HashedFile, Piece, Summary};
use pfh_source::{Cause, FindingId, Inside, Level, Problem, Skip};
use serde::Serialize;

/// A line of a manifest.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "one line is there at a time, and nearly all are files")]
pub enum Line<'a> {
    /// The directory in which relative names start.
    Base(Base<'a>),
    /// A file with its digests.
    File(File<'a>),
    /// An input that has no digest by its kind.
    Skipped(SkippedInput<'a>),
    /// An input that could not be read.
    Error(FailedInput<'a>),
    /// The counts of the manifest: its last line.
    Summary(Totals),
}

/// A directory.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Base<'a> {
    #[serde(flatten)]
    pub(super) path: Path<'a>,
}

/// A file with its digests.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct File<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    /// Bytes that were read.
    size: u64,
    #[serde(flatten)]
    times: Stamps,
    /// Its kind, unless it is a regular file.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// Digests by algorithm, as `pfh algorithms` names them; similarity digests as their text.
    digests: Digests<'a>,
    /// Windows with digests of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<Window<'a>>,
    /// Remarks on how it was read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'static str>,
    /// The container's statements about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<ContainerFacts<'a>>,
}

impl<'a> File<'a> {
    /// The row of a file; `names` are those of its digests, in their order.
    pub fn of(name: &'a [u8], hashed: &'a HashedFile, names: &'a [String]) -> File<'a> {
        let HashedFile { closed, digests, pieces, .. } = hashed;
        let kind = Kind::of(closed);
        File {
            path: Path(name),
            size: closed.size,
            times: Stamps::of(&Times::of(closed)),
            kind: (kind != Kind::File).then(|| kind.name()),
            digests: Digests(names, digests),
            pieces: pieces.iter().map(|piece| Window::of(piece, names)).collect(),
            notes: closed.notes.iter().map(|note| note.name()).collect(),
            inside: closed.inside.as_deref().map(ContainerFacts::of),
        }
    }
}

/// A window of a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Window<'a> {
    /// Its first byte.
    offset: u64,
    /// Its bytes.
    length: u64,
    /// Its digests by algorithm.
    digests: Digests<'a>,
}

impl<'a> Window<'a> {
    fn of(piece: &'a Piece, names: &'a [String]) -> Window<'a> {
        Window { offset: piece.offset, length: piece.length, digests: Digests(names, &piece.digests) }
    }
}

/// The times of a file, each where it is known.
#[derive(Clone, Copy, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stamps {
    /// When its content was changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<Timestamp>,
    /// When its metadata were changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    ctime: Option<Timestamp>,
    /// When it was read last.
    #[serde(skip_serializing_if = "Option::is_none")]
    atime: Option<Timestamp>,
}

impl Stamps {
    /// These times.
    pub fn of(times: &Times) -> Stamps {
        let Times { modified, changed, accessed } = *times;
        Stamps { mtime: modified.map(Timestamp), ctime: changed.map(Timestamp), atime: accessed.map(Timestamp) }
    }
}

/// An input that has no digest by its kind.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedInput<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    /// Why, as a word.
    code: &'a str,
    /// Why.
    cause: &'a str,
    /// The finding that it is.
    id: TextField<FindingId>,
    /// How much it counts; not in a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Word<Level>>,
}

impl<'a> SkippedInput<'a> {
    /// The row of an input.
    pub fn of(name: &'a [u8], skip: Skip) -> SkippedInput<'a> {
        let why = skip.reason();
        SkippedInput { path: Path(name), code: why, cause: why, id: TextField(skip.finding()), level: None }
    }

    /// The same as this finding of a job, with its level.
    #[must_use]
    pub fn as_finding(self, finding: FindingId, level: Level) -> SkippedInput<'a> {
        SkippedInput { id: TextField(finding), level: Some(Word(level)), ..self }
    }
}

/// An input that could not be read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedInput<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    /// The step that failed.
    stage: &'a str,
    /// Where it failed, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// How many bytes it failed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    /// Why, as a word.
    code: &'a str,
    /// Why.
    cause: TextField<&'a Cause>,
    /// The finding that it is.
    id: TextField<FindingId>,
    /// How much it counts.
    level: Word<Level>,
}

impl<'a> FailedInput<'a> {
    /// The row of an input.
    pub fn of(name: &'a [u8], problem: &'a Problem) -> FailedInput<'a> {
        let Problem { stage, offset, length, cause, .. } = problem;
        FailedInput {
            path: Path(name),
            stage: stage.name(),
            offset: *offset,
            length: *length,
            code: problem.code(),
            cause: TextField(cause),
            id: TextField(problem.finding()),
            level: Word(problem.level),
        }
    }
}

/// The counts of a manifest.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Totals {
    /// Files with digests.
    files: u64,
    /// Bytes that were read of them.
    bytes: u64,
    /// Inputs that could not be read.
    errors: u64,
    /// Inputs that have no digest by their kind.
    skipped: u64,
    /// The sum over all names, in any order: 16 hexadecimal digits.
    names: String,
}

impl Totals {
    /// Those of a run that wrote records of these names.
    pub(super) fn of(summary: &Summary, names: Names) -> Totals {
        let Summary { hashed: files, bytes, failed: errors, skipped, .. } = *summary;
        Totals { files, bytes, errors, skipped, names: names.to_string() }
    }
}

/// The statements of a container about an entry in it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContainerFacts<'a> {
    /// The kind of the container.
    kind: &'a str,
    #[serde(flatten)]
    container: NameField<'a, Container>,
    /// The number of the partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    partition: Option<u32>,
    /// Where the file system starts in the image, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_offset: Option<u64>,
    /// Its number in the file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    inode: Option<u64>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    crtime: Option<Timestamp>,
    /// When it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    dtime: Option<Timestamp>,
    /// Whether it is deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    /// Whether it is space that nothing uses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unallocated: bool,
    /// Whether other files use its space by now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overwritten: bool,
    /// Whether its content lies in the metadata.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resident: bool,
    /// Whether the file system compresses it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    compressed: bool,
}

crate::constants! { Container = "container" }

impl<'a> ContainerFacts<'a> {
    /// The object for an entry.
    pub fn of(inside: &'a Inside) -> ContainerFacts<'a> {
        ContainerFacts {
            kind: inside.kind,
            container: NameField(&inside.container, Container),
            partition: inside.partition,
            volume_offset: inside.volume_offset,
            inode: inside.id,
            crtime: inside.born.map(Timestamp),
            dtime: inside.deleted_at.map(Timestamp),
            deleted: inside.deleted,
            unallocated: inside.unallocated,
            overwritten: inside.overwritten,
            resident: inside.resident,
            compressed: inside.compressed,
        }
    }
}
