//! The work of one thread on a message that all threads read by ranges.

use crate::hashing::State;
use crate::progress::Counters;
use crate::spread::{Brought, MessageDivision, Spread, Values};
use crate::thread::RunState;
use pfh_prefetch::host::atomic::Ordering;
use pfh_prefetch::host::{Instant, Waits};
use pfh_prefetch::{For, Open, RangeEnd, Reader};
use pfh_source::fail_point;
use std::time::Duration;

impl RunState {
    /// Hands out the only message that this thread has open by ranges, if its algorithms are trees
    /// with such and it is a file that several may read. From then on it is not a lane of this
    /// thread.
    pub(crate) fn spread(&self, reader: &mut Reader<State>) -> bool {
        let slab = self.budget.slab();
        if self.plan.piecewise.is_some() || !reader.has_room() {
            return false;
        }
        let Some(open) = reader.lane() else { return false };
        if open.states.is_empty() {
            open.states = self.table.states();
        }
        let units = open.states.iter_mut().flat_map(|state| &mut state.hashers);
        let Some(units) = units.map(|hasher| Some(hasher.apart()?.units())).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let (from, size) = (open.reading.offset(), open.reading.size_hint());
        let Some(cut) = MessageDivision::new(from, size, units.iter().map(|units| units.length()), slab) else {
            return false;
        };
        let Some(positions) = open.reading.positions() else { return false };
        let Some(Open { entry, mut reading, mut states, .. }) = reader.take_lane() else { return true };
        if !reader.begin_range(&entry) {
            self.table.park(entry, reading, Some(states), For::All);
            return true;
        }
        // The units begun, or the first ones.
        let (bytes, reached) = reader.read_range(&positions, from, (cut.start - from) as usize);
        if reached == RangeEnd::All {
            let place = self.wait_for_place();
            states.iter_mut().flat_map(|state| &mut state.hashers).for_each(|hasher| hasher.update(bytes));
            drop(place);
            self.counters.hash_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        if !reader.end_range(&entry) {
            return true;
        }
        if reached == RangeEnd::All {
            self.spreads.add(Spread::new(entry, positions, cut, units, slab, (reading, states)));
        } else {
            let refused = if let RangeEnd::Refused(refused) = reached { Some(refused) } else { None };
            reading.go_on(from, refused);
            self.table.park(entry, reading, Some(states), For::Table);
        }
        self.events.notify();
        true
    }

    /// Reads and hashes the next range of a message that several threads read. False if there is
    /// none.
    pub(crate) fn range(&self, reader: &mut Reader<State>, waits: &mut Waits) -> bool {
        if reader.has_lanes() {
            return false;
        }
        for spread in self.spreads.all() {
            if !reader.has_room() {
                return false;
            }
            if !reader.begin_range(&spread.entry) {
                return true;
            }
            let Some(index) = spread.next() else {
                if reader.end_range(&spread.entry) {
                    continue;
                }
                return true;
            };
            let (values, reached) = self.values(reader, waits, &spread, index);
            if reader.end_range(&spread.entry) {
                self.settle(&spread, spread.bring(index, reached, values, join));
            }
            return true;
        }
        false
    }

    /// Ends the messages that several threads read: one reader goes on where reads wait.
    pub(crate) fn end_spreads(&self) {
        for spread in self.spreads.all() {
            self.settle(&spread, spread.end());
        }
    }

    fn settle(&self, spread: &Spread<State>, brought: Brought<State>) {
        match brought {
            Brought::Nothing => {}
            Brought::Room => self.events.notify(),
            Brought::Through(reading, states) => {
                self.places.note_sharing(spread.threads());
                self.spreads.remove(spread.entry.number);
                self.table.park(spread.entry.clone(), *reading, Some(states), For::All);
                self.events.notify();
            }
        }
    }

    /// The values of a range, slice by slice.
    fn values(
        &self,
        reader: &mut Reader<State>,
        waits: &mut Waits,
        spread: &Spread<State>,
        index: u64,
    ) -> (Values, RangeEnd) {
        let MessageDivision { slice, range, .. } = spread.cut;
        let mut values = vec![Vec::new(); spread.units.len()];
        let (mut reading, mut hashing) = (Duration::ZERO, Duration::ZERO);
        // Whether reads wait is looked at in one slice of each range, every other time another one.
        let looked_at = index as usize % (range / slice) * slice;
        for at in (0..range).step_by(slice) {
            let (from, offset) = (Instant::now(), spread.cut.offset(index) + at as u64);
            if at == looked_at {
                waits.begin();
            }
            fail_point("read");
            let (bytes, reached) = reader.read_range(&spread.positions, offset, slice);
            if at == looked_at {
                self.reserve.note(waits.end());
            }
            reading += from.elapsed();
            self.reserve.add_range(bytes.len() as u64);
            if reached != RangeEnd::All {
                return (values, reached);
            }
            // Not before: a read that does not come back must not keep a place.
            let place = self.wait_for_place();
            let from = Instant::now();
            fail_point("lap");
            for (units, values) in spread.units.iter().zip(&mut values) {
                units.values(offset, bytes, values);
            }
            hashing += from.elapsed();
            drop(place);
        }
        Counters::add(&self.counters.read_ns, reading);
        if spread.is_begun_here() {
            Counters::add(&self.counters.hash_ns, hashing);
        } else {
            self.places.add_lent(hashing);
        }
        self.counters.hash_bytes.fetch_add(range as u64, Ordering::Relaxed);
        self.counters.batches.fetch_add(1, Ordering::Relaxed);
        self.counters.batch_jobs.fetch_add(1, Ordering::Relaxed);
        (values, RangeEnd::All)
    }
}

/// Takes the values of a range into the states, in the order of their hashers.
fn join(states: &mut [State], values: &Values) {
    let hashers = states.iter_mut().flat_map(|state| &mut state.hashers);
    for (hasher, values) in hashers.zip(values) {
        hasher.apart().expect("a tree, as it was when the message was cut").join(values);
    }
}
