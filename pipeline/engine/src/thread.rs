//! One thread of a run: in which role it is now, and when that changes.

use crate::descriptors::Fit;
use crate::hashing::{Hashing, State};
use crate::mode::{Laps, Role};
use crate::permits::{Permit, Permits};
use crate::plan::Plan;
use crate::progress::Counters;
use crate::spread::Spreads;
use pfh_prefetch::host::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use pfh_prefetch::host::{Instant, Waits};
use pfh_prefetch::{Budget, DeviceLocks, EventCount, Feed, For, Pace, Reader, Reserve, Step, Table, Take};
use pfh_source::fail_point;
use std::sync::Arc;
use std::time::Duration;

/// Jobs that fill the widest lanes (64 of MD5) once.
const ENOUGH_JOBS: usize = 64;
/// Jobs and bytes of one batch.
const BATCH_JOBS: usize = 1024;
const BATCH_BYTES: usize = 32 << 20;
/// Bytes of long messages that are enough in the table while reads do not wait and nothing else is
/// there: bytes that were read are hashed while they are in the cache, and their slabs are filled
/// again while they are. One thread takes them one by one. Of several, one reads while another
/// shares out the bytes that it has taken, and both shares are to be worth it. A GiB under BLAKE3
/// that went through the whole table took .5 s of processor time in place of .36 s, 30,000 page
/// faults among it (bench/record/2026-11-22-warm-tree.md).
const HOT_ALONE: usize = 1 << 20;
const HOT_EACH: usize = 4 << 20;
/// With many threads the caches are larger too, but not without end.
const HOT_MOST: usize = 64 << 20;

/// Everything that the threads of a run share.
pub(crate) struct RunState {
    pub plan: Arc<Plan>,
    pub table: Arc<Table<State>>,
    pub budget: Arc<Budget>,
    pub feed: Arc<Feed>,
    pub gates: Arc<DeviceLocks>,
    pub hashing: Hashing,
    pub spreads: Spreads<State>,
    pub places: Arc<Permits>,
    pub counters: Counters,
    pub read_bytes: Arc<AtomicU64>,
    pub events: Arc<EventCount>,
    /// Something was put into the table. Threads that only hash wait for it apart from the others,
    /// and one of them wakes for each event: eight that all woke for each of 3,125 files, to find
    /// it taken, switched two thousand times.
    pub work: Arc<EventCount>,
    pub out: Arc<EventCount>,
    pub reserve: Arc<Reserve>,
    pub fit: Fit,
    /// Threads that read and hash and have nothing to do.
    pub idle: AtomicUsize,
    pub stop: Arc<AtomicBool>,
    /// A thread of any role panicked: the run ends without a result.
    pub panicked: AtomicBool,
    pub clock: Instant,
}

impl RunState {
    pub(crate) fn reader(&self) -> Reader<State> {
        Reader::new(
            self.table.clone(),
            self.budget.clone(),
            self.feed.clone(),
            self.gates.clone(),
            self.reserve.clone(),
            self.plan.retries,
            self.fit.backend,
            self.clock,
            self.read_bytes.clone(),
            self.stop.clone(),
        )
    }

    /// Whether enough waits that hashing it is better than reading more.
    fn is_enough(&self) -> bool {
        let (jobs, bytes) = self.table.waiting();
        let table = self.budget.slabs() * self.budget.slab();
        // Reads wait, so the processor is free: full lanes are enough. Readers fill the other half
        // of the table meanwhile.
        let enough = (table / 2).min(BATCH_BYTES);
        // Long messages count by the slabs that are out.
        jobs >= ENOUGH_JOBS || bytes >= enough || jobs > 0 && self.budget.out() * self.budget.slab() > enough
    }

    /// Whether more in the table would only be colder: nothing but long messages is there, no lanes
    /// could be filled by later messages (each message is worked on by itself, or there is no other
    /// to come), and the next read is a copy and not a wait. Chunks in the table then are queued or
    /// in work, so a reader that stops for it is woken by the thread that works on it.
    fn is_hot(&self) -> bool {
        let threads = self.plan.threads.max(1);
        let enough = if threads == 1 { HOT_ALONE } else { (HOT_EACH * threads).min(HOT_MOST) };
        (self.table.divides() || self.feed.is_empty())
            && !self.reserve.is_called()
            && self.table.only_flowing() >= enough
    }

    /// Whether a reader may take its next step. While reads wait, those that read ahead do, if
    /// there are any, and as many of them as raise the rate; else any thread may fill the table.
    fn may_step(&self, reader: &Reader<State>, role: Role) -> bool {
        let mid = reader.has_current();
        if !role.hashes || self.plan.mode.division().laps != Laps::WhileItBringsMore {
            return true;
        }
        if !self.reserve.is_called() {
            return !role.held_back || mid;
        }
        let asks = role.held_back || mid || !self.plan.is_ahead(self.fit.readers);
        if !asks {
            self.reserve.leave(reader.number());
        }
        asks && self.reserve.may_read(reader.number(), mid)
    }

