//! A reader (the paper's prefetcher): pulls entries, opens them, fills slabs, puts chunks into the table.
//!
//! It advances in steps, so that a thread can change role between two of them. It never waits with something
//! unpublished in its hands: that rule, and one slab per reader, is why the smallest budget cannot deadlock.

use crate::budget::{Budget, Slab};
use crate::chunk::{Bytes, Chunk, End};
use crate::device::Gates;
use crate::feed::{Feed, Pulled};
use crate::table::Table;
use pfh_source::{Cause, Entry, Item, Problem, Reading, Stage};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Something was put into the table.
    Filled,
    /// The budget is spent (or records lag too far behind): come back later.
    Full,
    /// The source has ended and this reader has nothing in hand.
    Exhausted,
}

/// What the outside may know of a reader while it is inside a system call.
#[derive(Default)]
pub struct InHand {
    /// Entries read or being read, and not yet in the table; the last one is being read.
    entries: Mutex<Vec<Arc<Entry>>>,
    /// Milliseconds (of the run's clock) at which the system call at hand began; 0 outside of one.
    since: AtomicU64,
    lost: AtomicBool,
    dead: AtomicBool,
}

impl InHand {
    /// When the read at hand began, in milliseconds of the run's clock.
    pub fn since(&self) -> Option<u64> {
        Some(self.since.load(Ordering::SeqCst)).filter(|&ms| ms > 0)
    }

    /// Declares the reader lost: what it has in hand is taken from it, the entry being read last. Whatever it brings
    /// when it comes back is dropped.
    pub fn lose(&self) -> Vec<Arc<Entry>> {
        let mut entries = self.lock();
        self.lost.store(true, Ordering::SeqCst);
        std::mem::take(&mut *entries)
    }

    /// Says that the reader's thread has ended out of turn.
    pub fn die(&self) {
        self.dead.store(true, Ordering::SeqCst);
    }

    /// Whether the reader's thread has ended out of turn.
    pub fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Whether the reader was declared lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Small files of one slab, being filled.
struct Pack {
    slab: Slab,
    used: usize,
    pieces: Vec<(Arc<Entry>, Range<usize>, End)>,
}

/// An open file that did not fit.
struct Current {
    entry: Arc<Entry>,
    reading: Reading,
    /// Whether chunks of it are in the table already.
    flowing: bool,
}

/// One reader. `S` is the table's state type.
pub struct Reader<S> {
    table: Arc<Table<S>>,
    budget: Arc<Budget>,
    feed: Arc<Feed>,
    gates: Arc<Gates>,
    retries: u32,
    clock: Instant,
    pack: Option<Pack>,
    current: Option<Current>,
    in_hand: Arc<InHand>,
    read_bytes: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

/// Messages start at multiples of this in a pack: 64 bytes is a cache line, and staggered starts keep lanes out of one
/// another's cache sets.
const ALIGN: usize = 64;

impl<S> Reader<S> {
    /// A reader. `clock` is the start of the run, `read_bytes` a counter of bytes read, `stop` ends long reads early.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        table: Arc<Table<S>>,
        budget: Arc<Budget>,
        feed: Arc<Feed>,
        gates: Arc<Gates>,
        retries: u32,
        clock: Instant,
        read_bytes: Arc<AtomicU64>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let in_hand = Arc::default();
        Reader { table, budget, feed, gates, retries, clock, pack: None, current: None, in_hand, read_bytes, stop }
    }

    /// What the outside may know of this reader.
    pub fn in_hand(&self) -> Arc<InHand> {
        self.in_hand.clone()
    }

    /// Whether the reader has something to go on with that only it can read.
    pub fn has_current(&self) -> bool {
        self.current.is_some()
    }

