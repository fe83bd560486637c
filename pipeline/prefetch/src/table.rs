//! The RAM table: messages that have been read and not yet been worked on.

use crate::chunk::Chunk;
use crate::event_count::EventCount;
use crate::host::{Mutex, MutexGuard};
use pfh_source::{Entry, Item, Reading};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError};

/// One piece of work.
pub enum Job<S> {
    /// Nothing to hash: the item's own words are its record.
    Item(Item),
    /// A whole message in one chunk (or the problem that it ended in).
    Whole(Chunk),
    /// The next chunks of a longer message, with the state that they go into. Give the state back
    /// with [`Table::give_back`].
    Part {
        /// Which of the plan's units the state belongs to.
        unit: usize,
        /// The state; nobody else has it meanwhile, so chunks reach it in offset order.
        state: S,
        /// The chunks: one, or for a [`Depth::All`] unit all that wait.
        chunks: Vec<Chunk>,
    },
}

/// How many chunks of a message a unit takes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The next one: other messages' chunks fill the lanes beside it.
    One,
    /// All that wait, within [`Take::bytes`]: the unit can share one message out among threads.
    All,
}

/// How much to take at once.
#[derive(Debug, Clone, Copy)]
pub struct Take {
    /// At most that many jobs.
    pub jobs: usize,
    /// No further job once that many bytes are taken.
    pub bytes: usize,
    /// Leave units of one message to other workers: they are idle.
    pub share: bool,
}

/// A message that was begun and that nobody reads at the moment: see [`Table::park`].
struct ParkedMessage {
    entry: Arc<Entry>,
    reading: Reading,
    whom: For,
}

/// Who may take up a message that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// The first thread to come: also one that reads it into its own lanes.
    All,
    /// Only a reader that fills the table: several threads are to share it.
    Table,
}

/// A message that was taken up again.
pub struct ResumedMessage<S> {
    /// Which.
    pub entry: Arc<Entry>,
    /// Where its reading stands.
    pub reading: Reading,
    /// One state for each unit; each has had the bytes that were read so far; none if the table
    /// keeps them.
    pub states: Option<Vec<S>>,
    /// As it was parked.
    pub whom: For,
}

/// A message that streams through: chunks in order, and where each unit stands.
struct Flow<S> {
    chunks: VecDeque<Chunk>,
    /// Sequence number of `chunks[0]`.
    first: u64,
    units: Vec<Unit<S>>,
    queued: bool,
    parked: Option<ParkedMessage>,
}

struct Unit<S> {
    next: u64,
    /// `None` while a worker has it, and for ever once it is finished.
    state: Option<S>,
    finished: bool,
}

impl<S> Flow<S> {
    fn new(states: Vec<S>) -> Self {
        let unit = |state| Unit { next: 0, state: Some(state), finished: false };
        let units = states.into_iter().map(unit).collect();
        Flow { chunks: VecDeque::new(), first: 0, units, queued: false, parked: None }
    }

    fn has_work(&self) -> bool {
        let end = self.first + self.chunks.len() as u64;
        self.units.iter().any(|u| u.state.is_some() && u.next < end)
    }

    /// Whether every unit has had all that was read so far, and none is at work.
    fn is_at_rest(&self) -> bool {
        self.chunks.is_empty() && self.units.iter().all(|u| u.state.is_some())
    }

    fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len()).sum()
    }
}

struct Inner<S> {
    items: VecDeque<Item>,
    wholes: VecDeque<Chunk>,
    whole_bytes: usize,
    flows: HashMap<u64, Flow<S>>,
    /// Bytes of the flows' chunks.
    flow_bytes: usize,
    queue: VecDeque<u64>,
    /// Messages that nobody reads at the moment, the longest waiting first.
    parked: VecDeque<u64>,
}

impl<S> Inner<S> {
    fn may_take_up(&self, number: u64, lanes: bool) -> bool {
        let flow = self.flows.get(&number);
        flow.is_some_and(|f| {
            !lanes || f.is_at_rest() && f.parked.as_ref().is_some_and(|parked| parked.whom == For::All)
        })
    }
}

/// The table. `S` is the state that a worker keeps of a message between two chunks, one per unit.
pub struct Table<S> {
    inner: Mutex<Inner<S>>,
    /// One for each unit.
    depths: Vec<Depth>,
    make: Box<dyn Fn(usize) -> S + Send + Sync>,
    events: Arc<EventCount>,
}

