//! Reading for lanes: a piece of each of several open messages, into memory of the reader's own,
//! for its own thread to hash at once.
//!
//! Nothing waits here for anything but the reads themselves. Data that is in the page cache is
//! copied once, to memory that is in the second-level cache, and hashed there; nothing is read
//! ahead.

use crate::agenda::Next;
use crate::budget::Slab;
use crate::chunk::End;
use crate::host::Instant;
use crate::host::atomic::Ordering;
use crate::lent::Lent;
use crate::open::{Open, Place};
use crate::reader::{ALIGN, Current, Reader};
use crate::table::{For, ResumedMessage};
use pfh_source::{Cause, Entry, Item, Loan, Problem, Reading, Stage};
use std::sync::Arc;
use std::time::Duration;

/// Between two pieces, so that they do not all begin at the same place in a page: lanes would
/// compete for the same cache sets. 1.16 GB in 4,457 files under MD5 in 64 lanes took .351 s of
/// processor time without, .313 s with it.
const SKEW: usize = 128;
/// Reads begin at pages of the file.
const PAGE: usize = 4096;

/// How a lap is read.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Bytes of the arena. It has one slab at least, and no more of the budget than its share.
    pub arena: usize,
    /// Readers that share the budget.
    pub readers: usize,
    /// Messages that may be open at once.
    pub lanes: usize,
    /// Messages that the kernels take at once.
    pub widest: usize,
    /// Bytes of a piece, where that many messages are to be had.
    pub piece: usize,
    /// The longest piece, where few messages are left.
    pub longest: usize,
    /// Reading ends early when it has taken so long, so that readers ahead can be called soon.
    pub most: Duration,
}

/// A message that was read to its end.
pub struct EndedMessage<S> {
    /// Which.
    pub entry: Arc<Entry>,
    /// How it ended.
    pub end: End,
    /// Its state before this lap; none if the whole message is in the arena.
    pub states: Vec<S>,
    place: Option<Place>,
}

/// The result of one round of reading.
pub struct Lap<S> {
    arena: Vec<Slab>,
    /// Messages that have ended.
    pub ended: Vec<EndedMessage<S>>,
    /// Messages that go on.
    pub open: Vec<Open<S>>,
}

impl<S> Lap<S> {
    /// The work: pieces of messages that go on, and the last pieces of those that have
    /// ended.
    pub fn parts(&mut self) -> (Vec<LapBytes<'_, S>>, Vec<LapBytes<'_, S>>) {
        let arena = &self.arena;
        let open = self.open.iter_mut().filter_map(|open| {
            let bytes = bytes(arena, open.place.as_ref()?);
            Some(LapBytes { states: &mut open.states, bytes, is_good: true })
        });
        let ended = self.ended.iter_mut().map(|ended| {
            let bytes = ended.place.as_ref().map_or(&[][..], |place| bytes(arena, place));
            LapBytes { states: &mut ended.states, bytes, is_good: ended.end.is_ok() }
        });
        (open.collect(), ended.collect())
    }
}

/// Bytes that a lap has brought of one message.
pub struct LapBytes<'a, S> {
    /// One for each unit; none if the bytes are the whole message.
    pub states: &'a mut Vec<S>,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Whether it was read without a problem so far.
    pub is_good: bool,
}

fn bytes<'a>(arena: &'a [Slab], place: &'a Place) -> &'a [u8] {
    match &place.loan {
        Some(loan) => loan,
        None => &arena[place.slab].bytes()[place.range.clone()],
    }
}

/// The longest pieces of that many messages that an arena has room for.
fn fair(arena: &[Slab], messages: usize) -> usize {
    let slab = arena.first().map_or(0, |slab| slab.bytes().len());
    match messages.div_ceil(arena.len().max(1)) {
        0 | 1 => slab,
        each if slab / each > 2 * PAGE => (slab / each - SKEW) / PAGE * PAGE,
        _ => 0,
    }
}

/// The piece of a message that has much left, at most `most`: as much as a lane has, so that it
/// does not end alone, long after all others. With pieces of one length a file of 97 MB among 4,457
/// with 1.2 GB was far from its end when the others were through: by the kernels' costs, laps took
/// 11 % longer than one batch under SHA3-256 in four lanes, and 1.3 % with this; 8 % and 3 % under
/// SHA-256 in six.
fn longer(left: u64, most: usize) -> usize {
    /// Laps that a message is to take at least.
    const LAPS: u64 = 16;
    usize::try_from(left / LAPS).unwrap_or(usize::MAX).min(most) / PAGE * PAGE
}

/// Where the next piece goes.
struct Cursor {
    slab: usize,
    used: usize,
}

