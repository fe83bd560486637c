//! Reading a file past the system's cache, so that its bytes come from the medium.

use crate::os::handles::BorrowedFd;
use crate::os::{self, Errno};

/// Bytes of one read.
pub(crate) const ROOM: usize = 1 << 20;
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
