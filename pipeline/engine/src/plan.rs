//! The plan of a run: its algorithms, memory, threads and readers.

use crate::mode::Mode;
use pfh_digest::Algorithm;
use pfh_prefetch::Backend;
use pfh_source::{Alone, Levels};
use std::time::Duration;

/// 128 MiB. Measured on 4,457 files of 274 KB on average (`bench/record`): the lanes of two workers
/// are full from 64 MiB on, and nothing is gained beyond 128 MiB.
pub const DEFAULT_MEMORY: usize = 128 << 20;

/// The plan of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Every algorithm to compute, in output order.
    pub algorithms: Vec<Algorithm>,
    /// Bytes of the RAM table. In flight is at most this plus one slab per reader.
    pub memory: usize,
    /// Threads that hash at the same time.
    pub threads: usize,
    /// Threads that read besides. Adaptive: only while reads wait for the device, as many of them
    /// as raise the bytes a second; they hash too when the table is full and a place is free. With
    /// 1 nobody else reads. SMT has none.
    pub prefetchers: usize,
    /// Who reads and who hashes.
    pub mode: Mode,
    /// Whether readers take turns on a device that says it is rotating, as several at once halve
    /// its speed. Without it, all read at once.
    pub turns: bool,
    /// How small files are read.
    pub backend: Backend,
    /// How often a failed read is tried again.
    pub retries: u32,
    /// A read that does not come back within this time is reported, and the run goes on without it.
    pub stall: Duration,
    /// Digests of every window of that many bytes, besides those of the whole. Windows that wait
    /// for the lanes hold half as much as `memory` besides.
    pub piecewise: Option<u64>,
    /// Where the source counts streams that one thread decodes.
    pub alone: Alone,
    /// How much each finding counts.
    pub levels: Levels,
}

impl Default for Plan {
    /// The machine's defaults, and no algorithm yet.
    fn default() -> Self {
        Plan::new(Vec::<Algorithm>::new())
    }
}

impl Plan {
    /// A plan for these algorithms with the machine's defaults: as many threads as there are
    /// processors, and four readers for each.
    pub fn new(algorithms: impl IntoIterator<Item: Into<Algorithm>>) -> Self {
        let threads = pfh_source::os::processors();
        Plan {
            algorithms: algorithms.into_iter().map(Into::into).collect(),
            memory: DEFAULT_MEMORY,
            threads,
            prefetchers: Mode::Adaptive.prefetchers(threads),
            mode: Mode::Adaptive,
            turns: true,
            backend: Backend::Auto,
            retries: 0,
            stall: Duration::from_secs(60),
            piecewise: None,
            alone: Alone::default(),
            levels: Levels::new(),
        }
    }

    /// Algorithms that one worker computes together, as indices into `algorithms`.
    pub(crate) fn units(&self) -> Vec<Vec<usize>> {
        units(&self.algorithms, self.threads)
    }

    /// Most readers at a time while reads wait, of that many threads that read: those besides the
    /// ones that hash, where there are any.
    pub(crate) fn ahead(&self, readers: usize) -> usize {
        if self.is_ahead(readers) { self.prefetchers.min(readers - self.threads.max(1)) } else { readers }
    }

    /// Whether there are threads that only read ahead, among that many that read.
    pub(crate) fn is_ahead(&self, readers: usize) -> bool {
        self.mode.is_ahead(self.threads, readers)
    }

    /// Number of threads that are to read, where enough files may be open.
    pub(crate) fn readers(&self) -> usize {
        self.mode.readers(self.threads, self.prefetchers)
    }
}

/// Algorithms that one worker computes together, as indices. Those that stitched kernels compute
/// for the price of the dearest of them stay together; each other one is a unit of its own, so that
/// idle threads can share one long message. A thread that shares with nobody has all that can be
/// stitched in one unit.
pub(crate) fn units(algorithms: &[Algorithm], threads: usize) -> Vec<Vec<usize>> {
    let mut together: Vec<Vec<usize>> = Vec::new();
    let mut apart = Vec::new();
    for (index, algorithm) in algorithms.iter().enumerate() {
        let joins = |unit: &&mut Vec<usize>| threads <= 1 || unit.iter().all(|i| algorithm.goes_with(algorithms[*i]));
        if !algorithm.is_stitched() {
            apart.push(vec![index]);
        } else if let Some(unit) = together.iter_mut().find(joins) {
            unit.push(index);
        } else {
            together.push(vec![index]);
        }
    }
    together.into_iter().chain(apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_together_is_a_unit() {
        let algorithms = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<Algorithm>>();
        let all = algorithms(&["md5", "sha3-256", "sha1", "sha512", "sha256", "blake3"]);
        assert_eq!(units(&all, 1), [vec![0, 2, 3, 4], vec![1], vec![5]]);
        // MD5 and SHA-512 want the same registers and units of the processor.
        assert_eq!(units(&all, 2), [vec![0, 2, 4], vec![3], vec![1], vec![5]]);
        assert_eq!(units(&algorithms(&["md5", "sha512"]), 2), [[0], [1]]);
        let long = units(&algorithms(&["sha256", "sha512"]), 2);
        assert!(long == [vec![0, 1]] || long == [vec![0], vec![1]], "{long:?}");
        assert_eq!(units(&[], 2), [[0; 0]; 0]);
    }
}
