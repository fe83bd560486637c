//! A worker's computation over a batch: every algorithm over all its messages at once.

use crate::permits::{Permit, Permits};
use crate::pieces::{Allowance, Pieces, of_messages};
use crate::plan::Plan;
use crate::record::{self, HashedFile, Outcome, Record};
use crate::reorder::{ReorderBuffer, UnitResults};
use pfh_digest::{Alone, Digest, Executor, Hasher, advance_many, few, update_together};
use pfh_prefetch::{Chunk, Depth, EndedMessage, Job, Lap, LapBytes, Table};
use pfh_source::{Entry, Item, ReadResult, fail_point};
use std::sync::{Arc, OnceLock};

/// Bytes of one message that are worth threads of their own: starting one takes some 30 µs, hashing
/// these some 1,300.
const WORTH_SHARING: u64 = 4 << 20;

/// The state of a unit for a long message between two chunks.
pub(crate) struct State {
    pub(crate) hashers: Vec<Hasher>,
    pieces: Option<Pieces>,
}

impl State {
    /// How many chunks it wants at once: all, if it has work for other threads too.
    pub(crate) fn depth(&self) -> Depth {
        if self.pieces.is_none() && self.hashers.iter().all(Hasher::divides) { Depth::All } else { Depth::One }
    }
}

/// One long message's chunks on the table of a worker.
struct Part {
    unit: usize,
    state: State,
    chunks: Vec<Chunk>,
}

impl Part {
    /// Its only chunk, if it takes one at a time.
    fn piece(&mut self) -> StateBytes<'_> {
        StateBytes { unit: self.unit, state: &mut self.state, bytes: &self.chunks[0].bytes }
    }

    fn length(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.bytes.len() as u64).sum()
    }
}

/// Bytes that go into one state.
struct StateBytes<'a> {
    unit: usize,
    state: &'a mut State,
    bytes: &'a [u8],
}

/// The result of a lap: to be entered if the reader was not declared lost meanwhile.
#[derive(Default)]
pub(crate) struct Outcomes {
    records: Vec<Record>,
    /// Messages whose states took in more than one piece, with the results of each unit.
    finished: Vec<(Arc<Entry>, ReadResult, Vec<UnitResults>)>,
}

/// The digests of a whole message.
struct WholeDigests {
    digests: Vec<Digest>,
    pieces: Vec<record::Piece>,
}

impl WholeDigests {
    fn of(self, entry: &Entry, closed: ReadResult) -> Record {
        let WholeDigests { digests, pieces } = self;
        let outcome = Outcome::Hashed(HashedFile { closed, digests, pieces });
        Record { number: entry.number, name: entry.name(), outcome }
    }
}

/// Turns jobs into records.
pub(crate) struct Hashing {
    plan: Arc<Plan>,
    units: Vec<Vec<usize>>,
    /// For each unit, once it has more than one message: up to how many are taken one by one.
    few: Vec<OnceLock<usize>>,
    /// Messages that the kernels take at once, once it was asked for.
    lanes: OnceLock<usize>,
    table: Arc<Table<State>>,
    reorder: Arc<ReorderBuffer>,
    places: Arc<Permits>,
}

/// Makes the state of one unit, whose windows share this allowance.
pub(crate) fn state(plan: &Plan, unit: &[usize], allowance: &Arc<Allowance>) -> State {
    let algorithms: Vec<_> = unit.iter().map(|i| plan.algorithms[*i]).collect();
    State {
        hashers: algorithms.iter().map(|a| a.hasher()).collect(),
        pieces: plan.piecewise.map(|length| Pieces::new(algorithms, length, allowance.clone())),
    }
}

impl Hashing {
    pub(crate) fn new(
        plan: Arc<Plan>,
        units: Vec<Vec<usize>>,
        table: Arc<Table<State>>,
        reorder: Arc<ReorderBuffer>,
        places: Arc<Permits>,
    ) -> Self {
        let few = units.iter().map(|_| OnceLock::new()).collect();
        Hashing { plan, units, few, lanes: OnceLock::new(), table, reorder, places }
    }

    /// Records that were entered so far.
    pub(crate) fn completed(&self) -> u64 {
        self.reorder.completed()
    }

    /// Messages that the widest of the kernels takes at once.
    pub(crate) fn lanes(&self) -> usize {
        let widest = || self.plan.algorithms.iter().map(|algorithm| algorithm.lanes()).max();
        *self.lanes.get_or_init(|| widest().unwrap_or(1))
    }

