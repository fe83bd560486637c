//! Which files hold the same chunks, from the chunks of all files in bounded memory.

use super::event::{Event, Events};
use super::found::File;
use super::group::{Group, SharedPair};
use super::problem::Problem as Wrong;
use crate::job::Error;
use pfh_engine::Control;
use pfh_pairs::{Failure, Sorter};
use std::collections::HashMap;

/// Files that may hold a chunk for it to make pairs of them: the pairs of one chunk are their
/// number squared.
pub const MOST: usize = 100;

/// Chunks or pairs between two looks at the control.
const STEP: u64 = 1 << 16;

/// A chunk of a file: the halves of its digest, then the file's number and its length.
pub type Posting = [u64; 3];

/// The posting of a chunk.
pub fn posting(digest: u128, file: u32, length: u32) -> Posting {
    // The cast keeps the lower half.
    [(digest >> 64) as u64, digest as u64, u64::from(file) << 32 | u64::from(length)]
}

/// Counts of all chunks.
#[derive(Default)]
pub struct ChunkCounts {
    pub chunks: u64,
    pub bytes: u64,
    pub unique: u64,
    pub unique_bytes: u64,
    pub common: u64,
    pub common_bytes: u64,
    /// For each chunk that two files share: these files, the chunk's bytes, and how often both have
    /// it.
    shared: Option<Sorter<[u64; 3]>>,
}

/// Counts the chunks of all files but those that `failed`, and takes the pairs that share one.
/// `stands` has the number of the file that stands for each file.
///
/// # Errors
/// Those of the temporary file, and the caller's end of the job.
pub fn count(
    postings: Sorter<Posting>,
    stands: &[u32],
    failed: &[usize],
    memory: usize,
    control: &Control<'_>,
) -> Result<ChunkCounts, Error> {
    let mut counted = ChunkCounts { shared: Some(Sorter::new(memory)), ..ChunkCounts::default() };
    let mut current: Option<[u64; 3]> = None;
    // The files that hold a chunk, and how often.
    let mut holders: Vec<(u32, u64)> = Vec::new();
    let mut steps = 0u64;
    for posting in postings.sorted().map_err(Failure::Spill)? {
        let [high, low, rest] = posting.map_err(Failure::Spill)?;
        steps += 1;
        if steps.is_multiple_of(STEP) && control.is_cancelled() {
            return Err(Error::cancelled(Wrong::Interrupted));
        }
        let (file, length) = ((rest >> 32) as u32, u64::from(rest as u32));
        if failed.binary_search(&(file as usize)).is_ok() {
            continue;
        }
        (counted.chunks, counted.bytes) = (counted.chunks + 1, counted.bytes + length);
        if current != Some([high, low, length]) {
            counted.close(current, &holders)?;
            (current, counted.unique) = (Some([high, low, length]), counted.unique + 1);
            counted.unique_bytes += length;
            holders.clear();
        }
        match holders.last_mut() {
            Some((last, times)) if *last == file => *times += 1,
            _ if stands[file as usize] == file => holders.push((file, 1)),
            _ => {}
        }
    }
    counted.close(current, &holders)?;
    Ok(counted)
}

impl ChunkCounts {
    /// Takes the pairs of files that hold one chunk.
    fn close(&mut self, chunk: Option<[u64; 3]>, holders: &[(u32, u64)]) -> Result<(), Error> {
        let (Some([_, _, length]), Some(shared)) = (chunk, &mut self.shared) else { return Ok(()) };
        if holders.len() > MOST {
            (self.common, self.common_bytes) = (self.common + 1, self.common_bytes + length);
            return Ok(());
        }
        for (at, (a, some)) in holders.iter().enumerate() {
            for (b, others) in &holders[at + 1..] {
                let times = some.min(others);
                let pair = u64::from(*a) << 32 | u64::from(*b);
                shared.push([pair, times * length, *times]).map_err(Failure::Spill)?;
            }
        }
        Ok(())
    }

    /// Hands out the pairs, those with the most bytes in common first, at most `top` of them. Gives
    /// their number.
    ///
    /// # Errors
    /// Those of the temporary file, a refused event, and the caller's end of the job.
    pub fn hand_out(
        &mut self,
        files: &[File],
        (top, memory): (Option<u64>, usize),
        events: &mut Events<'_>,
        control: &Control<'_>,
    ) -> Result<u64, Error> {
        let Some(shared) = self.shared.take() else { return Ok(0) };
        let (mut ranked, mut pairs) = (Sorter::<[u64; 3]>::new(memory), 0u64);
        let mut sum: Option<(u64, u64, u64)> = None;
        let mut rank = |sum: Option<(u64, u64, u64)>| {
            let Some((pair, bytes, chunks)) = sum else { return Ok(()) };
            pairs += 1;
            ranked.push([!bytes, pair, chunks]).map_err(Failure::Spill)
        };
        let ended = |steps: u64| steps.is_multiple_of(STEP) && control.is_cancelled();
        for (steps, item) in (1..).zip(shared.sorted().map_err(Failure::Spill)?) {
            let [pair, bytes, times] = item.map_err(Failure::Spill)?;
            if ended(steps) {
                return Err(Error::cancelled(Wrong::Interrupted));
            }
            match &mut sum {
                Some((same, all, chunks)) if *same == pair => (*all, *chunks) = (*all + bytes, *chunks + times),
                _ => rank(sum.replace((pair, bytes, times)))?,
            }
        }
        rank(sum)?;
        let most = top.map_or(usize::MAX, |top| top as usize);
        for (steps, item) in (1..).zip(ranked.sorted().map_err(Failure::Spill)?.take(most)) {
            let [fewer, pair, chunks] = item.map_err(Failure::Spill)?;
            if ended(steps) {
                return Err(Error::cancelled(Wrong::Interrupted));
            }
            let [a, b] = [(pair >> 32) as u32, pair as u32].map(|number| &files[number as usize]);
            let (names, sizes) = ([&a.names[0][..], &b.names[0][..]], [a.stat.size, b.stat.size]);
            let row = SharedPair { names, sizes, chunks, bytes: !fewer };
            events(Event::Shared(&row)).map_err(Error::Sink)?;
        }
        Ok(pairs)
    }
}

/// The number of the file that stands for each: of equal files the one that is kept, unless it
/// `failed`, then the next.
pub fn stands(files: &[File], groups: &[Group], failed: &[usize]) -> Vec<u32> {
    // There are fewer than 2^32 files.
    let numbers: HashMap<&[u8], u32> = (0..).zip(files).map(|(at, file)| (&file.names[0][..], at)).collect();
    let mut stands: Vec<u32> = (0..).zip(files).map(|(at, _)| at).collect();
    for group in groups {
        let copies: Vec<u32> =
            group.copies.iter().filter_map(|copy| numbers.get(&copy.names[0][..]).copied()).collect();
        let read = |at: &&u32| failed.binary_search(&(**at as usize)).is_err();
        if let Some(kept) = copies.iter().find(read) {
            copies.iter().for_each(|at| stands[*at as usize] = *kept);
        }
    }
    stands
}
