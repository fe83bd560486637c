//! Generation, in one pass over an input of unknown length.

use super::mode::{BLOCK_ELEMENTS, MINIMUM_LENGTH, STREAM_ELEMENTS, Sdhash, WINDOW};
use super::{Digest, features, ranks};
use crate::bloom::Filter;
use crate::{Hasher, NoDigest};
use pfh_kernel::similarity::lowest::Search;

/// Stream mode works in chunks of this many bytes; no feature straddles two of them.
const CHUNK: usize = 32 << 20;
/// Ranks computed at a time.
const TILE: usize = 16 << 10;
/// A window that was the lowest this often is not a feature yet; the next time it is one.
const THRESHOLD: u8 = 16;
/// A last filter with fewer elements than this is dropped if there are others.
const LEAST_IN_LAST: u32 = 20;
/// Elements after which the filter of all elements starts again.
const BIG_ELEMENTS: u32 = 8738;
/// Bits of the filter of all elements.
const BIG_BITS: usize = 1 << 17;

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    block: Option<u32>,
    length: u64,
    /// Bytes of the chunk or block before the ones in `bytes`.
    before: usize,
    bytes: Vec<u8>,
    /// The ranks of the windows that begin at the bytes, as far as they are known, and how often
    /// each was the lowest.
    ranks: Vec<u16>,
    scores: Vec<u8>,
    popularity: Search,
    places: Vec<u32>,
    filters: Filters,
    features: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
struct Filters {
    filters: Vec<Filter>,
    /// Elements of each filter.
    counts: Vec<u32>,
    /// All elements since it was last started: an element that it holds is not counted again.
    /// Stream mode only.
    big: Vec<u64>,
    big_count: u32,
}

/// A digest with the hashes of the features in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeaturedSdhash {
    /// The digest.
    pub digest: Digest,
    /// Eight bytes of the SHA-1 of every feature, ascending, each once: for
    /// [`shared`](crate::shared). In all, eight bytes for about 60 of the input.
    pub features: Vec<u64>,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new(method: Sdhash) -> Generator {
        let stream = method.block.is_none();
        Generator {
            block: method.block,
            length: 0,
            before: 0,
            bytes: Vec::new(),
            ranks: Vec::new(),
            scores: Vec::new(),
            popularity: Search::default(),
            places: Vec::new(),
            filters: Filters {
                filters: if stream { vec![Filter::new()] } else { Vec::new() },
                counts: if stream { vec![0] } else { Vec::new() },
                big: if stream { vec![0; BIG_BITS / 64] } else { Vec::new() },
                big_count: 0,
            },
            features: None,
        }
    }

    /// The same, for [`Self::finalize_featured`].
    pub fn keeping_features(method: Sdhash) -> Generator {
        Generator { features: Some(Vec::new()), ..Generator::new(method) }
    }

    /// The digest with the hashes of its features; those are there only if the generator was made
    /// [to keep them](Self::keeping_features).
    pub fn finalize_featured(mut self) -> Result<FeaturedSdhash, NoDigest> {
        self.end();
        let mut features = self.features.take().unwrap_or_default();
        features.sort_unstable();
        features.dedup();
        Ok(FeaturedSdhash { digest: self.into_digest()?, features })
    }

    /// Ranks the windows that became complete, and settles the scores that cannot change any more.
    fn stream_tile(&mut self) {
        let known = self.ranks.len();
        ranks::append(&self.bytes[known..], &mut self.ranks);
        self.scores.resize(self.ranks.len(), 0);
        let end = self.ranks.len().saturating_sub(WINDOW + 1);
        if end > self.popularity.next {
            self.popularity.run(&self.ranks, &mut self.scores, end);
            self.take_features(end);
            self.before += end;
            self.bytes.drain(..end);
            self.ranks.drain(..end);
            self.scores.drain(..end);
            self.popularity.forget(end);
        }
    }

    /// Ends a chunk: behind its last window all ranks are zero.
    fn stream_chunk(&mut self) {
        let known = self.ranks.len();
        ranks::append(&self.bytes[known..], &mut self.ranks);
        let end = self.ranks.len();
        self.ranks.resize(end + WINDOW + 1, 0);
        self.scores.resize(end + WINDOW + 1, 0);
        self.popularity.run(&self.ranks, &mut self.scores, end);
        self.take_features(end);
        self.start_anew();
        self.filters.big_count = 0;
    }

    fn start_anew(&mut self) {
        self.bytes.clear();
        self.ranks.clear();
        self.scores.clear();
        self.popularity = Search::default();
        self.before = 0;
    }

    /// Adds the features among the first `end` windows.
    fn take_features(&mut self, end: usize) {
        popular(&self.scores[..end], THRESHOLD + 1, &mut self.places);
        let (filters, kept) = (&mut self.filters, &mut self.features);
        features::each(&self.bytes, &self.places, |words| {
            keep(kept, words);
            filters.add(words);
        });
    }

    /// Ends a block: it has a filter of its own, with its most popular windows as elements.
    fn block(&mut self) {
        self.ranks.clear();
        ranks::append(&self.bytes, &mut self.ranks);
        let end = self.ranks.len();
        self.ranks.resize(end + WINDOW + 1, 0);
        self.scores.clear();
        self.scores.resize(end + WINDOW + 1, 0);
        self.popularity = Search::default();
        self.popularity.run(&self.ranks, &mut self.scores, end);
        let scores = &self.scores[..end];
        let full = self.block == u32::try_from(self.bytes.len()).ok();
        // None that scores less is ever chosen.
        popular(scores, THRESHOLD - 1, &mut self.places);
        let (threshold, mut allowed) = if full { threshold(scores, &self.places) } else { (THRESHOLD, BLOCK_ELEMENTS) };
        self.places.retain(|place| scores[*place as usize] >= threshold);
        let mut filter = Filter::new();
        let mut count = 0;
        // Hashing as many as are wanted in most blocks, then the rest if repetitions left room.
        for places in self.places.chunks(BLOCK_ELEMENTS as usize) {
            let mut place = places.iter();
            features::each(&self.bytes, places, |words| {
                let score = scores[*place.next().expect("a place for each feature") as usize];
                if count < BLOCK_ELEMENTS && (score > threshold || allowed > 0) {
                    keep(&mut self.features, words);
                    if filter.insert(words) {
                        count += 1;
                        allowed -= u32::from(score == threshold);
                    }
                }
            });
        }
        self.filters.filters.push(filter);
        self.filters.counts.push(count);
        self.start_anew();
    }

    fn end(&mut self) {
        match self.block {
            None => {
                self.stream_chunk();
                let filters = &mut self.filters;
                if filters.filters.len() > 1 && filters.counts.last().is_some_and(|&count| count < LEAST_IN_LAST) {
                    filters.filters.pop();
                    filters.counts.pop();
                }
            }
            Some(block) => {
                let length = self.bytes.len();
                if length >= block as usize || length as u64 >= MINIMUM_LENGTH {
                    self.block();
                }
            }
        }
    }

    fn into_digest(self) -> Result<Digest, NoDigest> {
        if self.length < MINIMUM_LENGTH {
            return Err(NoDigest::TooShort(MINIMUM_LENGTH));
        }
        Ok(Digest::new(self.length, self.block, self.filters.filters, self.filters.counts))
    }
}

