//! The names inside of containers as text, JSON and a body file.

use crate::remedy;
use pfh::Cause;
use pfh::inside::{Extent, Holds};
use pfh::list::{Event, Row};
use pfh::manifest::Times;
use pfh::manifest::jsonl::{Stamps, Within};
use pfh::manifest::row::{self, Path, Shown};
use pfh::report::account::{Medium, Range, page, section};
use pfh::report::export::body;
use pfh::terminal::render;
use serde::Serialize;

/// A line for people: its type, its size, when its content was changed last, its name.
pub fn text(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Name { name, size, inside } => {
            let size = size.map_or_else(|| "?".into(), |size| size.to_string());
            let time = inside.modified.map_or_else(|| "-".into(), |time| time.to_string());
            let kind = match (inside.deleted, inside.unallocated) {
                (_, true) => 'u',
                (true, _) => 'd',
                _ => '-',
            };
            Some(format!("{kind} {size:>14}  {time:<30}  {}\n", render(name)))
        }
        Event::Snapshot { name, kept, size } => {
            let time = kept.created.map_or_else(|| "-".into(), |time| time.to_string());
            Some(format!("@ {size:>14}  {time:<30}  {}  snapshot {}\n", render(name), kept.id))
        }
        Event::Skipped { name, skip } => Some(format!("{:<48} {} ({})\n", "s", render(name), remedy::skip(skip))),
        _ => None,
    }
}

// With the members that `pfh hash -f jsonl` has.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line<'a> {
    /// An entry.
    File {
        #[serde(flatten)]
        name: Path<'a>,
        /// Bytes of its content, where they are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
        #[serde(flatten)]
        times: Stamps,
        /// The metadata that its container states.
        inside: Within<'a>,
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
        #[serde(flatten)]
        name: Path<'a>,
        /// Why, as a word.
        code: &'a str,
        /// Why.
        cause: &'a str,
    },
    /// With `--account`: a range of a medium and its use.
    Extent {
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
    },
    /// With `--account`: a range that a second member claims.
    Overlap {
        #[serde(flatten)]
        name: Path<'a>,
        /// Where it begins, in bytes.
        start: u64,
        /// How many bytes.
        length: u64,
        /// The second member.
        of: String,
    },
    /// With `--account`: the sums of a medium, in bytes, behind its extents.
    Account {
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
    },
    /// A container that could not be read whole.
    Error {
        #[serde(flatten)]
        name: Path<'a>,
        /// The stage that failed.
        stage: &'a str,
        /// Why, as a word.
        code: &'a str,
        /// Why.
        cause: Shown<&'a Cause>,
    },
}

/// A line for people of an account: where, how many bytes, the use, and whose they are; behind the
/// extents of a medium its sums.
pub fn text_of(row: &Row<'_>) -> String {
    let line = |extent: &Extent, holds: &str| {
        let (start, length) = (extent.start, extent.length);
        format!("{start:>14} {length:>14}  {holds:<9}  {}\n", render(&extent.name))
    };
    match row {
        Row::Extent { extent, .. } => line(extent, extent.holds.name()),
        Row::Overlap { extent, .. } => line(extent, "shared"),
        Row::Sums { name, account } => {
            let sums = Holds::ALL.iter().map(|holds| (holds.name(), account.sum(*holds))).filter(|(_, sum)| *sum > 0);
            let sums: Vec<String> = sums.map(|(name, sum)| format!("{sum} {name}")).collect();
            let opaque = if account.opaque.is_empty() { "" } else { "; structures not itemised" };
            format!("{}: {} bytes: {}{opaque}\n", render(name), account.size, sums.join(", "))
        }
        _ => String::new(),
    }
}

/// The account as a page, while it comes in.
#[derive(Default)]
pub struct Page(String);

impl Page {
    /// Takes a row up.
    pub fn take(&mut self, row: &Row<'_>) {
        if let Row::Sums { name, account } = row {
            let ranges = account.extents.iter().map(|extent| Range {
                start: extent.start,
                length: extent.length,
                holds: extent.holds.name(),
                of: &extent.name,
            });
            self.0 += &section(&Medium {
                name,
                size: account.size,
                ranges: ranges.collect(),
                is_itemised: account.opaque.is_empty(),
                faults: account.faults.iter().map(ToString::to_string).collect(),
            });
        }
    }

    /// All of it.
    pub fn end(self) -> String {
        page(&self.0)
    }
}

/// The same as a line of JSON.
pub fn json_of(row: &Row<'_>) -> String {
    row::line(&match row {
        Row::Extent { name, extent } => Line::Extent {
            name: Path(name),
            start: extent.start,
            length: extent.length,
            holds: extent.holds.name(),
            of: render(&extent.name).to_string(),
        },
        Row::Overlap { name, extent } => Line::Overlap {
            name: Path(name),
            start: extent.start,
            length: extent.length,
            of: render(&extent.name).to_string(),
        },
        Row::Sums { name, account } => Line::Account {
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
        },
        Row::Failed { name, problem } => Line::Error {
            name: Path(name),
            stage: problem.stage.name(),
            code: problem.code(),
            cause: Shown(&problem.cause),
        },
        _ => return String::new(),
    })
}

/// An event as a line of JSON.
pub fn json(event: &Event<'_>) -> String {
    row::line(&match event {
        Event::Name { name, size, inside } => Line::File {
            name: Path(name),
            size: *size,
            times: Stamps::of(&Times { modified: inside.modified, changed: inside.changed, accessed: inside.accessed }),
            inside: Within::of(inside),
        },
        Event::Snapshot { name, kept, size } => Line::Snapshot {
            name: Path(name),
            number: kept.number,
            id: &kept.id,
            set: &kept.set,
            created: kept.created.map(|time| time.to_string()),
            size: *size,
        },
        Event::Skipped { name, skip } => Line::Skipped { name: Path(name), code: skip.reason(), cause: skip.reason() },
        Event::Failed { name, problem } => Line::Error {
            name: Path(name),
            stage: problem.stage.name(),
            code: problem.code(),
            cause: Shown(&problem.cause),
        },
        _ => return String::new(),
    })
}

/// A line of a body file, as mactime reads it.
pub fn body(event: &Event<'_>) -> Option<Vec<u8>> {
    let Event::Name { name, size, inside } = event else { return None };
    let mut out = Vec::new();
    let line = body::Line {
        md5: None,
        name,
        is_deleted: inside.deleted,
        inode: inside.id,
        size: *size,
        times: [inside.accessed, inside.modified, inside.changed, inside.born],
    };
    body::line(&mut out, &line);
    Some(out)
}