impl<S> Table<S> {
    /// A table whose messages have a state for each of `depths`, made by `make(unit)`.
    pub fn new(depths: Vec<Depth>, events: Arc<EventCount>, make: impl Fn(usize) -> S + Send + Sync + 'static) -> Self {
        let inner = Inner {
            items: VecDeque::new(),
            wholes: VecDeque::new(),
            whole_bytes: 0,
            flows: HashMap::new(),
            flow_bytes: 0,
            queue: VecDeque::new(),
            parked: VecDeque::new(),
        };
        Table { inner: Mutex::new(inner), depths, make: Box::new(make), events }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of waiting jobs (whole messages, and messages with a chunk that a unit can
    /// take), and of bytes of waiting whole messages.
    pub fn waiting(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.items.len() + inner.wholes.len() + inner.queue.len(), inner.whole_bytes)
    }

    /// Bytes of longer messages that are in the table, or in work and not passed by every unit; 0
    /// where whole messages or items wait besides.
    pub fn only_flowing(&self) -> usize {
        let inner = self.lock();
        if inner.items.is_empty() && inner.wholes.is_empty() { inner.flow_bytes } else { 0 }
    }

    /// Whether every unit takes all waiting chunks of a message at once.
    pub fn divides(&self) -> bool {
        self.depths.iter().all(|depth| *depth == Depth::All)
    }

    /// Puts in an item that has nothing to be read.
    pub fn pass(&self, item: Item) {
        self.lock().items.push_back(item);
        self.events.notify();
    }

    /// Puts in whole messages.
    pub fn push_wholes(&self, chunks: impl Iterator<Item = Chunk>) {
        let mut inner = self.lock();
        for chunk in chunks {
            inner.whole_bytes += chunk.bytes.len();
            inner.wholes.push_back(chunk);
        }
        drop(inner);
        self.events.notify();
    }

    /// Puts in the next chunk of a longer message. The first one opens the flow; a later one whose
    /// flow was given up is dropped, lest a digest begin in the middle.
    pub fn push_part(&self, chunk: Chunk) {
        let number = chunk.entry.number;
        let mut guard = self.lock();
        let inner = &mut *guard;
        if chunk.offset > 0 && !inner.flows.contains_key(&number) {
            return;
        }
        let flow = inner.flows.entry(number).or_insert_with(|| Flow::new(self.states()));
        inner.flow_bytes += chunk.bytes.len();
        flow.chunks.push_back(chunk);
        if !flow.queued && flow.has_work() {
            flow.queued = true;
            inner.queue.push_back(number);
        }
        drop(guard);
        self.events.notify();
    }

    /// Takes work: first items that cost nothing, then chunks of every long message (those decide
    /// when the run ends), then whole messages.
    pub fn take(&self, take: Take) -> Vec<Job<S>> {
        let mut guard = self.lock();
        let inner = &mut *guard;
        let mut jobs: Vec<Job<S>> = inner.items.drain(..).map(Job::Item).collect();
        let mut bytes = 0;
        for _ in 0..inner.queue.len() {
            if jobs.len() >= take.jobs || bytes >= take.bytes {
                break;
            }
            let Some(number) = inner.queue.pop_front() else { break };
            let Some(flow) = inner.flows.get_mut(&number) else { continue };
            let end = flow.first + flow.chunks.len() as u64;
            for (unit, slot) in flow.units.iter_mut().enumerate() {
                if slot.next >= end {
                    continue;
                }
                let Some(state) = slot.state.take() else { continue };
                let mut chunks = Vec::new();
                for chunk in flow.chunks.range((slot.next - flow.first) as usize..) {
                    bytes += chunk.bytes.len();
                    chunks.push(chunk.clone());
                    if self.depths[unit] == Depth::One || bytes >= take.bytes {
                        break;
                    }
                }
                jobs.push(Job::Part { unit, state, chunks });
                if take.share {
                    break;
                }
            }
            flow.queued = flow.has_work();
            if flow.queued {
                inner.queue.push_back(number);
            }
        }
        while jobs.len() < take.jobs && bytes < take.bytes {
            let Some(chunk) = inner.wholes.pop_front() else { break };
            bytes += chunk.bytes.len();
            inner.whole_bytes -= chunk.bytes.len();
            jobs.push(Job::Whole(chunk));
        }
        jobs
    }

    /// Returns a state with the number of chunks that have been worked in. `None` says that the
    /// unit is finished (its last chunk, or a problem).
    pub fn give_back(&self, entry: &Entry, unit: usize, chunks: usize, state: Option<S>) {
        let mut guard = self.lock();
        let inner = &mut *guard;
        let Some(flow) = inner.flows.get_mut(&entry.number) else { return };
        let slot = &mut flow.units[unit];
        slot.next += chunks as u64;
        slot.finished = state.is_none();
        slot.state = state;
        // Chunks that every unit has passed are dropped here, and their memory returns to the
        // budget.
        let least = flow.units.iter().map(|u| if u.finished { u64::MAX } else { u.next }).min().unwrap_or(u64::MAX);
        let mut passed = Vec::new();
        while flow.first < least {
            let Some(chunk) = flow.chunks.pop_front() else { break };
            flow.first += 1;
            inner.flow_bytes -= chunk.bytes.len();
            passed.push(chunk);
        }
        if flow.units.iter().all(|u| u.finished) {
            let gone = inner.flows.remove(&entry.number);
            inner.flow_bytes -= gone.map_or(0, |flow| flow.bytes());
        } else if !flow.queued && flow.has_work() {
            flow.queued = true;
            inner.queue.push_back(entry.number);
        }
        drop(guard);
        drop(passed);
        self.events.notify();
    }

    /// States for a message that begins, one for each unit.
    pub fn states(&self) -> Vec<S> {
        (0..self.depths.len()).map(|unit| (self.make)(unit)).collect()
    }

    /// Puts down a message in the middle of its reading, for any other reader to take up. `states`
    /// have had the bytes that were read so far; without them the table has them, or nothing was
    /// read. A message that was given up is dropped. The caller notifies the event count, if others
    /// are to take it up.
    pub fn park(&self, entry: Arc<Entry>, reading: Reading, states: Option<Vec<S>>, whom: For) {
        let number = entry.number;
        let mut guard = self.lock();
        let inner = &mut *guard;
        let known = inner.flows.contains_key(&number);
        if !known && states.is_none() && reading.offset() > 0 {
            return;
        }
        let flow = inner.flows.entry(number).or_insert_with(|| Flow::new(states.unwrap_or_else(|| self.states())));
        flow.parked = Some(ParkedMessage { entry, reading, whom });
        inner.parked.push_back(number);
    }

    /// Takes up a message that was put down; for `lanes` with its states, and only where the table
    /// has none of its bytes left.
    pub fn take_up(&self, lanes: bool) -> Option<ResumedMessage<S>> {
        let mut guard = self.lock();
        let inner = &mut *guard;
        let at = inner.parked.iter().position(|number| inner.may_take_up(*number, lanes))?;
        let number = inner.parked.remove(at)?;
        let ParkedMessage { entry, reading, whom } = inner.flows.get_mut(&number)?.parked.take()?;
        let flow = if lanes { inner.flows.remove(&number) } else { None };
        let states = flow.map(|flow| flow.units.into_iter().filter_map(|unit| unit.state).collect());
        Some(ResumedMessage { entry, reading, states, whom })
    }

    /// Whether there is a message that [`take_up`](Table::take_up) would return.
    pub fn has_parked(&self, lanes: bool) -> bool {
        let inner = self.lock();
        inner.parked.iter().any(|number| inner.may_take_up(*number, lanes))
    }

    /// Gives up a long message whose reader was lost.
    pub fn abandon(&self, number: u64) {
        let mut guard = self.lock();
        let inner = &mut *guard;
        let gone = inner.flows.remove(&number);
        inner.flow_bytes -= gone.as_ref().map_or(0, Flow::bytes);
        inner.queue.retain(|n| *n != number);
        inner.parked.retain(|n| *n != number);
        drop(guard);
        drop(gone);
        self.events.notify();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Bytes};
    use pfh_source::{Origin, Skip};

    fn entry(number: u64) -> Arc<Entry> {
        Arc::new(Entry { number, origin: Origin::Stream(pfh_source::Stream::standard()), stat: None })
    }

    fn item(number: u64) -> Item {
        Item::Skipped { number, name: Vec::new(), skip: Skip::Fifo }
    }

    #[test]
    fn what_flows_is_counted_until_every_unit_has_passed_it() {
        let events = Arc::new(EventCount::default());
        let budget = Budget::new(1 << 20, 1, events.clone());
        let table = Table::new(vec![Depth::All, Depth::One], events, |unit| unit);
        let entries = [entry(0), entry(1)];
        let push = |at: usize, offset: u64, length: usize| {
            let bytes = Bytes::new(Arc::new(budget.try_take().unwrap()), 0..length);
            table.push_part(Chunk { entry: entries[at].clone(), offset, bytes, end: None });
        };
        push(0, 0, 1000);
        push(0, 1000, 500);
        push(1, 0, 70);
        assert_eq!((table.only_flowing(), table.divides()), (1570, false));
        let all = Take { jobs: 100, bytes: 1 << 20, share: false };
        let mut jobs = table.take(all);
        // In work it is still there: both units of both messages, the first with all that waits.
        assert_eq!((jobs.len(), table.only_flowing()), (4, 1570));
        jobs.sort_by_key(|job| matches!(job, Job::Part { unit: 1, .. }));
        for (done, job) in jobs.into_iter().enumerate() {
            let Job::Part { unit, state, chunks } = job else { panic!("only parts were put in") };
            let (entry, count) = (chunks[0].entry.clone(), chunks.len());
            drop(chunks);
            table.give_back(&entry, unit, count, Some(state));
            // The slower unit, which takes one at a time, decides: 1,000 of one message and 70 of
            // the other.
            assert!(done >= 2 || table.only_flowing() == 1570);
        }
        assert_eq!(table.only_flowing(), 500);
        assert_eq!(budget.out(), 1);
        // Beside something else that waits, more may come to fill the lanes.
        table.pass(item(2));
        assert_eq!(table.only_flowing(), 0);
        assert_eq!(table.take(Take { jobs: 1, ..all }).len(), 1);
        assert_eq!(table.only_flowing(), 500);
        table.abandon(0);
        table.abandon(1);
        assert_eq!((table.only_flowing(), budget.out()), (0, 0));
        // Pieces behind a message that was given up are dropped.
        push(0, 1500, 40);
        assert_eq!((table.only_flowing(), budget.out()), (0, 0));
    }

    #[test]
    fn what_is_put_down_is_taken_up_once_and_with_its_states() {
        let events = Arc::new(EventCount::default());
        let budget = Budget::new(1 << 20, 1, events.clone());
        let table = Table::new(vec![Depth::One, Depth::One], events, |unit| unit);
        let reading = || entry(0).open().unwrap();
        // As lanes leave it: with states, and nothing in the table.
        table.park(entry(3), reading(), Some(vec![30, 31]), For::All);
        table.park(entry(4), reading(), Some(vec![40, 41]), For::Table);
        assert!(table.has_parked(true) && table.has_parked(false));
        let begun = table.take_up(true).unwrap();
        assert_eq!((begun.entry.number, begun.states), (3, Some(vec![30, 31])));
        assert!(table.take_up(true).is_none() && !table.has_parked(true), "the other is to be shared");
        let begun = table.take_up(false).unwrap();
        assert_eq!((begun.entry.number, begun.states, begun.whom), (4, None, For::Table));
        // As a reader of the table leaves it: a lane may have it when every unit has had the bytes
        // that were read.
        let push = |offset| {
            let bytes = Bytes::new(Arc::new(budget.try_take().unwrap()), 0..100);
            table.push_part(Chunk { entry: entry(5), offset, bytes, end: None });
        };
        push(0);
        table.park(entry(5), reading(), None, For::All);
        let jobs = table.take(Take { jobs: 100, bytes: 1 << 20, share: false });
        assert!(!table.has_parked(true) && table.take_up(true).is_none(), "units are at work");
        for job in jobs {
            let Job::Part { unit, state, chunks } = job else { panic!("only parts were put in") };
            assert!(table.take_up(true).is_none());
            let count = chunks.len();
            drop(chunks);
            table.give_back(&entry(5), unit, count, Some(state + 50));
        }
        let begun = table.take_up(true).unwrap();
        assert_eq!((begun.entry.number, begun.states), (5, Some(vec![50, 51])));
        assert!(!table.has_parked(false) && budget.out() == 0);
        // A message that was given up is not to be taken up.
        table.park(entry(6), reading(), Some(vec![60, 61]), For::All);
        table.abandon(6);
        assert!(table.take_up(false).is_none());
    }
}
