//! One medium, read once: to every digest and every target at the same time.
//!
//! A reader fills slabs of one byte-bounded budget; each unit of algorithms and each target has a
//! thread of its own, and all of them read the same slabs, in order (Panichprecha et al.,
//! *Multi-threading in disk cloner*: a reader and a writer around a ring buffer; here the ring is
//! the budget, and it has as many readers as there are ends).

mod failing;
mod prefix;
mod reading;
mod ring;
mod run;
mod sizes;
mod slabs;
mod units;

use crate::control::Control;
use crate::progress::Phase;
use crate::record::Piece;
use pfh_digest::{Algorithm, Digest};
use pfh_prefetch::Bytes;
use pfh_source::device::{Bad, ErrorPolicy, Stop};
use std::io;
use std::sync::Arc;
use std::time::Duration;

pub use ring::{Ring, RingError};
pub use run::image;

/// The treatment of holes in a sparse source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holes {
    /// They are read like everything else.
    #[default]
    Read,
    /// They are believed to be zeros: SEEK_HOLE has lied before, so this must be asked for.
    Skip,
}

/// The source, and the way to image it.
#[derive(Debug, Clone)]
pub struct Imaging {
    /// Digests of the image as written.
    pub algorithms: Vec<Algorithm>,
    /// Digests of every window of that many bytes as well. Windows that wait for the lanes hold as
    /// much as `memory` once more.
    pub piecewise: Option<u64>,
    /// Marks (xxh3-128) of every that many bytes, to find differing places by later. They prove
    /// nothing.
    pub marks: Option<u64>,
    /// Bytes that may be read and not yet hashed and written.
    pub memory: usize,
    /// The blocks that these bytes are cut into, if they are to be of a size or a number of their
    /// own; `memory` is ignored then, unless the size is [measured](Ring::measured).
    pub ring: Option<Ring>,
    /// Where on the medium the image starts, in bytes.
    pub from: u64,
    /// How many bytes at most; to the end of the medium by default.
    pub length: Option<u64>,
    /// That many bytes of the image are there already and are only hashed, from the image.
    pub done: u64,
    /// Unreadable runs of that part, by offset in the image.
    pub done_bad: Vec<Bad>,
    /// How unreadable sectors are dealt with.
    pub policy: ErrorPolicy,
    /// How many blocks are read at a time. Streams are read by one.
    pub readers: usize,
    /// Whether the holes of a sparse file are taken for zeros without being read.
    pub holes: Holes,
    /// The image is filled up with zeros to a multiple of that many bytes (formats that count
    /// sectors).
    pub pad: Option<u32>,
    /// How often targets are synced and reported to the caller, so that an interrupted run can go
    /// on there.
    pub checkpoint: Duration,
    /// How many of the targets, from the first on, hold the image; those behind are made of it. The
    /// run goes on without a target that fails for as long as one of these is left. `None`: it ends
    /// with the first that fails.
    pub independent: Option<usize>,
    /// Digests of the image's prefix at the checkpoints, where they are wanted.
    pub prefixes: Option<Prefixes>,
    /// Digests that the part that is there already must have: (bytes from the image's start,
    /// digest), in order, at most [`done`](Imaging::done).
    pub stated: Vec<(u64, Digest)>,
}

/// Digests of the image's prefix: a later run compares the image with them before it writes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefixes {
    /// By which algorithm. One of [`Imaging::algorithms`] costs next to nothing.
    pub algorithm: Algorithm,
    /// A digest at every multiple of that many bytes as well, for targets that settle behind the
    /// written bytes (E01: a chunk).
    pub grain: Option<u64>,
}

impl Imaging {
    /// 64 MiB: 64 slabs of 1 MiB; the paper's five buffers of 64 MB only add latency.
    pub const MEMORY: usize = 64 << 20;

    /// The whole medium, with these digests.
    pub fn new(algorithms: impl IntoIterator<Item: Into<Algorithm>>) -> Self {
        Imaging {
            algorithms: algorithms.into_iter().map(Into::into).collect(),
            piecewise: None,
            marks: None,
            memory: Self::MEMORY,
            ring: None,
            from: 0,
            length: None,
            done: 0,
            done_bad: Vec::new(),
            policy: ErrorPolicy::default(),
            readers: 1,
            holes: Holes::Read,
            pad: None,
            checkpoint: Duration::from_secs(10),
            independent: None,
            prefixes: None,
            stated: Vec::new(),
        }
    }
}

/// Consecutive bytes of the image; the slab behind them returns to the budget with the last copy.
#[derive(Clone)]
pub struct Portion {
    /// Where in the image, in bytes.
    pub offset: u64,
    /// The bytes, unreadable ones filled.
    pub bytes: Bytes,
}