impl<S> Reader<S> {
    /// Whether it has messages open in lanes.
    pub fn has_lanes(&self) -> bool {
        !self.lanes.is_empty()
    }

    /// Messages open in lanes, and bytes that they are still to have as far as that is known.
    pub fn begun(&self) -> (usize, u64) {
        (self.lanes.len(), self.lanes.iter().map(Open::left).fold(0, u64::saturating_add))
    }

    /// Whether it was declared lost: others read its entries, and nothing that it brings counts.
    pub fn is_lost(&self) -> bool {
        self.in_hand.is_lost()
    }

    /// Whether it reads a device that has one reader at a time, or is in the middle of something
    /// that no lane can have.
    pub fn is_apart(&self) -> bool {
        self.apart || self.current.is_some()
    }

    /// Puts down the messages beyond the first `keep`, for others to take up.
    pub fn put_down_lanes(&mut self, keep: usize, whom: For) {
        if keep >= self.lanes.len() {
            return;
        }
        let given = self.lanes.split_off(keep);
        if self.hold() {
            for Open { entry, reading, states, .. } in given {
                let states = if states.is_empty() { self.table.states() } else { states };
                self.table.park(entry, reading, Some(states), whom);
            }
        }
    }

    /// Reads a piece of every open message, and opens further ones as long as there is room.
    /// `None`: there is nothing to read in lanes. The lap is to be given back to
    /// [`keep`](Reader::keep).
    pub fn lap(&mut self, pace: Pace) -> Option<Lap<S>> {
        let any = self.has_lanes() || self.agenda().has_next(true);
        if !any || self.is_lost() {
            return None;
        }
        // Bytes that a reader of the table was about to hand on go there first.
        self.publish();
        self.pack = None;
        let share = (self.budget.slabs() / (2 * pace.readers.max(1))).max(1);
        while self.arena.len() * self.budget.slab() < pace.arena && self.arena.len() < share {
            let Some(slab) = self.budget.try_take() else { break };
            self.arena.push(slab);
        }
        let arena = std::mem::take(&mut self.arena);
        if arena.is_empty() {
            return None;
        }
        let before = std::mem::take(&mut self.lanes);
        let piece = if self.feed.is_empty() {
            fair(&arena, before.len()).clamp(pace.piece, pace.longest.max(pace.piece))
        } else {
            pace.piece
        };
        let most = if self.feed.is_empty() || pace.widest < 2 { 0 } else { fair(&arena, pace.widest) };
        let mut lap = Lap { arena, ended: Vec::new(), open: Vec::with_capacity(before.len()) };
        let (mut cursor, from) = (Cursor { slab: 0, used: 0 }, Instant::now());
        let mut late = false;
        for mut open in before {
            open.place = None;
            // The first one always has its turn.
            if late {
                lap.open.push(open);
                continue;
            }
            let piece = piece.max(longer(open.left(), most));
            self.read_piece(&mut lap, &mut cursor, open, piece);
            late = from.elapsed() > pace.most;
        }
        while !late && self.current.is_none() && !self.stop.load(Ordering::Relaxed) && cursor.has(&lap.arena, piece) {
            if lap.open.len() >= pace.lanes {
                break;
            }
            let Some(open) = self.open_lane() else { break };
            if let Some(open) = open {
                self.read_piece(&mut lap, &mut cursor, open, piece);
            }
            late = from.elapsed() > pace.most;
        }
        if lap.ended.is_empty() && lap.open.is_empty() {
            self.keep(lap);
            return None;
        }
        let places = lap.open.iter().map(|open| &open.place).chain(lap.ended.iter().map(|ended| &ended.place));
        self.reserve.add(lap.ended.len() as u64, places.flatten().map(|place| place.range.len() as u64).sum());
        Some(lap)
    }

    /// Takes back the messages that go on. `false`: this reader was declared lost meanwhile, and
    /// the results of its lap are void.
    pub fn keep(&mut self, lap: Lap<S>) -> bool {
        let Lap { arena, open, .. } = lap;
        self.lanes = open;
        self.arena = arena;
        self.hold()
    }

    /// Gives the arena back: lanes are done for now, and others may need the memory.
    pub fn rest(&mut self) {
        self.arena.clear();
    }

    /// Declares the entries in hand: the open messages, and last the one that is read for the
    /// table.
    fn hold(&mut self) -> bool {
        let entries =
            self.lanes.iter().map(|open| &open.entry).chain(self.current.iter().map(|current| &current.entry));
        let held = self.in_hand.hold(entries.cloned());
        if !held {
            self.drop_all();
        }
        held
    }

