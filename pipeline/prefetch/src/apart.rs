//! Reading a range of a message that several threads read: a reader does this for its thread
//! outside of laps and table.

use crate::host::atomic::Ordering;
use crate::open::Open;
use crate::reader::Reader;
use pfh_source::{Entry, Positions, RefusedRead};
use std::sync::Arc;

/// How far a range could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeEnd {
    /// To its end.
    All,
    /// The file ended before; or the run did.
    Short,
    /// A read failed.
    Refused(RefusedRead),
}

impl<S> Reader<S> {
    /// The only message that is open in lanes.
    pub fn lane(&mut self) -> Option<&mut Open<S>> {
        if let [open] = &mut self.lanes[..] { Some(open) } else { None }
    }

    /// Gives it away; `None` if this reader was declared lost, which has nothing any more.
    pub fn take_lane(&mut self) -> Option<Open<S>> {
        let open = self.lanes.pop()?;
        if self.in_hand.release(&open.entry) {
            return Some(open);
        }
        self.drop_all();
        None
    }

    /// Begins with a range of a message: the reader is watched for it. `false`: it was declared
    /// lost.
    #[must_use]
    pub fn begin_range(&mut self, entry: &Arc<Entry>) -> bool {
        let taken = self.in_hand.take(entry.clone());
        if taken {
            self.in_hand.turn(entry);
        }
        taken
    }

    /// Ends it. `false`: the reader was declared lost, and the bytes that it has read are void.
    #[must_use]
    pub fn end_range(&mut self, entry: &Entry) -> bool {
        let held = self.in_hand.release(entry);
        if !held {
            self.drop_all();
        }
        held
    }

    /// Whether there is memory for a range: a slab of the budget, which the reader keeps.
    pub fn has_room(&mut self) -> bool {
        if self.arena.is_empty() {
            self.arena.extend(self.budget.try_take());
        }
        !self.arena.is_empty()
    }

    /// Reads `length` bytes at `offset`, at most a slab, into the memory of
    /// [`has_room`](Reader::has_room).
    pub fn read_range(&mut self, positions: &Positions, offset: u64, length: usize) -> (&[u8], RangeEnd) {
        let mut arena = std::mem::take(&mut self.arena);
        let (mut filled, mut reached) = (0, RangeEnd::All);
        if let Some(room) = arena.first_mut().and_then(|slab| slab.bytes_mut().get_mut(..length)) {
            while filled < length {
                if self.stop.load(Ordering::Relaxed) {
                    reached = RangeEnd::Short;
                    break;
                }
                match self.timed(|| positions.read_at(offset + filled as u64, &mut room[filled..])) {
                    Ok(0) => {
                        reached = RangeEnd::Short;
                        break;
                    }
                    Ok(n) => filled += n,
                    Err(refused) => {
                        reached = RangeEnd::Refused(refused);
                        break;
                    }
                }
            }
        } else {
            reached = RangeEnd::Short;
        }
        self.read_bytes.fetch_add(filled as u64, Ordering::Relaxed);
        self.arena = arena;
        (self.arena.first().map_or(&[], |slab| &slab.bytes()[..filled]), reached)
    }
}