/// How the image ended.
#[derive(Debug, Clone)]
pub struct Ending<'a> {
    /// Bytes of the image.
    pub bytes: u64,
    /// Its digests, in the order asked for.
    pub digests: &'a [Digest],
    /// Unreadable runs that were filled, by offset in the image.
    pub bad: &'a [Bad],
}

/// Where an image goes.
pub trait Target: Send {
    /// Writes the next portion. Portions come in order, without gaps.
    ///
    /// # Errors
    /// The system's; the run ends.
    fn write(&mut self, portion: &Portion) -> io::Result<()>;

    /// Puts everything written on the medium, and says up to which offset of the image (in bytes)
    /// it could go on later.
    ///
    /// # Errors
    /// Late write errors arrive here: without this call they arrive nowhere.
    fn sync(&mut self) -> io::Result<u64>;

    /// Completes the image, synced.
    ///
    /// # Errors
    /// As for [`sync`](Target::sync).
    fn finish(&mut self, end: &Ending<'_>) -> io::Result<()>;

    /// The time of its own threads, where it has some.
    fn packing(&self) -> Packing {
        Packing::default()
    }
}

/// The time of threads that pack the bytes of a target (E01: that compress them).
#[derive(Debug, Clone, Copy, Default)]
pub struct Packing {
    /// How long each of them worked, on average.
    pub busy: Duration,
    /// How long writing waited for them.
    pub waited: Duration,
}

/// Takes up to which offset all targets have the image on their media, in bytes, the unreadable
/// runs so far, and the digest of the image up to there where [`Imaging::prefixes`] asks for it.
pub type OnCheckpoint<'a> = dyn FnMut(u64, &[Bad], Option<&Digest>) -> io::Result<()> + 'a;

/// How the caller follows the run.
pub struct Follow<'a> {
    /// Ends the run early, resumable, and takes its progress.
    pub control: &'a Control<'a>,
    /// The purpose for which the medium is read: its progress is reported under this name.
    pub phase: Phase,
    /// Called at every checkpoint and at the end.
    pub settled: Option<&'a mut OnCheckpoint<'a>>,
}

impl<'a> Follow<'a> {
    /// Without checkpoints.
    pub fn new(control: &'a Control<'a>, phase: Phase) -> Self {
        Follow { control, phase, settled: None }
    }
}

/// Where the time went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// The whole.
    pub total: Duration,
    /// The readers, reading, each of them on average.
    pub read: Duration,
    /// The reader, waiting for a free slab.
    pub waited: Duration,
    /// The busiest unit of algorithms.
    pub hash: Duration,
    /// The busiest target's compressors, each of them.
    pub pack: Duration,
    /// The busiest target, without its waits for its compressors.
    pub write: Duration,
}

/// Its result.
#[derive(Debug, Clone)]
pub struct ImagingResult {
    /// Bytes of the image.
    pub bytes: u64,
    /// Bytes of it that are padding behind the medium's end.
    pub padded: u64,
    /// Digests in the order asked for. Empty when `stopped`.
    pub digests: Vec<Digest>,
    /// Windows and their digests.
    pub pieces: Vec<Piece>,
    /// Marks.
    pub marks: Vec<Piece>,
    /// Unreadable runs, by offset in the image.
    pub bad: Vec<Bad>,
    /// Sectors that were read only on a later try.
    pub retried: u64,
    /// Why it ended before its end: then there is no image yet, and no digest.
    pub stopped: Option<Stop>,
    /// Targets that failed while others went on, in the order in which they did: see
    /// [`Imaging::independent`].
    pub failed: Vec<FailedTarget>,
    /// Where the time went.
    pub times: Times,
}

/// A target that failed while others went on: it holds no complete image.
#[derive(Debug, Clone)]
pub struct FailedTarget {
    /// Which, counted from 0.
    pub target: usize,
    /// The system's error.
    pub error: Arc<io::Error>,
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum ImagingError {
    /// A target could not be written.
    #[error("target {target}: {error}")]
    Target {
        /// Which, counted from 0.
        target: usize,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The part that was there already could not be read back.
    #[error("present bytes cannot be read back at offset {offset}: {error}")]
    Prefix {
        /// Where, in bytes.
        offset: u64,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The part that was there already is not the one that was written.
    #[error("it was changed since it was written, between offsets {from} and {upto}")]
    Changed {
        /// Up to here it is as it was, in bytes of the image.
        from: u64,
        /// Here the digest is another one.
        upto: u64,
    },
    /// The caller's record of the settled bytes could not be written.
    #[error("the map: {0}")]
    Settled(io::Error),
    /// A thread could not be started.
    #[error("no thread: {0}")]
    Thread(io::Error),
    /// A thread of ours failed.
    #[error("a worker failed; the digests would be wrong")]
    Panicked,
}
