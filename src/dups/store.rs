//! What a store that keeps each chunk once would save.

use super::chunks::{Chunking, Store};
use super::event::{Event, Events};
use super::found::File;
use super::problem::Problem as Wrong;
use super::request::Request;
use super::summary::Summary;
use crate::job::Error;
use pfh_digest::{Algorithm, hash_many};
use pfh_engine::{Control, Phase, Progress};
use pfh_source::{Cause, Problem, Reading, Stage};
use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of chunks that are hashed at once.
const BATCH: usize = 1 << 20;

/// The first half of a chunk's digest, which no other chunk has, and its length.
type Chunk = (u128, u32);

/// Reads all files and counts their chunks. Files are in memory chunk by chunk; each different
/// chunk takes some 40 bytes to the end.
///
/// # Errors
/// When the caller ended the search, or an event was refused.
pub fn measure(
    request: &Request,
    chunking: Chunking,
    files: &[File],
    summary: &mut Summary,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Store, Error> {
    let algorithm = request.chunk_algorithm()?;
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let merged: Mutex<(HashMap<u128, u32>, u64, u64)> = Mutex::default();
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
            match chunks(file, chunking, algorithm, control) {
                Ok(chunks) => {
                    let mut merged = merged.lock().unwrap_or_else(PoisonError::into_inner);
                    for (digest, length) in chunks {
                        merged.1 += 1;
                        merged.2 += u64::from(length);
                        merged.0.insert(digest, length);
                    }
                }
                Err(problem) => failed.lock().unwrap_or_else(PoisonError::into_inner).push((at, problem)),
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
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|(at, _)| *at);
    for (at, problem) in failed {
        summary.failed += 1;
        events(Event::Unread(&files[at].names[0], &problem)).map_err(Error::Sink)?;
    }
    let (unique, chunks, bytes) = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
    summary.read += bytes;
    let unique_bytes = unique.values().map(|length| u64::from(*length)).sum();
    Ok(Store { chunking, chunks, bytes, unique: unique.len() as u64, unique_bytes })
}

/// The chunks of a file, which must be as it was seen.
fn chunks(file: &File, chunking: Chunking, algorithm: Algorithm, control: &Control<'_>) -> Result<Vec<Chunk>, Problem> {
    let mut plain = Plain { reading: file.entry.open()?, problem: None, control };
    let (mut all, mut batch, mut bytes) = (Vec::new(), Vec::new(), 0);
    let cut = chunking.cut(&mut plain, &mut |chunk| {
        bytes += chunk.len();
        batch.push(chunk);
        if bytes >= BATCH {
            hash(algorithm, &mut batch, &mut all);
            bytes = 0;
        }
    });
    let Plain { reading, problem, .. } = plain;
    if let Some(problem) = problem {
        return Err(problem);
    }
    cut.map_err(|error| Problem::io(Stage::Read, &error))?;
    hash(algorithm, &mut batch, &mut all);
    let closed = reading.close()?;
    match closed.stat.map_or(Some("file"), |stat| stat.change_since(&file.stat)) {
        Some(what) => Err(Problem::new(Stage::Check, Cause::Changed(what))),
        None => Ok(all),
    }
}

fn hash(algorithm: Algorithm, batch: &mut Vec<Vec<u8>>, all: &mut Vec<Chunk>) {
    let messages: Vec<&[u8]> = batch.iter().map(|chunk| &chunk[..]).collect();
    let half = |bytes: &[u8]| bytes.first_chunk().map_or(0, |half| u128::from_le_bytes(*half));
    let digests = hash_many(algorithm, &messages);
    // A chunk has at most 64 MiB.
    all.extend(digests.iter().zip(&messages).map(|(digest, chunk)| (half(digest.bytes()), chunk.len() as u32)));
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
