//! Puts outcomes into input order.

use crate::record::{HashedFile, Outcome, Piece, Record};
use pfh_digest::Digest;
use pfh_prefetch::EventCount;
use pfh_prefetch::host::{Mutex, MutexGuard};
use pfh_source::{Problem, ReadResult};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError};

/// Records ready before the thread that writes them is woken.
const READY: usize = 1024;

/// Outcomes as they arrive, records as they leave.
pub(crate) struct ReorderBuffer {
    inner: Mutex<Inner>,
    algorithms: usize,
    units: usize,
    /// Notified when there is something to write.
    pub events: Arc<EventCount>,
}

#[derive(Default)]
struct Inner {
    /// Places from `next` on, as far as a record has come; no longer than readers may run ahead.
    arrived: VecDeque<Option<Record>>,
    next: u64,
    waiting: usize,
    completed: u64,
    partial: HashMap<u64, Partial>,
}

/// Digests of a long message whose units finish one by one.
struct Partial {
    digests: Vec<Option<Digest>>,
    pieces: Vec<Vec<Piece>>,
    left: usize,
}

/// The results of one unit for one message: (index of the algorithm, digest), and its pieces.
pub(crate) struct UnitResults {
    pub digests: Vec<(usize, Digest)>,
    pub pieces: Vec<Piece>,
    /// Which algorithms the pieces' digests are of.
    pub piece_algorithms: Vec<usize>,
}

impl ReorderBuffer {
    pub(crate) fn new(algorithms: usize, units: usize, events: Arc<EventCount>) -> Self {
        ReorderBuffer { inner: Mutex::default(), algorithms, units, events }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters records. A second record for a number is dropped: the first one was final (a stalled
    /// read that came back).
    pub(crate) fn enter(&self, records: impl IntoIterator<Item = Record>) {
        let mut inner = self.lock();
        for record in records {
            let Some(place) = record.number.checked_sub(inner.next) else { continue };
            let place = place as usize;
            if place >= inner.arrived.len() {
                inner.arrived.resize_with(place + 1, || None);
            }
            if inner.arrived[place].is_none() {
                inner.arrived[place] = Some(record);
                inner.completed += 1;
                inner.waiting += 1;
            }
        }
        let ready = inner.waiting >= READY;
        drop(inner);
        if ready {
            self.events.notify();
        }
    }

    /// Enters the results of one unit for a long message; makes the record when it is the last one.
    pub(crate) fn enter_unit(
        &self,
        number: u64,
        name: impl FnOnce() -> Vec<u8>,
        closed: &ReadResult,
        finished: UnitResults,
    ) {
        let mut guard = self.lock();
        let partial = guard.partial.entry(number).or_insert_with(|| Partial {
            digests: vec![None; self.algorithms],
            pieces: vec![Vec::new(); self.algorithms],
            left: self.units,
        });
        for (index, digest) in finished.digests {
            partial.digests[index] = Some(digest);
        }
        for (at, index) in finished.piece_algorithms.iter().enumerate() {
            partial.pieces[*index] = finished
                .pieces
                .iter()
                .map(|p| Piece { offset: p.offset, length: p.length, digests: vec![p.digests[at].clone()] })
                .collect();
        }
        partial.left -= 1;
        if partial.left > 0 {
            return;
        }
        let Some(partial) = guard.partial.remove(&number) else { return };
        drop(guard);
        let digests: Vec<Digest> = partial.digests.into_iter().flatten().collect();
        debug_assert_eq!(digests.len(), self.algorithms);
        let hashed = HashedFile { closed: closed.clone(), digests, pieces: transpose(partial.pieces) };
        self.enter([Record { number, name: name(), outcome: Outcome::Hashed(hashed) }]);
    }

    /// Enters a problem.
    pub(crate) fn enter_problem(&self, number: u64, name: Vec<u8>, problem: Problem) {
        self.lock().partial.remove(&number);
        self.enter([Record { number, name, outcome: Outcome::Failed(problem) }]);
    }

    /// Takes the records whose turn it is.
    pub(crate) fn take(&self) -> Vec<Record> {
        let mut inner = self.lock();
        let turn = inner.arrived.iter().take_while(|record| record.is_some()).count();
        let records: Vec<Record> = inner.arrived.drain(..turn).flatten().collect();
        inner.next += turn as u64;
        inner.waiting -= turn;
        records
    }

    /// Records entered so far.
    pub(crate) fn completed(&self) -> u64 {
        self.lock().completed
    }
}

/// From one list of pieces per algorithm to one list of pieces with all digests.
fn transpose(lists: Vec<Vec<Piece>>) -> Vec<Piece> {
    let mut lists = lists.into_iter();
    let mut pieces = lists.next().unwrap_or_default();
    for list in lists {
        for (piece, other) in pieces.iter_mut().zip(list) {
            piece.digests.extend(other.digests);
        }
    }
    pieces
}
