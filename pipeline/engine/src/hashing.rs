//! What a worker does with a batch: every algorithm over all its messages at once.

use crate::ledger::{Finished, Ledger};
use crate::pieces::Pieces;
use crate::places::{Place, Places};
use crate::plan::Plan;
use crate::record::{Hashed, Outcome, Piece, Record};
use pfh_digest::{Alone, Digest, Executor, Hasher, finalize_many, hash_many, update_many, update_together};
use pfh_prefetch::{Chunk, Depth, Job, Table};
use pfh_source::{Cause, Entry, Item, Problem, Stage};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Up to so many messages, one message's several digests are computed together (stitched kernels: three for the price
/// of MD5); with more, each algorithm takes all messages in lanes.
const FEW: usize = 2;

/// Bytes of one message that are worth threads of their own: starting one takes some 30 µs, hashing these some 1,300.
const WORTH_SHARING: u64 = 4 << 20;

/// What a unit keeps of a long message between two chunks.
pub(crate) struct State {
    hashers: Vec<Hasher>,
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
    fn length(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.bytes.len() as u64).sum()
    }
}

/// Turns jobs into records.
pub(crate) struct Hashing {
    plan: Arc<Plan>,
    units: Vec<Vec<usize>>,
    table: Arc<Table<State>>,
    ledger: Arc<Ledger>,
    places: Arc<Places>,
}

/// Makes the state of one unit.
pub(crate) fn state(plan: &Plan, unit: &[usize]) -> State {
    let algorithms: Vec<_> = unit.iter().map(|i| plan.algorithms[*i]).collect();
    State {
        hashers: algorithms.iter().map(|a| a.hasher()).collect(),
        pieces: plan.piecewise.map(|length| Pieces::new(algorithms, length)),
    }
}

impl Hashing {
    pub(crate) fn new(
        plan: Arc<Plan>,
        units: Vec<Vec<usize>>,
        table: Arc<Table<State>>,
        ledger: Arc<Ledger>,
        places: Arc<Places>,
    ) -> Self {
        Hashing { plan, units, table, ledger, places }
    }

    /// Works through a batch, in a place among the threads that hash. A panic in it is a problem of every message in it; the run goes on.
    pub(crate) fn process(&self, jobs: Vec<Job<State>>, place: Place) -> u64 {
        let entries: Vec<Arc<Entry>> = jobs
            .iter()
            .filter_map(|job| match job {
                Job::Item(_) => None,
                Job::Whole(chunk) => Some(chunk.entry.clone()),
                Job::Part { chunks, .. } => chunks.first().map(|chunk| chunk.entry.clone()),
            })
            .collect();
        let worked = catch_unwind(AssertUnwindSafe(|| self.work(jobs, place)));
        worked.unwrap_or_else(|_| {
            for entry in entries {
                self.table.abandon(entry.number);
                self.ledger.enter_problem(entry.number, entry.name(), Problem::new(Stage::Hash, Cause::Panicked));
            }
            0
        })
    }

