//! The directory of a compound file: a tree of names in each storage.

use super::file::File;
use pfh_bytes::field::{byte, le16, le32};
use pfh_bytes::node::Failure;
use std::collections::HashSet;

/// The most entries.
const MOST: usize = 1 << 20;
/// The number that stands for no entry.
const NONE: u32 = 0xffff_ffff;

/// An entry of the directory.
#[derive(Debug, Clone)]
pub struct Entry {
    pub number: u32,
    pub name: String,
    pub start: u32,
    pub size: u64,
    left: u32,
    right: u32,
    child: u32,
}

impl Entry {
    /// Whether it is the stream or storage of a property, by its number and type.
    pub fn is_property(&self, property: &str) -> bool {
        self.name.strip_prefix("__substg1.0_").is_some_and(|number| number == property)
    }

    /// Whether it is the storage of an attachment.
    pub fn is_attachment(&self) -> bool {
        self.name.starts_with("__attach_version1.0_#")
    }
}

/// All entries, by their numbers.
pub struct Directory(Vec<Entry>);

impl Directory {
    /// Reads all entries.
    pub fn read(file: &File) -> Result<Directory, Failure> {
        let mut entries = Vec::new();
        for sector in file.chain(file.directory)? {
            for raw in file.sector(sector)?.chunks_exact(128) {
                let length = (usize::from(le16(raw, 64)) / 2).saturating_sub(1).min(31);
                let units: Vec<u16> = (0..length).map(|at| le16(raw, 2 * at)).collect();
                // Sizes of more than 32 bits are in sectors of 4096 bytes alone.
                let is_used = byte(raw, 66) != 0;
                entries.push(Entry {
                    number: u32::try_from(entries.len()).unwrap_or(NONE),
                    name: if is_used { String::from_utf16_lossy(&units) } else { String::new() },
                    start: le32(raw, 116),
                    size: u64::from(le32(raw, 120)),
                    left: le32(raw, 68),
                    right: le32(raw, 72),
                    child: le32(raw, 76),
                });
            }
            if entries.len() > MOST {
                break;
            }
        }
        Ok(Directory(entries))
    }

    /// All entries, in the order of their numbers.
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// How many entries there are.
    pub fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(NONE)
    }

    /// The entries of a storage, by their names.
    pub fn children(&self, storage: u32) -> Vec<&Entry> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut pending: Vec<u32> = self.0.get(storage as usize).map(|entry| entry.child).into_iter().collect();
        while let Some(number) = pending.pop() {
            let Some(entry) = self.0.get(number as usize).filter(|_| seen.insert(number)) else { continue };
            found.push(entry);
            pending.extend([entry.left, entry.right].into_iter().filter(|next| *next != NONE));
        }
        found.sort_by(|one, next| one.name.cmp(&next.name));
        found
    }
}
