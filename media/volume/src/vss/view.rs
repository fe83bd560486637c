//! The bytes of a volume at the time when a shadow copy was made.

use std::io;
use std::sync::Arc;

use super::block::BLOCK;
use super::store::Store;
use super::table::{BlockPlace, SECTOR};
use pfh_bytes::bytes::Bytes;

/// The most bytes of one read that are gathered from blocks side by side.
const MOST: u64 = 1 << 20;

/// Where some bytes of a copy are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the volume, from this offset on.
    Volume(u64),
    /// Nowhere: they were free, and nothing was kept.
    Free,
}

/// A volume at the time of a shadow copy.
pub struct View {
    live: Arc<dyn Bytes>,
    /// Its store, then those of later copies, the last one at the end.
    stores: Vec<Arc<Store>>,
    size: u64,
}

impl View {
    /// The state of `live` that these stores lead back to.
    pub fn new(live: Arc<dyn Bytes>, stores: Vec<Arc<Store>>, size: u64) -> View {
        View { live, stores, size }
    }

    /// Where the bytes from `offset` on are, and how many of them.
    pub fn place(&self, offset: u64) -> (Place, u64) {
        let within = offset % BLOCK;
        let mut block = offset - within;
        let mut length = BLOCK - within;
        for (number, store) in self.stores.iter().enumerate() {
            // Sectors that were written while a copy was made count for that copy alone.
            if number == 0
                && let Some(overlay) = store.table.overlays.get(&block)
            {
                let is_over = |sector: u64| overlay.sectors >> sector & 1 == 1;
                let first = within / SECTOR;
                let same = (first..BLOCK / SECTOR).take_while(|sector| is_over(*sector) == is_over(first)).count();
                length = length.min((first + same as u64) * SECTOR - within);
                if is_over(first) {
                    return (Place::Volume(overlay.at.saturating_add(within)), length);
                }
            }
            match store.table.held.get(&block) {
                Some(BlockPlace::Store(at)) => return (Place::Volume(at.saturating_add(within)), length),
                Some(BlockPlace::Forward(at)) => block = *at,
                None if number + 1 < self.stores.len() => {}
                None if store.table.moved.contains_key(&block) => {}
                None if number == 0 && store.is_free(block) => return (Place::Free, length),
                None => {}
            }
        }
        (Place::Volume(block.saturating_add(within)), length)
    }

    /// Whether the bytes from `offset` on are those that lie there today, and for how many bytes
    /// that holds.
    pub fn is_live(&self, offset: u64) -> (bool, u64) {
        let (place, length) = self.place(offset);
        (place == Place::Volume(offset), length)
    }

    /// Whether all these bytes are kept in stores.
    pub fn is_kept(&self, offset: u64, length: u64) -> bool {
        let (mut at, end) = (offset, offset.saturating_add(length));
        while at < end {
            match self.place(at) {
                (Place::Volume(place), length) if place != at => at += length,
                _ => return false,
            }
        }
        true
    }

    /// Where the bytes from `offset` on are, with blocks side by side taken together.
    fn together(&self, offset: u64, wanted: u64) -> (Place, u64) {
        let (place, mut length) = self.place(offset);
        while length < wanted.min(MOST) {
            let (next, more) = self.place(offset + length);
            let follows = match (place, next) {
                (Place::Volume(start), Place::Volume(next)) => start.checked_add(length) == Some(next),
                (Place::Free, Place::Free) => true,
                _ => false,
            };
            if !follows {
                break;
            }
            length += more;
        }
        (place, length)
    }
}

impl Bytes for View {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset).min(buffer.len() as u64);
        if left == 0 {
            return Ok(0);
        }
        let (place, length) = self.together(offset, left);
        let room = usize::try_from(length.min(left)).unwrap_or(buffer.len());
        match place {
            Place::Volume(at) => match self.live.read_at(at, &mut buffer[..room])? {
                0 => Err(io::ErrorKind::UnexpectedEof.into()),
                got => Ok(got),
            },
            Place::Free => {
                buffer[..room].fill(0);
                Ok(room)
            }
        }
    }
}
