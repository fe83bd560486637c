//! Where the image of a log lies in the verified file or device: an image on a larger device, at an
//! offset, or in a file of its own.

use super::claim::{Claim, Of};
use super::log::Log;
use crate::acquire::logged::Part;
use crate::verdict::{Alone, Coverage, Side};
use pfh_source::terminal::shown;
use std::path::Path;

/// A range of the verified file or device, and who states that it is the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placing {
    /// Where it starts, in bytes.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Bytes of the verified file or device.
    pub size: u64,
    /// Whether the place is stated. Older logs do not state where an image starts.
    pub is_placed: bool,
    /// Who states that the bytes around it are outside; `None` if nothing does.
    pub stated: Option<String>,
}

impl Placing {
    /// All of it.
    pub fn whole(size: u64) -> Self {
        Placing { offset: 0, length: size, size, is_placed: true, stated: None }
    }

    /// Where the image lies that a log states; an error says why it cannot be there.
    pub fn of(part: &Part, log: &Log, path: &Path, size: u64, is_device: bool) -> Result<Self, String> {
        let name = shown(&log.path);
        let target = part.target(path);
        let seek = target.and_then(|target| target.seek);
        let offset = seek.unwrap_or(0);
        if offset.checked_add(part.bytes).is_none_or(|end| end > size) {
            let at = if offset > 0 { format!(" from offset {offset} on") } else { String::new() };
            return Err(format!("{}: {size} bytes, {name} states {} bytes{at}", shown(path), part.bytes));
        }
        // A file that the log does not name, and that is longer than its image, has bytes that
        // nothing explains.
        let has_files = log.sound.records.iter().any(|record| record["kind"] == "files");
        let is_stated = is_device || target.is_some() || !has_files;
        let is_placed = seek.is_some() || part.bytes == size;
        Ok(Placing { offset, length: part.bytes, size, is_placed, stated: is_stated.then_some(name) })
    }

    /// Where a program copied its input, as it states: `None` if it does not state the place. An
    /// error says why it cannot be there.
    pub fn copied(claim: &Claim, size: u64, is_device: bool) -> Option<Result<Self, String>> {
        let Of::Copied { offset: Some(offset), length: Some(length) } = claim.of else { return None };
        let by = &claim.by;
        let Some(end) = offset.checked_add(length).filter(|end| *end <= size) else {
            return Some(Err(format!("{size} bytes, {by} states {length} bytes from offset {offset} on")));
        };
        // The bytes before it were skipped by the program. Bytes behind it in a file are explained
        // by nothing.
        let stated = (is_device || end == size).then(|| by.clone());
        Some(Ok(Placing { offset, length, size, is_placed: true, stated }))
    }

    /// Whether it is the whole file or device.
    pub fn is_whole(&self) -> bool {
        (self.offset, self.length) == (0, self.size)
    }

    /// The coverage of a comparison of all of its bytes.
    pub fn coverage(&self) -> Coverage {
        let end = self.offset + self.length;
        let around = [(0, self.offset), (end, self.size - end)];
        let alone = around.into_iter().filter(|(_, length)| *length > 0).map(|(offset, length)| Alone {
            side: Side::This,
            offset,
            length,
            stated: self.stated.clone(),
        });
        Coverage {
            sizes: (self.size, Some(self.length)),
            compared: vec![(self.offset, self.length)],
            alone: alone.collect(),
            ..Coverage::default()
        }
    }

    /// The sentence on a part that is not the whole; `None` of the whole.
    pub fn sentence(&self) -> Option<String> {
        let Placing { offset, length, size, .. } = self;
        let by = self
            .stated
            .as_deref()
            .map_or("nothing states the rest".to_owned(), |by| format!("the rest is outside, as {by} states"));
        (!self.is_whole()).then(|| format!("the image is {length} bytes from offset {offset} on, of {size}: {by}"))
    }
}
