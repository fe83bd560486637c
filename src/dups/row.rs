//! The groups as rows: what `--json` prints, and dictionaries in Python.

use super::group::{Folders, Group, SharedPair};
use super::summary::Summary;
use pfh_manifest::jsonl::{FailedInput, SkippedInput};
use pfh_manifest::row::{Is, Path};
use pfh_source::{Level, Problem, Skip};
use serde::Serialize;

mod word {
    pfh_manifest::constants! { Error = "error", Folders = "folders", Group = "group", Shared = "shared" }
    pfh_manifest::constants! { Skipped = "skipped", Summary = "summary" }
}

/// A file or folder.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NamedPath<'a> {
    #[serde(flatten)]
    path: Path<'a>,
}

fn named(names: &[Vec<u8>]) -> Vec<NamedPath<'_>> {
    names.iter().map(|name| NamedPath { path: Path(name) }).collect()
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CopyRow<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<NamedPath<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    shared: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stays: bool,
}

/// Files of one content.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupRow<'a> {
    r#type: Is<word::Group>,
    size: u64,
    reclaimable: u64,
    algorithm: String,
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]+$")))]
    digest: String,
    copies: Vec<CopyRow<'a>>,
}

impl<'a> GroupRow<'a> {
    /// A group as one JSON object.
    pub fn of(group: &'a Group) -> GroupRow<'a> {
        let copies = group.copies.iter();
        GroupRow {
            r#type: Is(word::Group),
            size: group.size,
            reclaimable: group.reclaimable(),
            algorithm: group.digest.algorithm().to_string(),
            digest: group.digest.to_string(),
            copies: copies
                .map(|copy| CopyRow {
                    path: Path(&copy.names[0]),
                    links: named(&copy.names[1..]),
                    shared: copy.shared,
                    stays: copy.stays,
                })
                .collect(),
        }
    }
}

/// Folders of one content.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoldersRow<'a> {
    r#type: Is<word::Folders>,
    files: u64,
    bytes: u64,
    folders: Vec<NamedPath<'a>>,
}

impl<'a> FoldersRow<'a> {
    /// Equal folders as one JSON object.
    pub fn of(folders: &'a Folders) -> FoldersRow<'a> {
        let Folders { files, bytes, names, .. } = folders;
        FoldersRow { r#type: Is(word::Folders), files: *files, bytes: *bytes, folders: named(names) }
    }
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Holder<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    size: u64,
}

/// Two files that have chunks in common.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedRow<'a> {
    r#type: Is<word::Shared>,
    bytes: u64,
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    chunks: u64,
    files: Vec<Holder<'a>>,
}

impl<'a> SharedRow<'a> {
    /// Two files that share chunks, as one JSON object.
    pub fn of(shared: &'a SharedPair<'a>) -> SharedRow<'a> {
        let files = shared.names.iter().zip(shared.sizes);
        SharedRow {
            r#type: Is(word::Shared),
            bytes: shared.bytes,
            chunks: shared.chunks,
            files: files.map(|(name, size)| Holder { path: Path(name), size }).collect(),
        }
    }
}

/// A name that could not be read, or changed meanwhile: it is in no group.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnreadRow<'a> {
    r#type: Is<word::Error>,
    #[serde(flatten)]
    failed: FailedInput<'a>,
}

impl<'a> UnreadRow<'a> {
    /// Why a name is in no group, as one JSON object.
    pub fn of(name: &'a [u8], problem: &'a Problem) -> UnreadRow<'a> {
        UnreadRow { r#type: Is(word::Error), failed: FailedInput::of(name, problem) }
    }
}

/// A link or another thing that is not a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedRow<'a> {
    r#type: Is<word::Skipped>,
    #[serde(flatten)]
    skipped: SkippedInput<'a>,
}

impl<'a> SkippedRow<'a> {
    /// A name of a link or the like, as one JSON object.
    pub fn of(name: &'a [u8], skip: Skip, level: Level) -> SkippedRow<'a> {
        SkippedRow {
            r#type: Is(word::Skipped),
            skipped: SkippedInput::of(name, skip).as_finding(skip.finding(), level),
        }
    }
}

// In the order of the names of its members.
/// The result of the whole search.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DupsSum {
    algorithm: String,
    #[serde(skip_serializing_if = "is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    apart: u64,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<Chunks>,
    errors: u64,
    files: u64,
    folders: u64,
    groups: u64,
    read: u64,
    reclaimable: u64,
    redundant: u64,
    skipped: u64,
    small: u64,
    r#type: Is<word::Summary>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Chunks {
    bytes: u64,
    chunking: String,
    chunks: u64,
    common: u64,
    common_bytes: u64,
    pairs: u64,
    saving: u64,
    unique: u64,
    unique_bytes: u64,
}

impl DupsSum {
    /// The result of the whole search, as one JSON object.
    pub fn of(summary: &Summary) -> DupsSum {
        let chunks = summary.store.map(|store| Chunks {
            bytes: store.bytes,
            chunking: store.chunking.to_string(),
            chunks: store.chunks,
            common: store.common,
            common_bytes: store.common_bytes,
            pairs: store.pairs,
            saving: store.saving(),
            unique: store.unique,
            unique_bytes: store.unique_bytes,
        });
        DupsSum {
            algorithm: summary.algorithm.to_string(),
            apart: summary.apart,
            bytes: summary.bytes,
            chunks,
            errors: summary.failed,
            files: summary.files,
            folders: summary.folders,
            groups: summary.groups,
            read: summary.read,
            reclaimable: summary.reclaimable,
            redundant: summary.redundant,
            skipped: summary.skipped,
            small: summary.small,
            r#type: Is(word::Summary),
        }
    }
}
