//! Reports of jobs while they run, and counts of a run over files.

use pfh_prefetch::host::atomic::{AtomicU64, Ordering};
use std::fmt;
use std::time::Duration;

/// The activity of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Phase {
    /// Files are read and hashed.
    #[default]
    Hashing,
    /// A medium is read into its targets.
    Acquiring,
    /// An image is read back, or its digests are verified.
    Verifying,
    /// Two things are compared with each other.
    Comparing,
    /// Lists are read and sorted.
    Reading,
    /// Something is computed from bytes that were read: an index, a file of known digests.
    Building,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Hashing => "hashing",
            Phase::Acquiring => "acquiring",
            Phase::Verifying => "verifying",
            Phase::Comparing => "comparing",
            Phase::Reading => "reading",
            Phase::Building => "building",
        })
    }
}

/// How far a job is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Progress {
    /// Of a run over files.
    Files(FileProgress),
    /// Of one medium or image.
    Medium(MediumProgress),
    /// Of a computation that counts in steps: pairs, records, nodes.
    Steps {
        /// The current work.
        phase: Phase,
        /// Steps that are done.
        done: u64,
        /// All steps, if their number is known.
        total: Option<u64>,
    },
}

impl Progress {
    /// The current work.
    pub fn phase(&self) -> Phase {
        match self {
            Progress::Files(_) => Phase::Hashing,
            Progress::Medium(medium) => medium.phase,
            Progress::Steps { phase, .. } => *phase,
        }
    }
}

/// How far a run over files is.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileProgress {
    /// Records out so far.
    pub files: u64,
    /// Bytes read so far.
    pub bytes: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// Time that readers have waited for space in the table, summed over threads (the paper's wait
    /// for space).
    pub waited_for_space: Duration,
    /// Time that workers have waited for data, summed over threads.
    pub waited_for_data: Duration,
    /// Number and bytes of all inputs, if they have been counted.
    pub total: Option<(u64, u64)>,
}

/// How far the reading of one medium is.
#[derive(Debug, Clone, Copy, Default)]
pub struct MediumProgress {
    /// The purpose for which the medium is read.
    pub phase: Phase,
    /// Bytes of the image that have been read (or taken from the present image).
    pub bytes: u64,
    /// All bytes, if their number is known.
    pub total: Option<u64>,
    /// Unreadable bytes so far.
    pub bad: u64,
    /// Since the start.
    pub elapsed: Duration,
}

/// Counters that every thread adds to.
#[derive(Default)]
pub(crate) struct Counters {
    pub read_ns: AtomicU64,
    pub hash_ns: AtomicU64,
    pub hash_bytes: AtomicU64,
    pub batches: AtomicU64,
    pub batch_jobs: AtomicU64,
    pub space_ns: AtomicU64,
    pub data_ns: AtomicU64,
    pub space_waits: AtomicU64,
    pub data_waits: AtomicU64,
}

impl Counters {
    pub fn add(counter: &AtomicU64, time: Duration) {
        counter.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Where the time went (the paper's `with-timing` and `with-stats`). Times of stages are sums over
/// threads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stats {
    /// Wall time of the run.
    pub total: Duration,
    /// Time in reading: listing, opening, reading, closing.
    pub read: Duration,
    /// Time in hashing.
    pub hash: Duration,
    /// Time that readers waited for space.
    pub waited_for_space: Duration,
    /// Time that workers waited for data.
    pub waited_for_data: Duration,
    /// How often a reader waited for space in the table (the paper's state counter).
    pub waits_for_space: u64,
    /// How often a worker waited for data.
    pub waits_for_data: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes hashed, counted once for any number of algorithms.
    pub hash_bytes: u64,
    /// Batches that workers took, and the jobs in them: jobs per batch fill the lanes.
    pub batches: u64,
    /// Jobs in all batches.
    pub jobs: u64,
    /// Most bytes in flight at once.
    pub peak_table: u64,
    /// Bytes that the table may hold.
    pub table: u64,
    /// Most threads that hashed leaves of one message at the same time; 0 if none was shared out.
    pub sharing: u64,
    /// Time in hashing leaves of one message beside its worker; part of `hash`.
    pub lent: Duration,
    /// Compressed streams that one thread decoded, where several were to decode.
    pub alone_streams: u64,
    /// Bytes that came out of them.
    pub alone_bytes: u64,
    /// Processor time of the thread that listed names in containers, where others decoded ahead.
    pub names: Duration,
}

impl Stats {
    /// Those of two runs, one behind the other.
    #[must_use]
    pub fn and(self, next: Stats) -> Stats {
        Stats {
            total: self.total + next.total,
            read: self.read + next.read,
            hash: self.hash + next.hash,
            waited_for_space: self.waited_for_space + next.waited_for_space,
            waited_for_data: self.waited_for_data + next.waited_for_data,
            waits_for_space: self.waits_for_space + next.waits_for_space,
            waits_for_data: self.waits_for_data + next.waits_for_data,
            read_bytes: self.read_bytes + next.read_bytes,
            hash_bytes: self.hash_bytes + next.hash_bytes,
            batches: self.batches + next.batches,
            jobs: self.jobs + next.jobs,
            peak_table: self.peak_table.max(next.peak_table),
            table: self.table.max(next.table),
            sharing: self.sharing.max(next.sharing),
            lent: self.lent + next.lent,
            alone_streams: self.alone_streams + next.alone_streams,
            alone_bytes: self.alone_bytes + next.alone_bytes,
            names: self.names + next.names,
        }
    }
}
