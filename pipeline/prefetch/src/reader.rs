//! A reader (the paper's prefetcher): pulls entries, opens them, fills slabs, puts chunks into the
//! table.
//!
//! It advances in steps, so that a thread can change role between two of them. It never waits with
//! something unpublished in its hands: that rule, and one slab per reader, is why the smallest
//! budget cannot deadlock.

use crate::agenda::{Agenda, Next};
use crate::backend::{Backend, Together};
use crate::budget::{Budget, Slab};
use crate::chunk::{Bytes, Chunk, End};
use crate::device::DeviceLocks;
use crate::feed::Feed;
use crate::host::Instant;
use crate::host::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::in_hand::InHand;
use crate::lent::Lent;
use crate::open::Open;
use crate::reserve::Reserve;
use crate::table::{For, ResumedMessage, Table};
use pfh_source::{Cause, Entry, Item, Loan, Problem, Reading, Stage};
use std::ops::Range;
use std::sync::{Arc, PoisonError};

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Something was put into the table.
    Filled,
    /// The budget is spent (or records lag too far behind): come back later.
    Full,
    /// The source has ended and this reader has nothing in hand.
    Exhausted,
}

/// Where a small file is in its slab, or would be if it were not lent.
pub(crate) struct Piece {
    range: Range<usize>,
    loan: Option<Loan>,
}

/// Small files of one slab, being filled.
pub(crate) struct Pack {
    pub slab: Slab,
    pub used: usize,
    pub pieces: Vec<(Arc<Entry>, Piece, End)>,
}

impl Pack {
    /// Whether hardly anything more goes into it.
    pub fn is_full(&self) -> bool {
        self.slab.bytes().len() - self.used < 4096 || self.pieces.len() >= 512
    }

    /// Takes in a file that was read to `start..start + length`, or that is lent.
    pub fn take_in(&mut self, entry: Arc<Entry>, start: usize, length: usize, end: End, loan: Option<Loan>) {
        self.pieces.push((entry, Piece { range: start..start + length, loan }, end));
        self.used = (start + length).next_multiple_of(ALIGN).min(self.slab.bytes().len());
    }
}

/// An open file that did not fit.
pub(crate) struct Current {
    pub entry: Arc<Entry>,
    pub reading: Reading,
    /// Whether the table has a state of it already.
    pub flowing: bool,
    pub whom: For,
}

/// One reader. `S` is the table's state type.
pub struct Reader<S> {
    pub(crate) table: Arc<Table<S>>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) gates: Arc<DeviceLocks>,
    pub(crate) reserve: Arc<Reserve>,
    pub(crate) retries: u32,
    clock: Instant,
    pub(crate) pack: Option<Pack>,
    pub(crate) together: Together,
    pub(crate) current: Option<Current>,
    /// Messages that this reader's thread hashes as they are read.
    pub(crate) lanes: Vec<Open<S>>,
    /// Where pieces of them are read to.
    pub(crate) arena: Vec<Slab>,
    /// Whether lanes are of no use: the device is to be read by one reader at a time.
    pub(crate) apart: bool,
    pub(crate) in_hand: Arc<InHand>,
    pub(crate) read_bytes: Arc<AtomicU64>,
    pub(crate) stop: Arc<AtomicBool>,
}

/// Messages start at multiples of this in a pack: 64 bytes is a cache line, and staggered starts
/// keep lanes out of one another's cache sets.
pub(crate) const ALIGN: usize = 64;