    fn work(&self, jobs: Vec<Job<State>>, place: Place) -> u64 {
        let (mut records, mut wholes, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for job in jobs {
            match job {
                Job::Item(Item::Skipped { number, name, skip }) => {
                    records.push(Record { number, name, outcome: Outcome::Skipped(skip) });
                }
                Job::Item(Item::Settled { number, name, closed, digests }) => {
                    let hashed = Hashed { closed, digests, pieces: Vec::new() };
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
        let mut digests: Vec<Vec<Digest>> = self.hash(&messages, &mut parts);
        let mut pieces: Vec<Vec<Piece>> = self.pieces_of(&messages);
        for (at, (entry, _, closed)) in wholes.iter().enumerate() {
            let hashed = Hashed {
                closed: closed.clone(),
                digests: std::mem::take(&mut digests[at]),
                pieces: pieces.get_mut(at).map(std::mem::take).unwrap_or_default(),
            };
            let (number, name) = (entry.number, entry.name());
            records.push(Record { number, name, outcome: Outcome::Hashed(hashed) });
        }
        self.ledger.enter(records);
        drop(messages);
        drop(wholes);
        // Before the states go back: whoever takes one next may want to borrow every other place.
        drop(place);
        self.settle(parts);
        bytes
    }

    /// Digests of whole messages, [message][algorithm]; advances the parts' states on the way.
    fn hash(&self, messages: &[&[u8]], parts: &mut [Part]) -> Vec<Vec<Digest>> {
        let mut digests: Vec<Vec<Option<Digest>>> = vec![vec![None; self.plan.algorithms.len()]; messages.len()];
        for (unit, algorithms) in self.units.iter().enumerate() {
            let (divided, mut mine): (Vec<&mut Part>, Vec<&mut Part>) =
                parts.iter_mut().filter(|p| p.unit == unit).partition(|p| p.state.depth() == Depth::All);
            divided.into_iter().for_each(|part| self.divide(part));
            for Part { state, chunks, .. } in &mut mine {
                if let Some(pieces) = &mut state.pieces {
                    pieces.update(&chunks[0].bytes);
                }
            }
            if mine.len() + messages.len() <= FEW {
                for Part { state, chunks, .. } in &mut mine {
                    update_together(&mut state.hashers.iter_mut().collect::<Vec<_>>(), &chunks[0].bytes);
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
                let algorithm = self.plan.algorithms[*index];
                let found = if mine.is_empty() {
                    hash_many(algorithm, messages)
                } else {
                    let mut fresh: Vec<Hasher> = messages.iter().map(|_| algorithm.hasher()).collect();
                    let long = mine.iter_mut().map(|p| (&mut p.state.hashers[place], &p.chunks[0].bytes[..]));
                    let short = fresh.iter_mut().zip(messages).map(|(hasher, message)| (hasher, *message));
                    update_many(&mut long.chain(short).collect::<Vec<_>>());
                    finalize_many(fresh)
                };
                for (at, digest) in found.into_iter().enumerate() {
                    digests[at][*index] = Some(digest);
                }
            }
        }
        digests.into_iter().map(|d| d.into_iter().flatten().collect()).collect()
    }

    /// Advances a tree's state by all its chunks, with the threads that are idle now: nothing waits that they could take.
    fn divide(&self, part: &mut Part) {
        let pieces: Vec<&[u8]> = part.chunks.iter().map(|chunk| &chunk.bytes[..]).collect();
        let idle = (part.length() >= WORTH_SHARING && self.table.waiting().0 == 0).then(|| self.places.take_rest());
        let executor: &dyn Executor = idle.as_ref().and_then(Option::as_ref).map_or(&Alone, |place| place);
        part.state.hashers.iter_mut().for_each(|hasher| hasher.update_on(&pieces, executor));
    }

    fn pieces_of(&self, messages: &[&[u8]]) -> Vec<Vec<Piece>> {
        let Some(length) = self.plan.piecewise else { return Vec::new() };
        let cut = |message: &&[u8]| {
            let mut pieces = Pieces::new(self.plan.algorithms.clone(), length);
            pieces.update(message);
            pieces.finish()
        };
        messages.iter().map(cut).collect()
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
                    self.ledger.enter_problem(entry.number, entry.name(), problem);
                    self.table.give_back(&entry, unit, count, None);
                }
                Some(Ok(closed)) => {
                    let algorithms = &self.units[unit];
                    let digests = state.hashers.into_iter().map(Hasher::finalize);
                    let finished = Finished {
                        digests: algorithms.iter().copied().zip(digests).collect(),
                        pieces: state.pieces.map(Pieces::finish).unwrap_or_default(),
                        piece_algorithms: algorithms.clone(),
                    };
                    self.ledger.enter_unit(entry.number, || entry.name(), &closed, finished);
                    self.table.give_back(&entry, unit, count, None);
                }
            }
        }
    }
}
