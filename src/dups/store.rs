//! The saving of a store that keeps each chunk once, and the files that share chunks.

use super::chunks::{Chunking, Store};
use super::event::Events;
use super::found::File;
use super::group::Group;
use super::problem::Problem as Wrong;
use super::request::Request;
use super::shared::{self, ChunkCounts, posting};
use super::summary::Summary;
use crate::job::Error;
use pfh_digest::{Algorithm, hash_many};
use pfh_engine::{Control, Phase, Progress};
use pfh_pairs::{Failure, Sorter};
use pfh_source::{Cause, Problem, Reading, Stage};
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of chunks that are hashed at once.
const BATCH: usize = 1 << 20;

/// Reads all files and counts their chunks, then hands out the pairs of files that share some.
/// Chunks are in memory one by one; their digests within the plan's memory, or in a temporary file.
///
/// # Errors
/// When the caller ended the search, an event was refused, or the temporary file failed.
pub fn measure(
    (request, chunking): (&Request, Chunking),
    (files, groups): (&[File], &[Group]),
    summary: &mut Summary,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Store, Error> {
    let algorithm = request.chunk_algorithm()?;
    let memory = request.plan.memory / 2;
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let postings = Mutex::new((Sorter::new(memory), None));
    let failed: Mutex<Vec<(usize, Problem)>> = Mutex::default();
    let work = || {
        while !stop.load(Ordering::Relaxed) && !control.is_cancelled() {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(at) else { return };
            control.report(&Progress::Steps {
                phase: Phase::Reading,
                done: at as u64,
                total: Some(files.len() as u64),
            });
            pfh_source::fail_point("chunks");
            let mut take = |digest, length| {
                let (sorter, broken) = &mut *postings.lock().unwrap_or_else(PoisonError::into_inner);
                // Fits: there are fewer than 2^32 files.
                if let Err(error) = sorter.push(posting(digest, at as u32, length)) {
                    broken.get_or_insert(error);
                    stop.store(true, Ordering::Relaxed);
                }
            };
            if let Err(problem) = chunks(file, chunking, algorithm, control, &mut take) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push((at, problem));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..request.plan.threads.max(1) {
            // Without a thread the others do its work.
            let _ = std::thread::Builder::new().name("pfh-chunks".into()).spawn_scoped(scope, work);
        }
        work();
    });
    if control.is_cancelled() {
        return Err(Error::cancelled(Wrong::Interrupted));
    }
    let (postings, broken) = postings.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = broken {
        return Err(Failure::Spill(error).into());
    }
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|(at, _)| *at);
    let mut unread = Vec::new();
    for (at, problem) in failed {
        summary.unread(&files[at].names[0], problem, &request.plan.levels, events)?;
        unread.push(at);
    }
    let failed = unread;
    let stands = shared::stands(files, groups, &failed);
    let mut counted = shared::count(postings, &stands, &failed, memory, control)?;
    let pairs = counted.hand_out(files, (request.top, memory), events, control)?;
    summary.read += counted.bytes;
    let ChunkCounts { chunks, bytes, unique, unique_bytes, common, common_bytes, .. } = counted;
    Ok(Store { chunking, chunks, bytes, unique, unique_bytes, pairs, common, common_bytes })
}

/// Takes the digest and length of each chunk of a file, which must be as it was seen.
fn chunks(
    file: &File,
    chunking: Chunking,
    algorithm: Algorithm,
    control: &Control<'_>,
    take: &mut dyn FnMut(u128, u32),
) -> Result<(), Problem> {
    let mut plain = Plain { reading: file.entry.open()?, problem: None, control };
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let cut = chunking.cut(&mut plain, &mut |chunk| {
        bytes += chunk.len();
        batch.push(chunk);
        if bytes >= BATCH {
            hash(algorithm, &mut batch, take);
            bytes = 0;
        }
    });
    let Plain { reading, problem, .. } = plain;
    if let Some(problem) = problem {
        return Err(problem);
    }
    cut.map_err(|error| Problem::io(Stage::Read, &error))?;
    hash(algorithm, &mut batch, take);
    let closed = reading.close()?;
    match closed.stat.map_or(Some("file"), |stat| stat.change_since(&file.stat)) {
        Some(what) => Err(Problem::new(Stage::Check, Cause::Changed(what))),
        None => Ok(()),
    }
}

fn hash(algorithm: Algorithm, batch: &mut Vec<Vec<u8>>, take: &mut dyn FnMut(u128, u32)) {
    let messages: Vec<&[u8]> = batch.iter().map(|chunk| &chunk[..]).collect();
    // No other chunk has the first half of its digest.
    let half = |bytes: &[u8]| bytes.first_chunk().map_or(0, |half| u128::from_le_bytes(*half));
    let digests = hash_many(algorithm, &messages);
    // A chunk has at most 64 MiB.
    digests.iter().zip(&messages).for_each(|(digest, chunk)| take(half(digest.bytes()), chunk.len() as u32));
    batch.clear();
}

/// A file as the standard library reads.
struct Plain<'a, 'c> {
    reading: Reading,
    problem: Option<Problem>,
    control: &'a Control<'c>,
}

impl Read for Plain<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.control.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.reading.read(buffer).map_err(|problem| {
            self.problem = Some(problem);
            io::Error::other("unreadable")
        })
    }
}