impl<S> Reader<S> {
    /// A reader. `backend` says how it reads small files, `clock` is the start of the run,
    /// `read_bytes` a counter of bytes read, `stop` ends long reads early.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        table: Arc<Table<S>>,
        budget: Arc<Budget>,
        feed: Arc<Feed>,
        gates: Arc<DeviceLocks>,
        reserve: Arc<Reserve>,
        retries: u32,
        backend: Backend,
        clock: Instant,
        read_bytes: Arc<AtomicU64>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let (together, in_hand) = (Together::new(backend), Arc::default());
        Reader {
            table,
            budget,
            feed,
            gates,
            reserve,
            retries,
            clock,
            pack: None,
            together,
            current: None,
            lanes: Vec::new(),
            arena: Vec::new(),
            apart: false,
            in_hand,
            read_bytes,
            stop,
        }
    }

    /// The state of this reader that others may know.
    pub fn in_hand(&self) -> Arc<InHand> {
        self.in_hand.clone()
    }

    /// Its number among the readers of a run.
    pub fn number(&self) -> u64 {
        Arc::as_ptr(&self.in_hand) as usize as u64
    }

    /// Puts what it has read into the table, before it waits for its turn. Whether there was
    /// something.
    pub fn pause(&mut self) -> bool {
        let any = self.publish();
        self.pack = None;
        any
    }

    /// Whether the reader is in the middle of an entry.
    pub fn has_current(&self) -> bool {
        self.current.is_some()
    }

    /// Whether something is left for this reader to fill the table with, now or later.
    pub fn has_work(&self) -> bool {
        self.current.is_some() || self.agenda().is_left()
    }

    pub(crate) fn agenda(&self) -> Agenda<'_, S> {
        Agenda { table: &self.table, feed: &self.feed, in_hand: &self.in_hand }
    }

    /// Puts down the entry that it is in the middle of, for others to take up; not a pipe, nor an
    /// entry that several threads share, nor one that only one reader may read. Whether there was
    /// one.
    pub fn put_down(&mut self) -> bool {
        let Some(current) = self.current.take_if(|c| c.whom == For::All && !c.reading.may_wait()) else { return false };
        let mut in_hand = self.in_hand.lock();
        if !self.in_hand.is_lost() {
            in_hand.entries.pop();
            self.table.park(current.entry, current.reading, None, For::All);
        }
        true
    }

    /// Reads until something is in the table.
    pub fn step(&mut self) -> Step {
        loop {
            if self.in_hand.is_lost() {
                self.drop_all();
                return Step::Exhausted;
            }
            if let Some(current) = self.current.take() {
                return match self.advance(current) {
                    Some(step) => step,
                    None => continue,
                };
            }
            if self.pack.is_none() {
                match self.budget.try_take() {
                    Some(slab) => self.pack = Some(Pack { slab, used: 0, pieces: Vec::new() }),
                    None => return Step::Full,
                }
            }
            let most = self.together.width(self.reserve.is_wide());
            let step = match self.agenda().next(false, most) {
                Next::Begun(begun) => {
                    let ResumedMessage { entry, reading, whom, .. } = *begun;
                    self.current = Some(Current { entry, reading, flowing: true, whom });
                    self.publish().then_some(Step::Filled)
                }
                Next::Entry(entry) => self.open(entry),
                Next::Together(entries) => self.read_together(entries),
                Next::Passed => None,
                Next::Later => return if self.publish() { Step::Filled } else { Step::Full },
                Next::End => {
                    let filled = self.publish();
                    self.pack = None;
                    return if filled { Step::Filled } else { Step::Exhausted };
                }
            };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// A reader that was declared lost has nothing any more.
    pub(crate) fn drop_all(&mut self) {
        self.pack = None;
        self.current = None;
        self.lanes.clear();
        self.arena.clear();
    }

    /// Announces a system call to the watching thread.
    pub(crate) fn enter(&self) {
        self.in_hand.enter(1 + self.clock.elapsed().as_millis() as u64);
    }

    pub(crate) fn timed<T>(&self, call: impl FnOnce() -> T) -> T {
        self.enter();
        let result = call();
        self.in_hand.leave();
        result
    }

    fn open(&mut self, entry: Arc<Entry>) -> Option<Step> {
        let opened = self.timed(|| entry.open());
        let mut reading = match opened {
            Ok(reading) => reading,
            Err(problem) => {
                if self.in_hand.drop_last() {
                    self.table.pass(Item::Problem { number: entry.number, name: entry.name(), problem });
                }
                return None;
            }
        };
        reading.set_retries(self.retries);
        let pack = self.pack.as_mut()?;
        let room = pack.slab.bytes().len() - pack.used;
        let small = reading.size_hint() < (self.budget.slab() / 2) as u64;
        if !small || reading.size_hint() >= room as u64 {
            // Keep it open, publish the pieces so far, resume a slab of its own or a fresh pack.
            self.current = Some(Current { entry, reading, flowing: false, whom: For::All });
            return if self.publish() { Some(Step::Filled) } else { None };
        }
        self.read_small(entry, reading)
    }

    /// Reads a small file into the pack; one that turns out to be larger goes on as a flow.
    fn read_small(&mut self, entry: Arc<Entry>, mut reading: Reading) -> Option<Step> {
        let mut pack = self.pack.take()?;
        let start = pack.used;
        let room = &mut pack.slab.bytes_mut()[start..];
        let loan = self.lent(&mut reading, room.len());
        let (end, filled) = self.timed_fill(&mut reading, room, loan.length());
        let loan = loan.settle(filled, room);
        let (length, loan) = match &end {
            Some(Err(_)) => (0, None),
            _ => (filled, loan),
        };
        match end {
            None => {
                // Larger than it said: the bytes so far become the first chunk of a flow.
                let slab = Arc::new(pack.slab);
                self.push_wholes(slab.clone(), pack.pieces);
                self.push_flow(&entry, 0, Bytes::new(slab, start..start + filled).lent(loan), None);
                self.current = Some(Current { entry, reading, flowing: true, whom: For::All });
                Some(Step::Filled)
            }
            Some(end) => {
                let end = end.and_then(|()| self.timed(|| reading.close()));
                self.reserve.add(1, length as u64);
                pack.take_in(entry, start, length, end, loan);
                let full = pack.is_full();
                self.pack = Some(pack);
                if full {
                    self.publish();
                    return Some(Step::Filled);
                }
                None
            }
        }
    }

    /// One slab of a large file. `None`: the loop in `step` goes on.
    fn advance(&mut self, mut current: Current) -> Option<Step> {
        if !current.flowing && current.reading.size_hint() < (self.budget.slab() / 2) as u64 {
            if self.pack.is_none() {
                match self.budget.try_take() {
                    Some(slab) => self.pack = Some(Pack { slab, used: 0, pieces: Vec::new() }),
                    None => {
                        self.current = Some(current);
                        return Some(Step::Full);
                    }
                }
            }
            return self.read_small(current.entry, current.reading);
        }
        let slab = self.pack.take().map(|pack| pack.slab).or_else(|| self.budget.try_take());
        let Some(mut slab) = slab else {
            self.current = Some(current);
            return Some(Step::Full);
        };
        let offset = current.reading.offset();
        let loan = self.lent(&mut current.reading, slab.bytes().len());
        let (end, filled) = match loan.is_enough(&current.reading) {
            true => (None, loan.length()),
            false => self.timed_fill(&mut current.reading, slab.bytes_mut(), loan.length()),
        };
        let Current { entry, reading, flowing, whom } = current;
        let loan = loan.settle(filled, slab.bytes_mut());
        let bytes = Bytes::new(Arc::new(slab), 0..filled).lent(loan);
        self.reserve.add(u64::from(end.is_some()), filled as u64);
        match end {
            None => {
                self.push_flow(&entry, offset, bytes, None);
                self.current = Some(Current { entry, reading, flowing: true, whom });
            }
            Some(end) => {
                let end = end.and_then(|()| self.timed(|| reading.close()));
                if flowing {
                    self.push_flow(&entry, offset, bytes, Some(end));
                } else if self.in_hand.drop_last() {
                    self.table.push_wholes(std::iter::once(Chunk { entry, offset, bytes, end: Some(end) }));
                }
            }
        }
        Some(Step::Filled)
    }

    /// Bytes of an entry that need no copy.
    fn lent(&self, reading: &mut Reading, most: usize) -> Lent {
        let loan = self.timed(|| Lent::of(reading, most));
        self.read_bytes.fetch_add(loan.length() as u64, Ordering::Relaxed);
        loan
    }

    /// Fills `room`, which holds `filled` bytes already, as far as it goes. `Some(Ok)`: the file
    /// ended; `None`: the room did.
    pub(crate) fn timed_fill(
        &self,
        reading: &mut Reading,
        room: &mut [u8],
        mut filled: usize,
    ) -> (Option<Result<(), Problem>>, usize) {
        let gate = reading.device().and_then(|device| self.gates.of(device));
        let _held = gate.as_ref().map(|gate| gate.lock().unwrap_or_else(PoisonError::into_inner));
        loop {
            if filled == room.len() {
                return (None, filled);
            }
            if self.stop.load(Ordering::Relaxed) {
                let problem = Problem::new(Stage::Read, Cause::Os(4)).at(reading.offset());
                return (Some(Err(problem)), filled);
            }
            let room = &mut room[filled..];
            match if reading.may_wait() { reading.read(room) } else { self.timed(|| reading.read(room)) } {
                Ok(0) => return (Some(Ok(())), filled),
                Ok(n) => {
                    filled += n;
                    self.read_bytes.fetch_add(n as u64, Ordering::Relaxed);
                }
                Err(problem) => return (Some(Err(problem)), filled),
            }
        }
    }

    /// The entry stays in hand until its last chunk: the thread that declares this reader lost must
    /// find it.
    fn push_flow(&self, entry: &Arc<Entry>, offset: u64, bytes: Bytes, end: Option<End>) {
        let mut in_hand = self.in_hand.lock();
        if self.in_hand.is_lost() {
            return;
        }
        if end.is_some() {
            in_hand.entries.pop();
        }
        self.table.push_part(Chunk { entry: entry.clone(), offset, bytes, end });
    }

    fn push_wholes(&self, slab: Arc<Slab>, pieces: Vec<(Arc<Entry>, Piece, End)>) {
        let mut in_hand = self.in_hand.lock();
        if self.in_hand.is_lost() || pieces.is_empty() {
            return;
        }
        in_hand.entries.drain(..pieces.len());
        drop(in_hand);
        self.table.push_wholes(pieces.into_iter().map(|(entry, Piece { range, loan }, end)| {
            let bytes = if range.is_empty() { Bytes::empty() } else { Bytes::new(slab.clone(), range).lent(loan) };
            Chunk { entry, offset: 0, bytes, end: Some(end) }
        }));
    }

    /// Puts the pack into the table; `false` when there is nothing in it.
    pub(crate) fn publish(&mut self) -> bool {
        match self.pack.take() {
            Some(pack) if !pack.pieces.is_empty() => {
                self.push_wholes(Arc::new(pack.slab), pack.pieces);
                true
            }
            other => {
                self.pack = other;
                false
            }
        }
    }
}