/// Replaces `places` by those of the scores that are at least `least`. No score exceeds 65.
fn popular(scores: &[u8], least: u8, places: &mut Vec<u32>) {
    places.clear();
    let (words, rest) = scores.as_chunks::<8>();
    // The highest bit of each byte whose score is high enough.
    let (ones, tops) = (u64::MAX / 255, u64::MAX / 255 * 128);
    let lift = ones * u64::from(128 - least.min(127));
    for (index, words) in words.chunks(8).enumerate() {
        // A bit for each of 64 scores. Some of 64 are high enough, which leaves one branch that the
        // CPU cannot predict instead of eight.
        let mut chosen = 0;
        for (i, word) in words.iter().enumerate() {
            let high = (u64::from_le_bytes(*word) + lift) & tops;
            chosen |= ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        while chosen != 0 {
            places.push(64 * index as u32 + chosen.trailing_zeros());
            chosen &= chosen - 1;
        }
    }
    let from = scores.len() - rest.len();
    places.extend((from..scores.len()).filter(|place| scores[*place] >= least).map(|place| place as u32));
}

fn keep(features: &mut Option<Vec<u64>>, words: [u32; 5]) {
    if let Some(features) = features {
        features.push(u64::from(words[0]) | u64::from(words[1]) << 32);
    }
}

/// The score from which windows of a block become elements, [`THRESHOLD`] less 1 at the least, and
/// how many may that have just this score; `places` are those of all scores from there on.
fn threshold(scores: &[u8], places: &[u32]) -> (u8, u32) {
    const MOST: u32 = BLOCK_ELEMENTS;
    let mut histogram = [0u32; 256];
    for place in places {
        histogram[usize::from(scores[*place as usize])] += 1;
    }
    let mut sum = 0u32;
    let mut score = WINDOW + 1;
    while score >= usize::from(THRESHOLD) {
        if sum <= MOST && sum + histogram[score] > MOST {
            break;
        }
        sum += histogram[score];
        score -= 1;
    }
    (score as u8, MOST.saturating_sub(sum))
}

impl Filters {
    fn add(&mut self, words: [u32; 5]) {
        let filter = self.filters.last_mut().expect("stream mode has one from the start");
        if !filter.insert(words) || !insert_big(&mut self.big, words) {
            return;
        }
        let count = self.counts.last_mut().expect("one for each filter");
        *count += 1;
        if *count == STREAM_ELEMENTS {
            self.filters.push(Filter::new());
            self.counts.push(0);
        }
        self.big_count += 1;
        if self.big_count == BIG_ELEMENTS {
            self.big.fill(0);
            self.big_count = 0;
        }
    }
}

fn insert_big(big: &mut [u64], words: [u32; 5]) -> bool {
    let mut missing = 0;
    for word in words {
        let bit = word as usize & (BIG_BITS - 1);
        let mask = 1u64 << (bit & 63);
        missing |= mask & !big[bit >> 6];
        big[bit >> 6] |= mask;
    }
    missing != 0
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = match self.block {
                Some(block) => block as usize - self.bytes.len(),
                None => (CHUNK - self.before - self.bytes.len()).min(TILE + 4 * WINDOW - self.bytes.len()),
            };
            let (head, rest) = bytes.split_at(room.min(bytes.len()));
            self.bytes.extend_from_slice(head);
            bytes = rest;
            match self.block {
                Some(block) if self.bytes.len() == block as usize => self.block(),
                Some(_) => {}
                None if self.before + self.bytes.len() == CHUNK => self.stream_chunk(),
                None if self.bytes.len() == TILE + 4 * WINDOW => self.stream_tile(),
                None => {}
            }
        }
    }

    fn finalize(mut self) -> Result<Digest, NoDigest> {
        self.end();
        self.into_digest()
    }
}
