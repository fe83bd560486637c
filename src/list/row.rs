//! The names as rows: what `--json` prints, and dictionaries in Python.

use super::Event;
use super::account::Row;
use pfh_inside::Holds;
use pfh_manifest::Times;
use pfh_manifest::jsonl::{ContainerFacts, Stamps};
use pfh_manifest::row::{Path, TextField, Word};
use pfh_source::terminal::render;
use pfh_source::{Cause, FindingId, Level, Levels};
use serde::Serialize;

/// A row of the list. Files have the members that `pfh hash -f jsonl` has.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum NameRow<'a> {
    /// An entry.
    File {
        /// Its printed name, or that of the medium.
        #[serde(flatten)]
        name: Path<'a>,
        /// Bytes of its content, where they are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
        /// Its times, where they are known.
        #[serde(flatten)]
        times: Stamps,
        /// The metadata that its container states.
        inside: ContainerFacts<'a>,
    },
    /// A snapshot of a volume; its files follow.
    Snapshot {
        /// The prefix of the names of its files.
        #[serde(flatten)]
        name: Path<'a>,
        /// Its place in the order of age, from 1.
        number: u32,
        /// Its GUID.
        id: &'a str,
        /// The GUID of the set that it was made in.
        #[serde(skip_serializing_if = "str::is_empty")]
        set: &'a str,
        /// When it was made.
        #[serde(skip_serializing_if = "Option::is_none")]
        created: Option<String>,
        /// Bytes of the file system.
        size: u64,
    },
    /// An entry that is not listed.
    Skipped {
        /// Its printed name, or that of the medium.
        #[serde(flatten)]
        name: Path<'a>,
        /// Why, as a word.
        code: &'a str,
        /// Why.
        cause: &'a str,
        /// The finding that it is.
        id: TextField<FindingId>,
    },
    /// With `--account`: a range of a medium and its use.
    Extent {
        /// Its printed name, or that of the medium.
        #[serde(flatten)]
        name: Path<'a>,
        /// Where it begins, in bytes.
        start: u64,
        /// How many bytes.
        length: u64,
        /// `content`, `structure`, `free`, `slack`, `padding`, `reserved` or `residue`.
        holds: &'a str,
        /// The member or structure; of residue what it looks like.
        #[serde(skip_serializing_if = "String::is_empty")]
        of: String,
        /// The finding that residue is.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<TextField<FindingId>>,
        /// How much it counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<Word<Level>>,
    },
    /// With `--account`: a range that a second member claims.
    Overlap {
        /// Its printed name, or that of the medium.
        #[serde(flatten)]
        name: Path<'a>,
        /// Where it begins, in bytes.
        start: u64,
        /// How many bytes.
        length: u64,
        /// The second member.
        of: String,
        /// The finding that it is.
        id: TextField<FindingId>,
        /// How much it counts.
        level: Word<Level>,
    },
    /// With `--account`: the sums of a medium, in bytes, behind its extents.
    Account {
        /// Its printed name, or that of the medium.
        #[serde(flatten)]
        name: Path<'a>,
        /// Bytes of the medium: those of all uses.
        size: u64,
        /// Bytes of members.
        content: u64,
        /// Bytes of the format itself.
        structure: u64,
        /// In no use, as the format's tables say.
        free: u64,
        /// The rest of members' last blocks.
        slack: u64,
        /// Of one value, and nobody's.
        padding: u64,
        /// Set apart by the format for others.
        reserved: u64,
        /// Nobody's, and not all one byte.
        residue: u64,
        /// Whether all structures are known one by one. If not, residue among them is not known.
        itemised: bool,
        /// The finding that it is if they are not.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<TextField<FindingId>>,
        /// How much that counts.
        #[serde(skip_serializing_if = "Option::is_none")]
        level: Option<Word<Level>>,
    },
    /// A container that could not be read whole.
    Error {
        /// Its printed name, or that of the medium.
        #[serde(flatten)]
        name: Path<'a>,
        /// The stage that failed.
        stage: &'a str,
        /// Why, as a word.
        code: &'a str,
        /// Why.
        cause: TextField<&'a Cause>,
        /// The finding that it is.
        id: TextField<FindingId>,
        /// How much it counts.
        level: Word<Level>,
    },
}

impl<'a> NameRow<'a> {
    /// The row of an event.
    pub fn of(event: &Event<'a>) -> NameRow<'a> {
        match event {
            Event::Name { name, size, inside } => NameRow::File {
                name: Path(name),
                size: *size,
                times: Stamps::of(&Times {
                    modified: inside.modified,
                    changed: inside.changed,
                    accessed: inside.accessed,
                }),
                inside: ContainerFacts::of(inside),
            },
            Event::Snapshot { name, kept, size } => NameRow::Snapshot {
                name: Path(name),
                number: kept.number,
                id: &kept.id,
                set: &kept.set,
                created: kept.created.map(|time| time.to_string()),
                size: *size,
            },
            Event::Skipped { name, skip } => NameRow::Skipped {
                name: Path(name),
                code: skip.reason(),
                cause: skip.reason(),
                id: TextField(skip.finding()),
            },
            Event::Failed { name, problem } => NameRow::Error {
                name: Path(name),
                stage: problem.stage.name(),
                code: problem.code(),
                cause: TextField(&problem.cause),
                id: TextField(problem.finding()),
                level: Word(problem.level),
            },
        }
    }

    /// The row of a piece of the account.
    pub fn of_account(row: &Row<'a>, levels: &Levels) -> NameRow<'a> {
        let level = |finding| Word(levels.of(finding));
        match row {
            Row::Extent { name, extent } => {
                let finding = (extent.holds == Holds::Residue).then_some(FindingId::AccountResidue);
                NameRow::Extent {
                    name: Path(name),
                    start: extent.start,
                    length: extent.length,
                    holds: extent.holds.name(),
                    of: render(&extent.name).to_string(),
                    id: finding.map(TextField),
                    level: finding.map(level),
                }
            }
            Row::Overlap { name, extent } => NameRow::Overlap {
                name: Path(name),
                start: extent.start,
                length: extent.length,
                of: render(&extent.name).to_string(),
                id: TextField(FindingId::AccountOverlap),
                level: level(FindingId::AccountOverlap),
            },
            Row::Sums { name, account } => {
                let finding = (!account.opaque.is_empty()).then_some(FindingId::AccountOpaque);
                NameRow::Account {
                    name: Path(name),
                    size: account.size,
                    content: account.sum(Holds::Content),
                    structure: account.sum(Holds::Structure),
                    free: account.sum(Holds::Free),
                    slack: account.sum(Holds::Slack),
                    padding: account.sum(Holds::Padding),
                    reserved: account.sum(Holds::Reserved),
                    residue: account.sum(Holds::Residue),
                    itemised: account.opaque.is_empty(),
                    id: finding.map(TextField),
                    level: finding.map(level),
                }
            }
            Row::Failed { name, problem } => NameRow::Error {
                name: Path(name),
                stage: problem.stage.name(),
                code: problem.code(),
                cause: TextField(&problem.cause),
                id: TextField(problem.finding()),
                level: Word(problem.level),
            },
        }
    }
}
