//! The names inside of containers as text and as a body file.

use crate::remedy;
use pfh::inside::{Extent, Holds};
use pfh::list::{Event, Row};
use pfh::report::account::{Medium, Range, page, section};
use pfh::report::export::body;
use pfh::terminal::render;

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
