//! The loop of a run over files.

use crate::control::Control;
use crate::descriptors::Fit;
use crate::hashing::{self, Hashing};
use crate::mode::Role;
use crate::permits::Permits;
use crate::pieces::Allowance;
use crate::plan::Plan;
use crate::progress::{Counters, FileProgress, Progress, Stats};
use crate::record::{Outcome, Record};
use crate::reorder::ReorderBuffer;
use crate::sink::Sink;
use crate::spread::Spreads;
use crate::thread::{RunState, live};
use pfh_prefetch::host::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use pfh_prefetch::host::{Instant, spawn};
use pfh_prefetch::{Budget, DeviceLocks, EventCount, Feed, InHand, Reserve, Table};
use pfh_source::{Cause, Level, Levels, Note, Problem, Skip, Source, Stage, fail_point, is_text_ended};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Why a run ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The sink could not take a record: nothing behind it was written.
    #[error("the output failed: {0}")]
    Sink(#[source] std::io::Error),
    /// Not one thread could be started.
    #[error("no thread could be started: {0}")]
    Threads(#[source] std::io::Error),
    /// A thread panicked: the program has a bug, and its records cannot be trusted.
    #[error("a thread of the program panicked")]
    Panicked,
    /// The plan names no algorithm.
    #[error("no algorithm was asked for")]
    NoAlgorithm,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct Summary {
    /// Inputs with digests.
    pub hashed: u64,
    /// The sum of their sizes in bytes.
    pub bytes: u64,
    /// Inputs listed and not read.
    pub skipped: u64,
    /// Inputs with a problem.
    pub failed: u64,
    /// Inputs with a problem, or skipped, that count by the levels of the plan.
    pub faults: u64,
    /// Containers that were recognised and not opened, as problems or as skipped.
    pub unopened: u64,
    /// Inputs with digests whose file system keeps no change time ([`Note::Untimed`]).
    pub untimed: u64,
    /// Whether several readers took turns, since a device says that it is rotating.
    pub turns: bool,
    /// Whether the run was cancelled: records of some inputs are missing.
    pub interrupted: bool,
    /// Where the time went.
    pub stats: Stats,
}

impl Summary {
    /// That of two runs, one behind the other.
    #[must_use]
    pub fn and(self, next: Summary) -> Summary {
        Summary {
            hashed: self.hashed + next.hashed,
            bytes: self.bytes.saturating_add(next.bytes),
            skipped: self.skipped + next.skipped,
            failed: self.failed + next.failed,
            faults: self.faults + next.faults,
            unopened: self.unopened + next.unopened,
            untimed: self.untimed + next.untimed,
            turns: self.turns || next.turns,
            interrupted: self.interrupted || next.interrupted,
            stats: self.stats.and(next.stats),
        }
    }
}

/// How long threads may take to notice that the run is over before they are left to themselves.
const FAREWELL: Duration = Duration::from_millis(1000);
/// Between two looks at cancellation, stalls and progress.
const TICK: Duration = Duration::from_millis(50);

/// Reads `source` once and gives every input's record to `sink`, in input order under every plan.
/// When `control` cancels it, it ends within a second or two; the sink has whole records only.
///
/// # Errors
/// When the sink refuses a record, no thread can be started, or one panics. Problems of single
/// inputs are records, not errors.
///
/// # Example
/// ```
/// use pfh_digest::Algorithm;
/// use pfh_engine::{Control, Outcome, Plan, Record, run};
/// use pfh_source::{Descend, Operands};
/// let plan = Plan::new(vec!["sha256".parse::<Algorithm>().unwrap()]);
/// let source = Operands::new(vec!["Cargo.toml"], Descend::default());
/// let mut records: Vec<Record> = Vec::new();
/// let summary = run(Box::new(source), &plan, &mut records, &Control::new()).unwrap();
/// assert_eq!((summary.hashed, records.len()), (1, 1));
/// assert!(matches!(&records[0].outcome, Outcome::Hashed(h) if h.digests[0].to_string().len() == 64));
/// ```
pub fn run(source: Box<dyn Source>, plan: &Plan, sink: &mut dyn Sink, control: &Control<'_>) -> Result<Summary, Error> {
    if plan.algorithms.is_empty() {
        return Err(Error::NoAlgorithm);
    }
    let plan = Arc::new(plan.clone());
    let (units, fit) = (plan.units(), Fit::new(&plan));
    let (events, out) = (Arc::new(EventCount::default()), Arc::new(EventCount::default()));
    let work = if plan.mode.division().is_apart { Arc::new(EventCount::for_equals()) } else { events.clone() };
    let table = {
        let (plan, units) = (plan.clone(), units.clone());
        let allowance = Allowance::new(if plan.piecewise.is_some() { plan.memory / 2 } else { 0 });
        let depths = units.iter().map(|unit| hashing::state(&plan, unit, &allowance).depth()).collect();
        Arc::new(Table::new(depths, work.clone(), move |unit| hashing::state(&plan, &units[unit], &allowance)))
    };
    let reorder = Arc::new(ReorderBuffer::new(plan.algorithms.len(), units.len(), out.clone()));
    let places = Permits::new(plan.threads);
    let shared = Arc::new(RunState {
        hashing: Hashing::new(plan.clone(), units, table.clone(), reorder.clone(), places.clone()),
        places,
        table,
        spreads: Spreads::default(),
        budget: Budget::new(plan.memory, fit.readers, events.clone()),
        feed: Arc::new(Feed::new(source, out.clone())),
        gates: Arc::new(DeviceLocks::new(plan.turns)),
        counters: Counters::default(),
        read_bytes: Arc::default(),
        reserve: Arc::new(Reserve::new(
            plan.ahead(fit.readers),
            plan.threads,
            plan.mode.division().is_apart,
            events.clone(),
        )),
        events,
        work,
        out,
        fit,
        idle: AtomicUsize::new(0),
        stop: Arc::default(),
        panicked: AtomicBool::new(false),
        clock: Instant::now(),
        plan,
    });
    let mut run = Run { shared, reorder, readers: Vec::new(), alive: Arc::default(), missing: Vec::new() };
    let result = run.start().and_then(|others| run.emit(others, sink, control));
    // Threads that were started before one was refused end too.
    run.end();
    let mut summary = result?;
    // A thread that had nothing left to bring may panic after the last record. No verdict rests on
    // such a run.
    if run.shared.panicked.load(Ordering::SeqCst) {
        return Err(Error::Panicked);
    }
    summary.stats = run.stats();
    summary.turns = run.shared.fit.readers > 1 && run.shared.gates.were_given();
    Ok(summary)
}

struct Run {
    shared: Arc<RunState>,
    reorder: Arc<ReorderBuffer>,
    /// Readers that are watched, and whether each is held back.
    readers: Vec<(Arc<InHand>, bool)>,
    alive: Arc<AtomicU64>,
    /// Lost readers that are to be replaced: whether each is held back.
    missing: Vec<bool>,
}

impl Run {
    /// Starts the first thread, which may be all that a small input needs; in a run with roles of
    /// their own one of each. The others.
    fn start(&mut self) -> Result<Vec<Role>, Error> {
        let plan = &self.shared.plan;
        let (threads, readers) = (plan.threads.max(1), self.shared.fit.readers);
        let (roles, others) = plan.mode.roles(threads, readers);
        for role in roles {
            self.spawn(role).map_err(Error::Threads)?;
        }
        Ok(others)
    }

    /// Starts the other threads, as many as the machine allows.
    fn start_others(&mut self, others: Vec<Role>) {
        for role in others {
            if self.spawn(role).is_err() {
                // Nobody would read if all waited for readers ahead that do not exist.
                let none_ahead = !self.readers.iter().any(|(_, held_back)| *held_back);
                if none_ahead && self.shared.plan.is_ahead(self.shared.fit.readers) {
                    self.shared.reserve.forgo();
                }
                return;
            }
        }
    }

    /// Waits until there is work for a second thread, or the first one is done, or waits for a file
    /// itself.
    fn wait_for_crowd(&self) {
        let from = Instant::now();
        loop {
            let noted = self.shared.out.noted();
            let is_over = self.shared.panicked.load(Ordering::SeqCst) || self.shared.feed.is_broken();
            let left = TICK.saturating_sub(from.elapsed());
            if is_over || self.shared.feed.is_crowded() || self.is_complete() || left.is_zero() {
                return;
            }
            self.shared.out.wait(noted, left);
        }
    }

    /// Whether the source has ended and each of its items has a record.
    fn is_complete(&self) -> bool {
        self.shared.feed.exhausted() && self.reorder.completed() == self.shared.feed.pulled()
    }

    fn spawn(&mut self, role: Role) -> std::io::Result<()> {
        let shared = self.shared.clone();
        let reader = role.reads.then(|| shared.reader());
        let in_hand = reader.as_ref().map(|r| r.in_hand());
        let alive = self.alive.clone();
        alive.fetch_add(1, Ordering::SeqCst);
        let life = move || {
            if catch_unwind(AssertUnwindSafe(|| live(&shared, reader, role))).is_err() {
                shared.panicked.store(true, Ordering::SeqCst);
            }
            alive.fetch_sub(1, Ordering::SeqCst);
            shared.out.notify();
        };
        if let Err(error) = spawn(life) {
            self.alive.fetch_sub(1, Ordering::SeqCst);
            return Err(error);
        }
        self.readers.extend(in_hand.map(|in_hand| (in_hand, role.held_back)));
        Ok(())
    }

    fn emit(&mut self, others: Vec<Role>, sink: &mut dyn Sink, control: &Control<'_>) -> Result<Summary, Error> {
        self.wait_for_crowd();
        if !self.is_complete() {
            self.start_others(others);
        }
        let mut summary = Summary::default();
        let mut emitted = 0;
        let mut last = Instant::now();
        loop {
            let noted = self.shared.out.noted();
            if self.shared.panicked.load(Ordering::SeqCst) || self.shared.feed.is_broken() {
                return Err(Error::Panicked);
            }
            // The order matters: the source's end is looked for before the last records are taken.
            let exhausted = self.shared.feed.exhausted();
            let records = self.reorder.take();
            let idle = records.is_empty();
            for mut record in records {
                emitted += 1;
                fail_point("write");
                // No user made it, and it is gone at the end: it has no row.
                if matches!(record.outcome, Outcome::Skipped(Skip::Unfinished)) {
                    continue;
                }
                count(&mut summary, &mut record, &self.shared.plan.levels);
                sink.record(record).map_err(Error::Sink)?;
            }
            if !idle {
                self.shared.feed.set_emitted(emitted);
                self.shared.events.notify();
            }
            if exhausted && emitted == self.shared.feed.pulled() {
                // A panic counts even in a thread that had nothing more to bring.
                if self.shared.panicked.load(Ordering::SeqCst) {
                    return Err(Error::Panicked);
                }
                sink.flush().map_err(Error::Sink)?;
                self.report(control, emitted);
                // The list of names may have ended only since a signal came.
                summary.interrupted = is_text_ended();
                return Ok(summary);
            }
            if control.is_cancelled() {
                summary.interrupted = true;
                sink.flush().map_err(Error::Sink)?;
                return Ok(summary);
            }
            if last.elapsed() >= TICK * 2 {
                last = Instant::now();
                sink.flush().map_err(Error::Sink)?;
                self.report(control, emitted);
                self.look_for_stalls();
            }
            if idle && !(exhausted && self.is_complete()) {
                self.shared.out.wait(noted, TICK);
            }
        }
    }

    fn report(&self, control: &Control<'_>, files: u64) {
        let stats = self.stats();
        control.report(&Progress::Files(FileProgress {
            files,
            bytes: stats.read_bytes,
            elapsed: stats.total,
            waited_for_space: stats.waited_for_space,
            waited_for_data: stats.waited_for_data,
            total: None,
        }));
    }

    /// Readers whose system call does not come back are replaced.
    fn look_for_stalls(&mut self) {
        let now = self.shared.clock.elapsed().as_millis() as u64;
        let limit = self.shared.plan.stall;
        let mut lost = Vec::new();
        self.readers.retain(|(reader, held_back)| {
            let stalled = reader.since().is_some_and(|since| now.saturating_sub(since) > limit.as_millis() as u64);
            if stalled {
                lost.push((reader.clone(), *held_back));
            }
            !stalled
        });
        self.shared.reserve.look();
        for (reader, held_back) in lost {
            self.shared.budget.write_off();
            self.shared.reserve.leave(Arc::as_ptr(&reader) as usize as u64);
            let lost = reader.lose();
            if let Some(entry) = lost.culprit {
                self.shared.table.abandon(entry.number);
                self.shared.spreads.lose(entry.number);
                let problem = Problem::new(Stage::Read, Cause::Stalled(limit.as_secs()));
                self.reorder.enter_problem(entry.number, entry.name(), problem);
            }
            self.shared.feed.give_back(lost.others);
            self.shared.events.notify();
            self.missing.push(held_back);
        }
        // Where no thread can be had now, it is tried again at the next look.
        while let Some(&held_back) = self.missing.last()
            && self.spawn(self.shared.plan.mode.reader(held_back)).is_ok()
        {
            self.missing.pop();
        }
    }

    fn end(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.reserve.dismiss();
        let from = Instant::now();
        while self.alive.load(Ordering::SeqCst) > 0 && from.elapsed() < FAREWELL {
            let noted = self.shared.out.noted();
            self.shared.events.notify();
            self.shared.work.notify_all();
            if self.alive.load(Ordering::SeqCst) > 0 {
                self.shared.out.wait(noted, Duration::from_millis(5));
            }
        }
    }

    fn stats(&self) -> Stats {
        let counters = &self.shared.counters;
        let time = |c: &AtomicU64| Duration::from_nanos(c.load(Ordering::Relaxed));
        let (alone_streams, alone_bytes) = self.shared.plan.alone.streams();
        Stats {
            total: self.shared.clock.elapsed(),
            read: time(&counters.read_ns),
            hash: time(&counters.hash_ns) + self.shared.places.lent(),
            waited_for_space: time(&counters.space_ns),
            waited_for_data: time(&counters.data_ns),
            waits_for_space: counters.space_waits.load(Ordering::Relaxed),
            waits_for_data: counters.data_waits.load(Ordering::Relaxed),
            read_bytes: self.shared.read_bytes.load(Ordering::Relaxed),
            hash_bytes: counters.hash_bytes.load(Ordering::Relaxed),
            batches: counters.batches.load(Ordering::Relaxed),
            jobs: counters.batch_jobs.load(Ordering::Relaxed),
            peak_table: self.shared.budget.peak() as u64,
            table: (self.shared.budget.slabs() * self.shared.budget.slab()) as u64,
            sharing: self.shared.places.most() as u64,
            lent: self.shared.places.lent(),
            alone_streams,
            alone_bytes,
            names: self.shared.plan.alone.named(),
        }
    }
}

/// Counts a record, whose problem gets its level.
fn count(summary: &mut Summary, record: &mut Record, levels: &Levels) {
    match &mut record.outcome {
        Outcome::Hashed(hashed) => {
            summary.hashed += 1;
            summary.bytes = summary.bytes.saturating_add(hashed.closed.size);
            summary.untimed += u64::from(hashed.closed.notes.contains(&Note::Untimed));
        }
        Outcome::Skipped(skip) => {
            summary.skipped += 1;
            summary.faults += u64::from(levels.counts(skip.finding()));
            summary.unopened += u64::from(*skip == Skip::Unopened);
        }
        Outcome::Failed(problem) => {
            problem.level = levels.of(problem.finding());
            summary.failed += 1;
            summary.faults += u64::from(problem.level == Level::Error);
            summary.unopened += u64::from(matches!(problem.cause, Cause::Unopened(_)));
        }
    }
}
