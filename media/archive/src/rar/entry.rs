//! A member, as the headers of both formats describe it.

use super::solid::{Method, PackedMember};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read;
use pfh_bytes::node::{Failure, Times};

/// The kind of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Directory,
    /// A link with its target; one whose target is the content.
    Link(Vec<u8>),
    LinkWithin,
    /// Another name of a member, or a copy of it.
    Same(Vec<u8>),
    /// A further stream of a file.
    Stream,
}

/// A member.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where its header is.
    pub at: u64,
    pub path: Vec<u8>,
    pub what: EntryKind,
    pub times: Times,
    pub packed: PackedMember,
    /// Whether it goes on from the window of the member before.
    pub is_solid: bool,
    pub is_encrypted: bool,
    pub crc: Option<u32>,
    pub blake: Option<[u8; 32]>,
    /// Whether it begins in the volume before, and whether it goes on in the next one.
    pub begins_before: bool,
    pub goes_on: bool,
}

impl Entry {
    /// A file whose place alone is known.
    pub fn new(at: u64) -> Entry {
        let packed = PackedMember { pieces: Vec::new(), method: Method::Stored, window: 0, size: None };
        Entry {
            at,
            path: Vec::new(),
            what: EntryKind::File,
            times: Times::default(),
            packed,
            is_solid: false,
            is_encrypted: false,
            crc: None,
            blake: None,
            begins_before: false,
            goes_on: false,
        }
    }
}

/// The content of one volume.
#[derive(Default)]
pub struct Volume {
    pub entries: Vec<Result<Entry, Failure>>,
    /// Whether its end says that another volume follows.
    pub goes_on: bool,
}

/// Reads the block at the first place, in front of the end at the second; the place of the next
/// block, `None` behind the last.
pub type Block = fn(&dyn Bytes, u64, u64, &mut Volume) -> Result<Option<u64>, Failure>;

impl Volume {
    /// The blocks in the range `start .. end`, at most `most`.
    pub fn read(bytes: &dyn Bytes, start: u64, end: u64, most: u64, block: Block) -> Volume {
        let mut volume = Volume::default();
        let (mut at, mut count) = (start, 0);
        while at < end {
            count += 1;
            if count > most {
                volume.fail(at, format!("the archive has more than {most} members"));
                break;
            }
            match block(bytes, at, end, &mut volume) {
                Ok(Some(next)) => at = next,
                Ok(None) => break,
                Err(failure) => {
                    volume.entries.push(Err(failure));
                    break;
                }
            }
        }
        volume
    }

    /// Something is wrong with the volume.
    pub fn fail(&mut self, at: u64, cause: impl Into<String>) {
        self.entries.push(Err(Failure { offset: Some(at), cause: cause.into(), ..Failure::default() }));
    }
}

/// Names the bytes behind the end of a volume, unless all are zero.
pub fn rest(bytes: &dyn Bytes, at: u64, end: u64, volume: &mut Volume) {
    let length = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX).min(64 << 10);
    match read(bytes, at, length) {
        Ok(rest) if rest.iter().all(|byte| *byte == 0) => {}
        Ok(_) => volume.fail(at, format!("{} bytes behind the end of the archive are not read", end - at)),
        Err(failure) => volume.entries.push(Err(failure)),
    }
}