    /// Works through a batch, in a place among the threads that hash, and returns the number of its
    /// bytes.
    pub(crate) fn process(&self, jobs: Vec<Job<State>>, place: Permit) -> u64 {
        fail_point("hash");
        let (mut records, mut wholes, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for job in jobs {
            match job {
                Job::Item(Item::Skipped { number, name, skip }) => {
                    records.push(Record { number, name, outcome: Outcome::Skipped(skip) });
                }
                Job::Item(Item::Settled { number, name, closed, digests }) => {
                    let hashed = HashedFile { closed, digests, pieces: Vec::new() };
                    records.push(Record { number, name, outcome: Outcome::Hashed(hashed) });
                }
                Job::Item(Item::Problem { number, name, problem }) => {
                    records.push(Record { number, name, outcome: Outcome::Failed(problem) });
                }
                Job::Item(Item::Entry(_)) => {}
                Job::Whole(Chunk { entry, bytes, end, .. }) => match end {
                    Some(Ok(closed)) => wholes.push((entry, bytes, closed)),
                    Some(Err(problem)) => {
                        let (number, name) = (entry.number, entry.name());
                        records.push(Record { number, name, outcome: Outcome::Failed(problem) });
                    }
                    None => {}
                },
                Job::Part { unit, state, chunks } => parts.push(Part { unit, state, chunks }),
            }
        }
        let messages: Vec<&[u8]> = wholes.iter().map(|(_, bytes, _)| &bytes[..]).collect();
        let bytes = messages.iter().map(|m| m.len() as u64).sum::<u64>()
            + parts.iter().filter(|p| p.unit == 0).map(Part::length).sum::<u64>();
        let (divided, mut apart): (Vec<&mut Part>, Vec<&mut Part>) =
            parts.iter_mut().partition(|part| part.state.depth() == Depth::All);
        divided.into_iter().for_each(|part| self.divide(part));
        let mut pieces: Vec<StateBytes<'_>> = apart.iter_mut().map(|part| part.piece()).collect();
        let found = self.hash(&messages, &mut pieces);
        records.extend(wholes.iter().zip(found).map(|((entry, _, closed), hashed)| hashed.of(entry, closed.clone())));
        self.reorder.enter(records);
        drop(messages);
        drop(wholes);
        // Before the states go back: the next thread to take one may want to borrow every other
        // place.
        drop(place);
        self.settle(parts);
        bytes
    }

    /// Hashes the pieces of a lap.
    pub(crate) fn lap(&self, lap: &mut Lap<State>) -> (Outcomes, u64) {
        fail_point("lap");
        let (open, ended) = lap.parts();
        let (mut bytes, mut messages, mut pieces) = (0, Vec::new(), Vec::new());
        // Messages that failed to be read need no hashing.
        let good = ended.into_iter().filter(|moved| moved.is_good);
        for LapBytes { states, bytes: some, .. } in good.chain(open) {
            bytes += some.len() as u64;
            if states.is_empty() {
                messages.push(some);
            } else {
                let unit = |(unit, state)| StateBytes { unit, state, bytes: some };
                pieces.extend(states.iter_mut().enumerate().map(unit));
            }
        }
        let mut found = self.hash(&messages, &mut pieces).into_iter();
        let mut outcomes = Outcomes::default();
        for EndedMessage { entry, end, states, .. } in std::mem::take(&mut lap.ended) {
            match end {
                Err(problem) => {
                    let outcome = Outcome::Failed(problem);
                    outcomes.records.push(Record { number: entry.number, name: entry.name(), outcome });
                }
                Ok(closed) if states.is_empty() => {
                    outcomes.records.extend(found.next().map(|found| found.of(&entry, closed)));
                }
                Ok(closed) => {
                    let units = states.into_iter().enumerate().map(|(unit, state)| self.finish(unit, state));
                    outcomes.finished.push((entry, closed, units.collect()));
                }
            }
        }
        (outcomes, bytes)
    }

    /// Enters the result of a lap.
    pub(crate) fn enter(&self, outcomes: Outcomes) {
        let Outcomes { records, finished } = outcomes;
        if !records.is_empty() {
            self.reorder.enter(records);
        }
        for (entry, closed, units) in finished {
            for unit in units {
                self.reorder.enter_unit(entry.number, || entry.name(), &closed, unit);
            }
        }
    }

    /// Digests of whole messages; advances the pieces' states on the way.
    fn hash(&self, messages: &[&[u8]], pieces: &mut [StateBytes<'_>]) -> Vec<WholeDigests> {
        let mut digests: Vec<Vec<Option<Digest>>> = vec![vec![None; self.plan.algorithms.len()]; messages.len()];
        for (unit, algorithms) in self.units.iter().enumerate() {
            let mut mine: Vec<&mut StateBytes<'_>> = pieces.iter_mut().filter(|piece| piece.unit == unit).collect();
            for StateBytes { state, bytes, .. } in &mut mine {
                if let Some(pieces) = &mut state.pieces {
                    pieces.update(bytes);
                }
            }
            // A tree fills its lanes with each message's own leaves.
            mine.retain_mut(|piece| {
                let divides = piece.state.depth() == Depth::All;
                if divides {
                    piece.state.hashers.iter_mut().for_each(|hasher| hasher.update_on(&[piece.bytes], &Alone));
                }
                !divides
            });
            if self.is_few(unit, mine.len() + messages.len()) {
                for StateBytes { state, bytes, .. } in &mut mine {
                    update_together(&mut state.hashers.iter_mut().collect::<Vec<_>>(), bytes);
                }
                for (at, message) in messages.iter().enumerate() {
                    if let [index] = algorithms[..] {
                        digests[at][index] = Some(self.plan.algorithms[index].digest(message));
                        continue;
                    }
                    let mut hashers: Vec<Hasher> =
                        algorithms.iter().map(|i| self.plan.algorithms[*i].hasher()).collect();
                    update_together(&mut hashers.iter_mut().collect::<Vec<_>>(), message);
                    for (index, hasher) in algorithms.iter().zip(hashers) {
                        digests[at][*index] = Some(hasher.finalize());
                    }
                }
                continue;
            }
            for (place, index) in algorithms.iter().enumerate() {
                let jobs = mine.iter_mut().map(|piece| (&mut piece.state.hashers[place], piece.bytes));
                let found = advance_many(self.plan.algorithms[*index], &mut jobs.collect::<Vec<_>>(), messages);
                for (at, digest) in found.into_iter().enumerate() {
                    digests[at][*index] = Some(digest);
                }
            }
        }
        let digests: Vec<Vec<Digest>> = digests.into_iter().map(|d| d.into_iter().flatten().collect()).collect();
        let windows = |length| of_messages(&self.plan.algorithms, length, messages, &digests);
        let mut windows = self.plan.piecewise.map_or_else(Vec::new, windows).into_iter();
        digests
            .into_iter()
            .map(|digests| WholeDigests { digests, pieces: windows.next().unwrap_or_default() })
            .collect()
    }

    /// Whether that many messages are better taken one by one, each under all algorithms of the
    /// unit, than all together under one after the other.
    fn is_few(&self, unit: usize, messages: usize) -> bool {
        let algorithms = || self.units[unit].iter().map(|index| self.plan.algorithms[*index]).collect::<Vec<_>>();
        messages <= 1 || self.units[unit].len() > 1 && messages <= *self.few[unit].get_or_init(|| few(&algorithms()))
    }

    /// Advances a tree's state by all its chunks, with the threads that are idle now: nothing waits
    /// that they could take.
    fn divide(&self, part: &mut Part) {
        let pieces: Vec<&[u8]> = part.chunks.iter().map(|chunk| &chunk.bytes[..]).collect();
        let idle = (part.length() >= WORTH_SHARING && self.table.waiting().0 == 0).then(|| self.places.take_rest());
        let executor: &dyn Executor = idle.as_ref().and_then(Option::as_ref).map_or(&Alone, |place| place);
        part.state.hashers.iter_mut().for_each(|hasher| hasher.update_on(&pieces, executor));
    }

    /// Ends the state of one unit for a message.
    fn finish(&self, unit: usize, state: State) -> UnitResults {
        let algorithms = &self.units[unit];
        let digests: Vec<Digest> = state.hashers.into_iter().map(Hasher::finalize).collect();
        UnitResults {
            pieces: state.pieces.map(|pieces| pieces.finish(&digests)).unwrap_or_default(),
            digests: algorithms.iter().copied().zip(digests).collect(),
            piece_algorithms: algorithms.clone(),
        }
    }

    /// Returns states, finishes messages whose last chunk this was.
    fn settle(&self, parts: Vec<Part>) {
        for Part { unit, state, chunks } in parts {
            // Only the last chunk of a message has an end.
            let (entry, end, count) =
                (chunks[0].entry.clone(), chunks.last().and_then(|c| c.end.clone()), chunks.len());
            // Their memory is free as soon as no other unit needs them.
            drop(chunks);
            match end {
                None => self.table.give_back(&entry, unit, count, Some(state)),
                Some(Err(problem)) => {
                    self.reorder.enter_problem(entry.number, entry.name(), problem);
                    self.table.give_back(&entry, unit, count, None);
                }
                Some(Ok(closed)) => {
                    let finished = self.finish(unit, state);
                    self.reorder.enter_unit(entry.number, || entry.name(), &closed, finished);
                    self.table.give_back(&entry, unit, count, None);
                }
            }
        }
    }
}