    /// Fills the table by one step of a reader.
    fn step(&self, reader: &mut Reader<State>, waits: &mut Waits) -> Step {
        let from = Instant::now();
        waits.begin();
        fail_point("read");
        let step = reader.step();
        Counters::add(&self.counters.read_ns, from.elapsed());
        if step == Step::Filled {
            self.reserve.note(waits.end());
        }
        self.tell_end();
        if reader.has_current() {
            self.feed.gather();
        }
        step
    }

    /// Hashes one batch, if there is one and a place is free.
    fn hash(&self) -> bool {
        let (waiting, _) = self.table.waiting();
        // A thread that would find the table empty must not hold a place meanwhile: it could have
        // been lent.
        if waiting == 0 {
            return false;
        }
        let Some(place) = self.places.take() else { return false };
        let threads = self.plan.threads.max(1);
        // A fair share when there is enough for everybody's lanes; units of one long message are
        // shared when not.
        let jobs =
            if waiting >= 2 * ENOUGH_JOBS { (waiting / threads).clamp(ENOUGH_JOBS, BATCH_JOBS) } else { BATCH_JOBS };
        let take = Take { jobs, bytes: BATCH_BYTES, share: threads > 1 && waiting < threads };
        let from = Instant::now();
        let batch = self.table.take(take);
        let any = !batch.is_empty();
        if any {
            self.pass_on();
            self.counters.batches.fetch_add(1, Ordering::Relaxed);
            self.counters.batch_jobs.fetch_add(batch.len() as u64, Ordering::Relaxed);
            let bytes = self.hashing.process(batch, place);
            self.counters.hash_bytes.fetch_add(bytes, Ordering::Relaxed);
            Counters::add(&self.counters.hash_ns, from.elapsed());
            self.events.notify();
            // The place is free again, which another one may have found taken.
            self.pass_on();
            self.tell_end();
        }
        any
    }

    /// Wakes another thread that only hashes, for work that is left in the table.
    fn pass_on(&self) {
        if self.plan.mode.division().is_apart && self.table.waiting().0 > 0 {
            self.work.notify();
        }
    }

    /// One lap: reads a piece of each message that this thread has open, and hashes it. False if
    /// there was nothing to read in this way.
    fn lap(&self, reader: &mut Reader<State>, waits: &mut Waits) -> bool {
        self.share(reader);
        let most = if self.plan.mode.division().laps == Laps::Always { Duration::MAX } else { LATE };
        let pace = Pace {
            arena: ARENA,
            readers: self.fit.readers,
            lanes: self.fit.lanes,
            widest: self.hashing.lanes(),
            piece: PIECE,
            longest: if self.table.divides() { self.budget.slab() } else { LONGEST },
            most,
        };
        let from = Instant::now();
        waits.begin();
        fail_point("read");
        let Some(mut lap) = reader.lap(pace) else { return false };
        self.reserve.note(waits.end());
        let read = Instant::now();
        Counters::add(&self.counters.read_ns, read - from);
        let messages = (lap.open.len() + lap.ended.len()) as u64;
        // Not before: a read that does not come back must not keep a place.
        let place = self.wait_for_place();
        let (outcomes, bytes) = self.hashing.lap(&mut lap);
        drop(place);
        if reader.keep(lap) {
            self.hashing.enter(outcomes);
        }
        self.counters.batches.fetch_add(1, Ordering::Relaxed);
        self.counters.batch_jobs.fetch_add(messages, Ordering::Relaxed);
        self.counters.hash_bytes.fetch_add(bytes, Ordering::Relaxed);
        Counters::add(&self.counters.hash_ns, read.elapsed());
        self.tell_end();
        true
    }

    /// Others may have them all for a while: readers that were called and hash their own bytes, or
    /// the last long message.
    pub(crate) fn wait_for_place(&self) -> Permit {
        loop {
            let noted = self.events.noted();
            match self.places.take() {
                Some(place) => return place,
                None => _ = self.events.wait(noted, Duration::from_millis(5)),
            }
        }
    }

    /// Where others have nothing to do and no file is left to begin with: they get half of the open
    /// files, or share the last one. A thread without others takes the last one by ranges too: a
    /// slice of a range stays in its cache.
    fn share(&self, reader: &mut Reader<State>) {
        let is_alone = self.plan.threads == 1;
        let nobody_waits = !is_alone && self.idle.load(Ordering::Relaxed) == 0;
        if nobody_waits || !self.feed.is_empty() || self.table.has_parked(true) {
            return;
        }
        match reader.begun() {
            (0, _) | (_, ..WORTH_MOVING) => {}
            (1, _) => {
                if !self.spread(reader) && !is_alone {
                    reader.put_down_lanes(0, For::Table);
                }
            }
            _ if is_alone => {}
            (open, _) => {
                reader.put_down_lanes(open / 2, For::All);
                self.events.notify();
            }
        }
    }

