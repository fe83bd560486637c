//! Threads that deflate chunks; the results come back in the order of the jobs.

use pfh_container::ewf::{Compression, Compressor, PackedChunk};
use pfh_engine::Alarm;
use pfh_engine::imaging::Packing;
use pfh_prefetch::Bytes;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Chunks to be packed: in a slab, or joined from several.
pub(super) enum Chunks {
    Slab(Bytes),
    Joined(Vec<u8>),
}

impl std::ops::Deref for Chunks {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Chunks::Slab(bytes) => bytes,
            Chunks::Joined(bytes) => bytes,
        }
    }
}

/// A job's number and its packed chunks.
type PackedJob = (u64, Vec<PackedChunk>);

pub(super) struct Pool {
    jobs: Option<Sender<(u64, Chunks)>>,
    done: Receiver<Option<PackedJob>>,
    threads: Vec<JoinHandle<()>>,
    /// Nanoseconds that all threads worked.
    worked: Arc<AtomicU64>,
    /// How long their results were waited for.
    waited: Duration,
    given: u64,
    taken: u64,
    early: BTreeMap<u64, Vec<PackedChunk>>,
}

impl Pool {
    /// `threads` threads that cut their jobs into chunks of `chunk` bytes.
    pub(super) fn start(threads: usize, chunk: usize, compression: Compression) -> io::Result<Self> {
        let (jobs, queue) = channel::<(u64, Chunks)>();
        let (give, done) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let worked = Arc::<AtomicU64>::default();
        let start = |number| {
            let (queue, give, worked) = (queue.clone(), give.clone(), worked.clone());
            std::thread::Builder::new().name(format!("pfh-deflate-{number}")).spawn(move || {
                let mut compressor = Compressor::new(compression);
                let alarm = Alarm::new(give);
                loop {
                    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((number, chunks)) = job else { break };
                    pfh_source::fail_point("deflate");
                    let from = Instant::now();
                    let packed = chunks.chunks(chunk).map(|c| compressor.pack(c)).collect();
                    worked.fetch_add(from.elapsed().as_nanos() as u64, Ordering::Relaxed);
                    // The slab returns to the budget before the result is handed over.
                    drop(chunks);
                    if !alarm.send((number, packed)) {
                        break;
                    }
                }
            })
        };
        // One is enough where more cannot be had.
        let mut started = vec![start(0)?];
        started.extend((1..threads).map_while(|number| start(number).ok()));
        let threads = started;
        let (waited, early) = (Duration::ZERO, BTreeMap::new());
        Ok(Pool { jobs: Some(jobs), done, threads, worked, waited, given: 0, taken: 0, early })
    }

    pub(super) fn give(&mut self, chunks: Chunks) -> io::Result<()> {
        let failed = || io::Error::other("a thread that compresses failed");
        self.jobs.as_ref().ok_or_else(failed)?.send((self.given, chunks)).map_err(|_| failed())?;
        self.given += 1;
        Ok(())
    }

    /// The next job's chunks. Waits for them when more than `most` jobs are on their way; `None`
    /// when none is to be had.
    pub(super) fn take(&mut self, most: u64) -> io::Result<Option<Vec<PackedChunk>>> {
        loop {
            if let Some(packed) = self.early.remove(&self.taken) {
                self.taken += 1;
                return Ok(Some(packed));
            }
            let on_their_way = self.given - self.taken;
            let found = if on_their_way > most {
                let from = Instant::now();
                let found = self.done.recv().ok();
                self.waited += from.elapsed();
                found
            } else {
                match self.done.try_recv() {
                    Ok(found) => Some(found),
                    Err(_) => return Ok(None),
                }
            };
            let found = found.flatten().ok_or_else(|| io::Error::other("a thread that compresses failed"))?;
            self.early.insert(found.0, found.1);
        }
    }

    /// The time of the threads.
    pub(super) fn packing(&self) -> Packing {
        let worked = self.worked.load(Ordering::Relaxed) / self.threads();
        Packing { busy: Duration::from_nanos(worked), waited: self.waited }
    }

    pub(super) fn threads(&self) -> u64 {
        self.threads.len() as u64
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.jobs.take());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