    /// Reads until something is in the table.
    pub fn step(&mut self) -> Step {
        loop {
            if self.in_hand.is_lost() {
                self.pack = None;
                self.current = None;
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
            if self.feed.is_ahead() {
                return if self.publish() { Step::Filled } else { Step::Full };
            }
            match self.feed.pull() {
                None => {
                    let filled = self.publish();
                    self.pack = None;
                    return if filled { Step::Filled } else { Step::Exhausted };
                }
                Some(Pulled::Other(item)) => self.table.pass(item),
                Some(Pulled::Entry(entry)) => {
                    if let Some(step) = self.open(entry) {
                        return step;
                    }
                }
            }
        }
    }

    fn timed<T>(&self, call: impl FnOnce() -> T) -> T {
        self.in_hand.since.store(1 + self.clock.elapsed().as_millis() as u64, Ordering::SeqCst);
        let result = call();
        self.in_hand.since.store(0, Ordering::SeqCst);
        result
    }

    fn open(&mut self, entry: Arc<Entry>) -> Option<Step> {
        self.in_hand.lock().push(entry.clone());
        let opened = self.timed(|| entry.open());
        let mut reading = match opened {
            Ok(reading) => reading,
            Err(problem) => {
                if self.drop_last() {
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
            // Keep it open, publish what there is, go on with a slab of its own or a fresh pack.
            self.current = Some(Current { entry, reading, flowing: false });
            return if self.publish() { Some(Step::Filled) } else { None };
        }
        self.read_small(entry, reading)
    }

    /// Takes the entry being read out of the reader's hands; `false` when it was taken already.
    fn drop_last(&self) -> bool {
        self.in_hand.lock().pop().is_some()
    }

    /// Reads a small file into the pack; one that turns out to be larger goes on as a flow.
    fn read_small(&mut self, entry: Arc<Entry>, mut reading: Reading) -> Option<Step> {
        let mut pack = self.pack.take()?;
        let start = pack.used;
        let (end, filled) = self.timed_fill(&mut reading, &mut pack.slab.bytes_mut()[start..]);
        let length = match &end {
            Some(Err(_)) => 0,
            _ => filled,
        };
        match end {
            None => {
                // Larger than it said: what is there becomes the first chunk of a flow.
                let slab = Arc::new(pack.slab);
                self.push_wholes(slab.clone(), pack.pieces);
                self.push_flow(&entry, 0, Bytes::new(slab, start..start + filled), None);
                self.current = Some(Current { entry, reading, flowing: true });
                Some(Step::Filled)
            }
            Some(end) => {
                let end = end.and_then(|()| self.timed(|| reading.close()));
                pack.pieces.push((entry, start..start + length, end));
                pack.used = (start + length).next_multiple_of(ALIGN).min(pack.slab.bytes().len());
                let full = pack.slab.bytes().len() - pack.used < 4096 || pack.pieces.len() >= 512;
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
        let (end, filled) = self.timed_fill(&mut current.reading, slab.bytes_mut());
        let Current { entry, reading, flowing } = current;
        let bytes = Bytes::new(Arc::new(slab), 0..filled);
        match end {
            None => {
                self.push_flow(&entry, offset, bytes, None);
                self.current = Some(Current { entry, reading, flowing: true });
            }
            Some(end) => {
                let end = end.and_then(|()| self.timed(|| reading.close()));
                if flowing {
                    self.push_flow(&entry, offset, bytes, Some(end));
                } else if self.drop_last() {
                    self.table.push_wholes(std::iter::once(Chunk { entry, offset, bytes, end: Some(end) }));
                }
            }
        }
        Some(Step::Filled)
    }

    /// Fills `room` as far as it goes. `Some(Ok)`: the file ended; `None`: the room did.
    fn timed_fill(&self, reading: &mut Reading, room: &mut [u8]) -> (Option<Result<(), Problem>>, usize) {
        let gate = reading.device().and_then(|device| self.gates.of(device));
        let _held = gate.as_ref().map(|gate| gate.lock().unwrap_or_else(PoisonError::into_inner));
        let mut filled = 0;
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

    /// The entry stays in hand until its last chunk: whoever declares this reader lost must find it.
    fn push_flow(&self, entry: &Arc<Entry>, offset: u64, bytes: Bytes, end: Option<End>) {
        let mut in_hand = self.in_hand.lock();
        if self.in_hand.is_lost() {
            return;
        }
        if end.is_some() {
            in_hand.pop();
        }
        self.table.push_part(Chunk { entry: entry.clone(), offset, bytes, end });
    }

    fn push_wholes(&self, slab: Arc<Slab>, pieces: Vec<(Arc<Entry>, Range<usize>, End)>) {
        let mut in_hand = self.in_hand.lock();
        if self.in_hand.is_lost() || pieces.is_empty() {
            return;
        }
        in_hand.drain(..pieces.len());
        drop(in_hand);
        self.table.push_wholes(pieces.into_iter().map(|(entry, range, end)| {
            let bytes = if range.is_empty() { Bytes::empty() } else { Bytes::new(slab.clone(), range) };
            Chunk { entry, offset: 0, bytes, end: Some(end) }
        }));
    }

    /// Puts the pack into the table; `false` when there is nothing in it.
    fn publish(&mut self) -> bool {
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
