//! The records of the catalog: names with their files and directories.

use super::fork::Fork;
use super::node::{Place, Shape};
use pfh_bytes::field::{array, be16, be32, byte, failure};
use pfh_bytes::node::{Failure, Times};
use pfh_bytes::text::utf16;
use pfh_bytes::time::mac;

/// The directory that is the root, and its parent.
pub const ROOT: u32 = 2;
pub const ROOT_PARENT: u32 = 1;

/// The tree of the catalog.
pub const SHAPE: Shape = Shape { place, what: "catalog" };

/// Types of records.
const FOLDER: u16 = 1;
const FILE: u16 = 2;
const FOLDER_THREAD: u16 = 3;
const FILE_THREAD: u16 = 4;

/// Flags of a record.
const LINKED: u16 = 0x20;
/// A flag of the owner: the content is compressed.
const COMPRESSED: u8 = 0x20;

/// The place of a key: its parent alone, since nothing here asks for the order of names.
fn place(key: &[u8]) -> Option<Place> {
    (key.len() >= 6).then(|| (u64::from(be32(key, 0)), 0))
}

/// The name of a key.
pub fn units(key: &[u8]) -> Option<Vec<u16>> {
    text(key.get(4..)?)
}

/// Text with its length in front.
fn text(raw: &[u8]) -> Option<Vec<u16>> {
    let raw = raw.get(2..2 + 2 * usize::from(be16(raw, 0)))?;
    Some(raw.chunks_exact(2).map(|unit| be16(unit, 0)).collect())
}

/// A name as macOS shows it: a slash, which does not separate directories in a catalog, becomes a
/// colon, and a zero becomes the symbol for it.
///
/// # Errors
/// For a colon, which separates directories in a catalog.
pub fn name(units: &[u16]) -> Result<Vec<u8>, Failure> {
    if units.contains(&0x3a) {
        return Err(failure(None, "a name with a colon, which leads out of its directory"));
    }
    let shown = |unit: &u16| match *unit {
        0x2f => 0x3a,
        0 => 0x2400,
        unit => unit,
    };
    Ok(utf16(&units.iter().map(shown).collect::<Vec<_>>()))
}

/// A file or directory.
#[derive(Debug, Clone)]
pub struct Item {
    pub is_folder: bool,
    /// Its number (CNID).
    pub id: u32,
    pub mode: u16,
    pub is_compressed: bool,
    pub times: Times,
    pub data: Fork,
    pub resource: Fork,
    flags: u16,
    /// The number of a hard link's target; other files use the field otherwise.
    special: u32,
    /// Type and creator of a file.
    finder: [u8; 8],
}

/// The target of a hard link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    File(u32),
    Folder(u32),
}

/// The content of a record.
pub enum RecordContent {
    Item(Box<Item>),
    /// The parent and the name of the item with the key's number.
    Thread(u32, Vec<u16>),
}

impl RecordContent {
    /// Reads the value of a record.
    pub fn new(value: &[u8]) -> Result<RecordContent, Failure> {
        let kind = be16(value, 0);
        let is_folder = kind == FOLDER;
        match kind {
            FOLDER if value.len() >= 88 => {}
            FILE if value.len() >= 248 => {}
            FOLDER_THREAD | FILE_THREAD => {
                let name = value.get(8..).and_then(text).ok_or_else(wrong)?;
                return Ok(RecordContent::Thread(be32(value, 4), name));
            }
            _ => return Err(wrong()),
        }
        let time = |at: usize| mac(be32(value, at));
        let times = Times { born: time(12), modified: time(16), changed: time(20), accessed: time(24), deleted: None };
        let fork = |at: usize| if is_folder { Fork::default() } else { Fork::new(&value[at..]) };
        Ok(RecordContent::Item(Box::new(Item {
            is_folder,
            id: be32(value, 8),
            mode: be16(value, 42),
            is_compressed: byte(value, 41) & COMPRESSED != 0,
            times,
            data: fork(88),
            resource: fork(168),
            flags: be16(value, 2),
            special: be32(value, 44),
            finder: array(value, 48),
        })))
    }
}

fn wrong() -> Failure {
    failure(None, "catalog: a record contradicts itself")
}

impl Item {
    /// The type of its mode; that of an ordinary file or directory where it has none.
    pub fn kind(&self) -> u16 {
        match (self.is_folder, self.mode & 0xf000) {
            (true, _) => 0x4000,
            (false, 0) => 0x8000,
            (false, kind) => kind,
        }
    }

    /// Its target, if it is a hard link.
    pub fn link(&self) -> Option<Link> {
        match &self.finder {
            b"hlnkhfs+" if !self.is_folder => Some(Link::File(self.special)),
            // An alias for a directory looks the same but for the flag.
            b"fdrpMACS" if !self.is_folder && self.flags & LINKED != 0 => Some(Link::Folder(self.special)),
            _ => None,
        }
    }
}
