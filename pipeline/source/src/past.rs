//! Reading files past the system's cache, so that their bytes come from the medium once more.

use crate::base::Base;
use crate::entry::{Entry, Item, Origin};
use crate::os::handles::BorrowedFd;
use crate::os::{self, Errno};
use crate::source::Source;
use std::sync::Arc;

/// Bytes of one read.
const ROOM: usize = 1 << 20;
/// The largest alignment that is served.
const MOST: usize = 64 << 10;

/// How a file is read past the cache: with O_DIRECT where its file system has that, else after the
/// system was asked to drop its pages.
pub(crate) struct Past {
    /// Where reads with O_DIRECT go, which must be aligned; empty without.
    room: Vec<u8>,
    align: usize,
    dropped: bool,
}

impl Past {
    /// Drops the pages of an open file, and asks for O_DIRECT. Nothing else may read by the
    /// descriptor.
    pub fn begin(fd: BorrowedFd<'_>) -> Past {
        let dropped = os::EVICTS && !os::is_in_memory(fd) && os::evict_range(fd, 0, 0).is_ok();
        let align = os::direct_alignment(fd).map(|align| align as usize);
        let align = align.filter(|align| align.is_power_of_two() && *align <= MOST);
        let align = align.filter(|_| os::set_direct(fd, true).is_ok());
        let room = align.map_or(0, |align| ROOM + align);
        Past { room: vec![0; room], align: align.unwrap_or(1), dropped }
    }

    /// Whether bytes come from the medium: they are read with O_DIRECT, or the system dropped the
    /// pages when it was asked to. Of pages that were not written yet nobody knows.
    pub fn is_past(&self) -> bool {
        !self.room.is_empty() || self.dropped
    }

    /// Reads some bytes at `offset`; 0 is the end.
    ///
    /// # Errors
    /// The errno.
    pub fn read(&mut self, fd: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
        if !self.room.is_empty() {
            let before = (offset % self.align as u64) as usize;
            let length = (before + buffer.len()).next_multiple_of(self.align).min(ROOM);
            let start = self.room.as_ptr().align_offset(self.align);
            let room = &mut self.room[start..start + length];
            match os::read_at(fd, room, offset - before as u64) {
                Ok(got) => {
                    let fresh = &room[before.min(got)..got];
                    let fresh = &fresh[..fresh.len().min(buffer.len())];
                    buffer[..fresh.len()].copy_from_slice(fresh);
                    return Ok(fresh.len());
                }
                // Promised, and refused all the same.
                Err(Errno::INVAL | Errno::OPNOTSUPP) => {
                    os::set_direct(fd, false)?;
                    self.room = Vec::new();
                }
                Err(errno) => return Err(errno),
            }
        }
        os::read_at(fd, buffer, offset)
    }
}

/// The files of another source, read past the system's cache. Streams and objects are read as they
/// always are.
pub struct PastCache {
    source: Box<dyn Source>,
    /// The last base, and the same for reads past the cache: names follow each other in one.
    last: Option<[Arc<Base>; 2]>,
}

impl PastCache {
    /// The files of this source.
    pub fn of(source: Box<dyn Source>) -> Self {
        PastCache { source, last: None }
    }
}

impl Source for PastCache {
    fn pull(&mut self) -> Option<Item> {
        let mut item = self.source.pull()?;
        if let Item::Entry(Entry { origin: Origin::File { base, .. }, .. }) = &mut item {
            let last = self.last.take().filter(|[one, _]| Arc::ptr_eq(one, base));
            let pair = last.unwrap_or_else(|| [base.clone(), base.past_cache()]);
            *base = pair[1].clone();
            self.last = Some(pair);
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Descend, Note, Operands};

    /// Sizes around the room and its alignment, read in pieces of any length.
    #[test]
    fn the_bytes_are_those_of_the_file() {
        let room = tempfile::tempdir().unwrap();
        let is_on_a_medium = !os::is_in_memory(std::fs::File::open(room.path()).unwrap());
        for size in [0, 1, 511, 512, 4095, 4096, 4097, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM + 777] {
            let bytes: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251) as u8).collect();
            let path = room.path().join(size.to_string());
            std::fs::write(&path, &bytes).unwrap();
            let name = os::names::OsStrExt::as_bytes(path.as_os_str()).to_vec();
            for piece in [1000, 4096, 65_537, 2 * ROOM] {
                let operands = Box::new(Operands::new(vec![name.clone()], Descend::default()));
                let Some(Item::Entry(entry)) = PastCache::of(operands).pull() else { panic!("a file") };
                let mut reading = entry.open().unwrap();
                let (mut buffer, mut found) = (vec![0; piece], Vec::new());
                loop {
                    match reading.read(&mut buffer).unwrap() {
                        0 => break,
                        got => found.extend_from_slice(&buffer[..got]),
                    }
                }
                assert!(found == bytes, "{size} bytes by {piece}");
                assert!(reading.positions().is_none(), "others would go through the cache");
                let closed = reading.close().unwrap();
                assert_eq!(closed.notes.contains(&Note::Uncached), os::EVICTS && is_on_a_medium, "{:?}", closed.notes);
            }
        }
    }
}