    /// Wakes the thread that writes, once the last record is there: it need not wait for its next
    /// look. Not sooner: one long message is worked on in a thousand laps.
    fn tell_end(&self) {
        if self.feed.exhausted() && self.hashing.completed() == self.feed.pulled() {
            self.out.notify();
        }
    }
}

/// Reading for lanes: the bytes of one lap, to be hashed while they are in the second-level cache,
/// or not far from it. With a cache of 1 MiB, 2 MiB in pieces of 64 KiB took .304 s of processor
/// time under MD5 and .489 s under SHA-256 for 1.16 GB in 4,457 files; 1 MiB and 64 KiB .351 and
/// .502 s; 1 MiB and 32 KiB .334 and .531 s; 512 KiB and 16 KiB .342 and .541 s.
const ARENA: usize = 2 << 20;
/// Bytes of one message in a lap. Seventeen fit into a slab.
const PIECE: usize = 60 << 10;
/// If few messages are left, more of each at once.
const LONGEST: usize = 256 << 10;
/// A lap's reading is a copy of some 300 µs. When it takes so long, reads wait, and readers ahead
/// are to know soon.
const LATE: Duration = Duration::from_millis(1);
/// Bytes that are worth waking another thread for.
const WORTH_MOVING: u64 = 2 << 20;

/// The life of one thread.
pub(crate) fn live(shared: &RunState, mut reader: Option<Reader<State>>, role: Role) {
    let hashes = role.hashes;
    let mut waits = Waits::new(shared.fit.looks && reader.is_some());
    let events = if role.reads { &shared.events } else { &shared.work };
    loop {
        // Others read the entries of a lost reader.
        reader = reader.filter(|reader| !reader.is_lost());
        // Noted before anything is looked at, so that no event after the look is missed.
        let (noted, called) = (events.noted(), shared.reserve.noted());
        if shared.stop.load(Ordering::SeqCst) {
            return;
        }
        let laps = if hashes { shared.plan.mode.division().laps } else { Laps::Never };
        let changes = laps != Laps::Never;
        // While reads do not wait nothing is read ahead.
        let mut is_scouted = false;
        let direct = laps == Laps::Always || laps == Laps::WhileItBringsMore && !shared.reserve.is_called();
        if !direct && !shared.spreads.is_empty() {
            shared.end_spreads();
        }
        let put_down = direct && reader.as_mut().is_some_and(Reader::put_down);
        let free = reader.as_ref().is_none_or(|reader| !reader.has_current());
        if let Some(reader) = reader.as_ref().filter(|_| !shared.reserve.is_called() && free) {
            shared.reserve.leave(reader.number());
        }
        if role.held_back && free && !shared.reserve.is_called() {
            if put_down {
                shared.events.notify();
            }
            shared.reserve.wait(called);
            continue;
        }
        if let Some(reader) = reader.as_mut().filter(|_| !role.held_back) {
            if direct && !reader.is_apart() {
                // The table's content was read before.
                if shared.hash() {
                    continue;
                }
                is_scouted = laps == Laps::WhileItBringsMore && !shared.reserve.may_lap();
                if !is_scouted {
                    if shared.range(reader, &mut waits) || shared.lap(reader, &mut waits) {
                        if reader.has_lanes() {
                            shared.feed.gather();
                        }
                        continue;
                    }
                    shared.reserve.know();
                }
            }
            if reader.has_lanes() {
                reader.put_down_lanes(0, For::All);
                shared.events.notify();
            }
            reader.rest();
        }
        if changes && shared.is_enough() && shared.hash() {
            continue;
        }
        let mut full = changes && shared.is_hot();
        let mut waits_for_turn = is_scouted;
        if let Some(reader) = reader.as_mut().filter(|reader| !full && !is_scouted && reader.has_work()) {
            let step = shared.may_step(reader, role).then(|| shared.step(reader, &mut waits));
            match step {
                Some(Step::Filled) => continue,
                Some(Step::Full) => {
                    shared.reserve.is_full();
                    full = true;
                }
                Some(Step::Exhausted) => shared.reserve.leave(reader.number()),
                None if reader.pause() => continue,
                None => waits_for_turn = true,
            }
        }
        if hashes && shared.hash() {
            continue;
        }
        if role.held_back && waits_for_turn {
            shared.reserve.wait(called);
            continue;
        }
        let idle = usize::from(changes && !role.held_back);
        shared.idle.fetch_add(idle, Ordering::Relaxed);
        let waited = events.wait(noted, Duration::from_millis(100));
        shared.idle.fetch_sub(idle, Ordering::Relaxed);
        let counters = &shared.counters;
        let (time, times) = match full {
            true => (&counters.space_ns, &counters.space_waits),
            false => (&counters.data_ns, &counters.data_waits),
        };
        if full || hashes {
            Counters::add(time, waited);
            times.fetch_add(1, Ordering::Relaxed);
        }
    }
}