    /// The next message to begin with, or to resume. Outer `None`: there is none now; inner `None`:
    /// the next item is not for a lane.
    fn open_lane(&mut self) -> Option<Option<Open<S>>> {
        let entry = match self.agenda().next(true, 1) {
            Next::Begun(begun) => {
                let ResumedMessage { entry, reading, states, .. } = *begun;
                return Some(Some(Open { entry, reading, states: states.unwrap_or_default(), place: None }));
            }
            Next::Entry(entry) => entry,
            Next::Passed => return Some(None),
            Next::Together(_) | Next::Later | Next::End => return None,
        };
        self.in_hand.turn(&entry);
        let opened = self.timed(|| entry.open());
        let mut reading = match opened {
            Ok(reading) => reading,
            Err(problem) => {
                if self.in_hand.release(&entry) {
                    self.table.pass(Item::Problem { number: entry.number, name: entry.name(), problem });
                }
                return Some(None);
            }
        };
        reading.set_retries(self.retries);
        let gated = reading.device().is_some_and(|device| self.gates.of(device).is_some());
        if gated || reading.may_wait() {
            self.apart |= gated;
            self.current = Some(Current { entry, reading, flowing: false, whom: For::Table });
            return Some(None);
        }
        Some(Some(Open { entry, reading, states: Vec::new(), place: None }))
    }

    /// Reads a piece of one message, if there is room for it, and puts the message into the lap.
    fn read_piece(&self, lap: &mut Lap<S>, cursor: &mut Cursor, mut open: Open<S>, piece: usize) {
        // The rest of a message, and a byte by which it is seen to end there.
        let wanted = usize::try_from(open.left()).unwrap_or(usize::MAX).saturating_add(1).min(piece);
        if !cursor.make_room(&lap.arena, wanted) {
            return lap.open.push(open);
        }
        self.in_hand.turn(&open.entry);
        self.enter();
        let start = cursor.used;
        let slab = lap.arena[cursor.slab].bytes_mut();
        let end = start + piece.min(slab.len() - start);
        let (end, filled, loan) = self.fill_piece(&mut open.reading, &mut slab[start..end]);
        let place = (filled > 0).then(|| Place { slab: cursor.slab, range: start..start + filled, loan });
        cursor.used = (start + filled).next_multiple_of(ALIGN) + SKEW;
        let Open { entry, reading, states, .. } = open;
        match end {
            None => {
                self.in_hand.leave();
                let states = if states.is_empty() { self.table.states() } else { states };
                lap.open.push(Open { entry, reading, states, place });
            }
            Some(end) => {
                let end = end.and_then(|()| reading.close());
                self.in_hand.leave();
                lap.ended.push(EndedMessage { entry, end, states, place });
            }
        }
    }

    /// Reads until the room is full or the message ends; bytes that are lent are not put into it.
    fn fill_piece(&self, reading: &mut Reading, room: &mut [u8]) -> (Option<Result<(), Problem>>, usize, Option<Loan>) {
        let loan = Lent::of(reading, room.len());
        let mut filled = loan.length();
        let end = loop {
            if loan.is_enough(reading) || filled == room.len() {
                break None;
            }
            if self.stop.load(Ordering::Relaxed) {
                break Some(Err(Problem::new(Stage::Read, Cause::Os(4)).at(reading.offset())));
            }
            match reading.read(&mut room[filled..]) {
                Ok(0) => break Some(Ok(())),
                Ok(n) => filled += n,
                Err(problem) => break Some(Err(problem)),
            }
            // Each call is watched for itself.
            self.enter();
        };
        self.read_bytes.fetch_add(filled as u64, Ordering::Relaxed);
        (end, filled, loan.settle(filled, room))
    }
}

impl Cursor {
    /// Whether a piece would find room.
    fn has(&self, arena: &[Slab], piece: usize) -> bool {
        self.slab + 1 < arena.len()
            || arena[self.slab].bytes().len().saturating_sub(self.used) >= piece.min(arena[0].bytes().len())
    }

    /// Goes to the next slab if this one has no room for that many bytes; false if there is none.
    fn make_room(&mut self, arena: &[Slab], wanted: usize) -> bool {
        let length = arena[self.slab].bytes().len();
        if length.saturating_sub(self.used) >= wanted.min(length) {
            return true;
        }
        if self.slab + 1 == arena.len() {
            return false;
        }
        (self.slab, self.used) = (self.slab + 1, 0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_piece_is_for_what_has_much_left_and_is_a_lane_at_most() {
        let most = 508 << 10;
        assert_eq!(longer(97 << 20, most), most);
        assert_eq!(longer(u64::MAX, most), most);
        assert_eq!(longer(4 << 20, most), 256 << 10);
        // Whole pages; less than the usual piece is not taken.
        assert_eq!(longer((1 << 20) + 5, most), 64 << 10);
        assert_eq!(longer(0, most), 0);
        assert_eq!(longer(97 << 20, 0), 0);
    }
}
