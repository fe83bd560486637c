//! Generation, in one pass over an input of unknown length.
//!
//! Three steps over each piece of the input: the kernel lists where the rolling hash may cut; those
//! places are walked, the skip after each cut left out; the chunks between are hashed, several at a
//! time, as each hash is one long chain of multiplications.

use super::fnv1a::{self, BASIS};
use super::{Digest, Ends, MrshV2};
use crate::bloom::Filter;
use crate::{Hasher, NoDigest};
use pfh_kernel::similarity::rolling;

const BACK: usize = rolling::LOOK_BACK;
/// Bytes taken in at a time, so that they are still in a near cache when the chunks are hashed.
const STEP: usize = 64 << 10;

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    method: MrshV2,
    length: u64,
    /// The last bytes that the rolling hash was fed, oldest first.
    window: [u8; BACK],
    /// After a cut: the bytes since, fewer than the skip is long. They are skipped once that many
    /// came, and fed if the input ends before.
    held: Option<Vec<u8>>,
    /// The hash of the chunk that is open.
    open: u64,
    chunks: u64,
    filters: Vec<Filter>,
    /// Chunks in the last filter.
    last: u32,
    candidates: Vec<u32>,
    ends: Vec<u32>,
    hashes: Vec<u64>,
    features: Option<Vec<u64>>,
}

/// A digest with the hashes of the chunks in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeaturedMrsh {
    /// The digest.
    pub digest: Digest,
    /// The hashes of all chunks, ascending, each once: for [`shared`](crate::shared). Eight bytes
    /// for about 200 of the input.
    pub chunks: Vec<u64>,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new(method: MrshV2) -> Generator {
        Generator {
            method,
            length: 0,
            window: [0; BACK],
            held: None,
            open: BASIS,
            chunks: 0,
            filters: vec![Filter::new()],
            last: 0,
            candidates: Vec::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
            features: None,
        }
    }

    /// The same, for [`Self::finalize_featured`].
    pub fn keeping_features(method: MrshV2) -> Generator {
        Generator { features: Some(Vec::new()), ..Generator::new(method) }
    }

    /// The digest with the hashes of its chunks; those are there only if the generator was made [to
    /// keep them](Self::keeping_features).
    pub fn finalize_featured(mut self) -> FeaturedMrsh {
        self.end();
        let mut chunks = self.features.take().unwrap_or_default();
        chunks.sort_unstable();
        chunks.dedup();
        FeaturedMrsh { digest: self.into_digest(), chunks }
    }

    fn into_digest(self) -> Digest {
        Digest::new(self.length, self.filters, self.method.maximum, self.last)
    }

    /// Adds the hash of a whole chunk.
    fn close(&mut self, hash: u64) {
        if self.chunks > 0 || self.method.ends == Ends::Kept {
            if self.last == self.method.maximum {
                self.filters.push(Filter::new());
                self.last = 0;
            }
            let filter = self.filters.last_mut().expect("there is always one");
            self.last += u32::from(filter.insert(std::array::from_fn(|i| (hash >> (11 * i)) as u32)));
            if let Some(features) = &mut self.features {
                features.push(hash);
            }
        }
        self.chunks += 1;
    }

    /// Takes in bytes one by one; the window may hold any bytes. Stops behind the first cut;
    /// returns the bytes taken in, and whether there was one.
    fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (i, &byte) in bytes.iter().enumerate() {
            let mut seven = [0; BACK + 1];
            seven[..BACK].copy_from_slice(&self.window);
            seven[BACK] = byte;
            self.window.copy_from_slice(&seven[1..]);
            self.open = fnv1a::step(self.open, byte);
            if triggers(&self.method, rolling::hash(&seven, BACK)) {
                let hash = std::mem::replace(&mut self.open, BASIS);
                self.close(hash);
                return (i + 1, true);
            }
        }
        (bytes.len(), false)
    }

    /// Takes in `bytes[BACK..]`; the bytes before were fed last and follow each other in the input.
    /// Stops early only behind a cut that stands so near the end that `feed` must go on; returns
    /// the bytes taken in, and whether it stopped so.
    fn scan(&mut self, bytes: &[u8]) -> (usize, bool) {
        let method = self.method;
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut ends = std::mem::take(&mut self.ends);
        candidates.clear();
        ends.clear();
        let power = method.block_size.trailing_zeros().min(16);
        rolling::candidates(bytes, BACK, ((1u32 << power) - 1) as u16, &mut candidates);
        // One in five of these is a cut; the CPU could not predict which.
        let mut kept = 0;
        for i in 0..candidates.len() {
            let place = candidates[i];
            candidates[kept] = place;
            kept += usize::from(triggers(&method, rolling::hash(bytes, place as usize)));
        }
        candidates.truncate(kept);
        let mut end = bytes.len();
        let mut from = BACK;
        let mut stopped_with = None;
        'cuts: for &candidate in &candidates {
            let mut cut = candidate as usize;
            if cut < from {
                continue;
            }
            let mut fed: [u8; BACK] = bytes[cut + 1 - BACK..=cut].try_into().expect("the bytes fed last");
            loop {
                ends.push((cut + 1 - BACK) as u32);
                let resume = cut + 1 + method.skip();
                if resume + BACK > bytes.len() {
                    end = cut + 1;
                    stopped_with = Some(fed);
                    break 'cuts;
                }
                // The first windows after the skip still hold bytes from before it.
                let mut joint = [0; 2 * BACK];
                joint[..BACK].copy_from_slice(&fed);
                joint[BACK..].copy_from_slice(&bytes[resume..resume + BACK]);
                match (0..BACK).find(|&i| triggers(&method, rolling::hash(&joint, BACK + i))) {
                    None => {
                        from = resume + BACK;
                        continue 'cuts;
                    }
                    Some(i) => {
                        cut = resume + i;
                        fed.copy_from_slice(&joint[i + 1..=i + BACK]);
                    }
                }
            }
        }
        let stopped = stopped_with.is_some();
        match stopped_with {
            Some(fed) => self.window = fed,
            None => self.window.copy_from_slice(&bytes[end - BACK..end]),
        }
        self.hash_chunks(&bytes[BACK..end], &ends);
        self.candidates = candidates;
        self.ends = ends;
        (end - BACK, stopped)
    }

    /// Adds the chunks of a piece that end where `ends` says, and leaves the one behind the last
    /// open.
    fn hash_chunks(&mut self, bytes: &[u8], ends: &[u32]) {
        let mut hashes = std::mem::take(&mut self.hashes);
        fnv1a::chunks(self.open, bytes, ends, &mut hashes);
        self.open = hashes.pop().expect("one hash more than ends");
        for &hash in &hashes {
            self.close(hash);
        }
        self.hashes = hashes;
    }

    /// Ends the input: the bytes held were not skipped after all, and the open chunk is the last.
    fn end(&mut self) {
        let held = self.held.take().unwrap_or_default();
        let mut rest = &held[..];
        while !rest.is_empty() {
            let (taken, _) = self.feed(rest);
            rest = &rest[taken..];
        }
        if self.length > 0 && self.method.ends == Ends::Kept {
            self.close(self.open);
        }
    }
}

