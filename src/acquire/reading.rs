//! The source's ranges to read, and the digests to compute.

use pfh_digest::Algorithm;
use pfh_engine::imaging::{Holes, Imaging, Ring};
use pfh_source::device::ErrorPolicy;
use std::time::Duration;

/// How often an unreadable sector is tried again unless something else is asked for, at every door.
pub const RETRIES: u32 = 2;

/// The source's ranges to read, and the digests to compute.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reading {
    /// Digests of the image as written. An E01 target adds MD5 and SHA-1, which the format holds.
    pub algorithms: Vec<Algorithm>,
    /// Digests of every window of that many bytes as well.
    pub piecewise: Option<u64>,
    /// Bytes that may be read and not yet hashed and written.
    pub memory: usize,
    /// The blocks that these bytes are cut into, if they are to be of a size or a number of their
    /// own; `memory` is of no account then, unless the size is [measured](Ring::measured).
    pub ring: Option<Ring>,
    /// Where on the medium the image starts, in bytes.
    pub from: u64,
    /// How many bytes at most; to the end of the medium by default.
    pub length: Option<u64>,
    /// How unreadable sectors are dealt with.
    pub policy: ErrorPolicy,
    /// How many blocks are read at a time; 0 for two, and for as many of an image as there are
    /// processors to decode them. Streams are read by one.
    pub readers: usize,
    /// Whether the holes of a sparse file are taken for zeros without being read.
    pub holes: Holes,
    /// The image is filled up with zeros to a multiple of that many bytes. An E01 image is filled
    /// up to whole sectors.
    pub pad: Option<u32>,
    /// How often targets are synced and the map is written.
    pub checkpoint: Duration,
}

impl Reading {
    /// All of the source, with these digests, and [`RETRIES`].
    pub fn new(algorithms: impl IntoIterator<Item: Into<Algorithm>>) -> Self {
        let Imaging { algorithms, piecewise, memory, ring, from, length, policy, holes, pad, checkpoint, .. } =
            Imaging::new(algorithms);
        let (readers, policy) = (0, ErrorPolicy { retries: RETRIES, ..policy });
        Reading { algorithms, piecewise, memory, ring, from, length, policy, readers, holes, pad, checkpoint }
    }

    /// The same for the engine. The remains of an earlier run, and the additions of the targets,
    /// are not in it.
    pub(super) fn imaging(&self) -> Imaging {
        Imaging {
            piecewise: self.piecewise,
            memory: self.memory,
            ring: self.ring,
            from: self.from,
            length: self.length,
            policy: self.policy.clone(),
            readers: self.readers,
            holes: self.holes,
            pad: self.pad,
            checkpoint: self.checkpoint,
            ..Imaging::new(self.algorithms.iter().copied())
        }
    }
}