#[inline]
fn triggers(method: &MrshV2, value: u32) -> bool {
    // Most inputs are cut with the default, and a constant divisor is cheaper.
    if method.block_size == 160 { value % 160 == 159 } else { value % method.block_size == method.block_size - 1 }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut at = 0;
        while at < bytes.len() {
            if let Some(held) = &mut self.held {
                let skip = self.method.skip();
                let taken = (skip - held.len()).min(bytes.len() - at);
                held.extend_from_slice(&bytes[at..at + taken]);
                at += taken;
                if held.len() < skip {
                    return;
                }
                self.open = held.iter().fold(self.open, |hash, &byte| fnv1a::step(hash, byte));
                self.held = None;
            }
            let head = bytes.len().min(at + BACK);
            let (taken, cut) = self.feed(&bytes[at..head]);
            at += taken;
            if cut {
                self.held = Some(Vec::with_capacity(self.method.skip()));
                continue;
            }
            while at < bytes.len() {
                let to = bytes.len().min(at + STEP);
                let (taken, cut) = self.scan(&bytes[at - BACK..to]);
                at += taken;
                if cut {
                    self.held = Some(Vec::with_capacity(self.method.skip()));
                    break;
                }
            }
        }
    }

    fn finalize(mut self) -> Result<Digest, NoDigest> {
        self.end();
        Ok(self.into_digest())
    }
}
