//! ssdeep: an inverted index of seven-letter sequences.
//!
//! A *key* is a sequence together with the level of its part. The keys of all digests are scattered
//! into bins, each bin is sorted, and keys that two or more digests have become *groups*. Then each
//! digest is compared with those before it in its groups, once.
//!
//! If the bins outgrow the memory allowed, several passes are made, each over a range of them.
//! Digests that share keys in several ranges are handed out in the first of those only.

use super::{HotGram, Pairs, Report, Share, Visitor, count, ordered};
use crate::ssdeep::{Digest, GRAM, Part, Target};
use crate::{Score, base64};
use std::ops::ControlFlow;

/// A key's bits: seven letters of six, and the level.
const LETTERS: u32 = 6 * GRAM as u32;
const KEY: u32 = LETTERS + 5;
/// Bins by the highest bits of a key: enough for a key's remaining bits and a place below 2^31 to
/// fit 64 bits.
const BIN: u32 = 14;
const BINS: usize = 1 << BIN;
const REST: u32 = KEY - BIN;
/// An odd factor that spreads keys over the bins, and its inverse modulo 2^64.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const INVERSE: u64 = 0xF1DE_83E1_9937_733D;
/// Bytes that a key takes at most while it is sorted and grouped.
const BYTES_PER_KEY: usize = 20;
/// Groups reported.
const HOTTEST: usize = 10;
/// Digests between two reports of progress.
const STEP: usize = 4096;
/// Comparisons between two reports of progress, about.
const COMPARED: u64 = 1 << 18;

/// Hands out every pair with a similarity of at least `threshold`, which counts as 1 if it is 0;
/// breaks off when the visitor does.
///
/// `memory` bounds, in bytes, the memory beside the digests, a copy of them and 12 bytes for each;
/// two megabytes are always taken.
pub fn ssdeep(
    digests: &[Digest],
    pairs: Pairs,
    threshold: u8,
    memory: usize,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    ssdeep_share(digests, pairs, threshold, memory, Share::WHOLE, visitor)
}

/// The part of [`ssdeep()`] whose pairs have the first of the keys that they share in this share of
/// the bins. The shares together hand out the pairs of one whole search, each pair once.
pub fn ssdeep_share(
    digests: &[Digest],
    pairs: Pairs,
    threshold: u8,
    memory: usize,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    let places = count(digests);
    let threshold = threshold.max(1);
    let digests: Vec<Digest> = digests.iter().map(Digest::collapsed).collect();
    let (sizes, ranges) = plan(&digests, memory, share);
    let mut report = Report { passes: ranges.len() as u32, ..Report::default() };
    if share.part == 0 {
        identical_short(&digests, pairs, visitor, &mut report)?;
    }
    let total = ranges.len() as u64 * u64::from(places);
    let mut seen = vec![u32::MAX; digests.len()];
    for (pass, range) in ranges.iter().enumerate() {
        let groups = Groups::new(&digests, &sizes, range.clone(), &mut report);
        visitor.hot(&report.hottest);
        seen.fill(u32::MAX);
        let mut said = report.compared;
        for (place, digest) in digests.iter().enumerate() {
            // A digest may have 60,000 others to be compared with.
            if place % STEP == 0 || report.compared - said > COMPARED {
                said = report.compared;
                visitor.progress(pass as u64 * u64::from(places) + place as u64, total)?;
            }
            let mut target = None;
            let mut before = None;
            for &group in groups.of(place) {
                for &other in groups.members(group).iter().take_while(|&&other| (other as usize) < place) {
                    let fresh = std::mem::replace(&mut seen[other as usize], place as u32) != place as u32;
                    if !fresh || !pairs.include(other, place as u32) {
                        continue;
                    }
                    // Looked for first: near equal digests share keys in most ranges.
                    let before = before.get_or_insert_with(|| keys_before(digest, range.start));
                    if shares_one(&digests[other as usize], before) {
                        continue;
                    }
                    report.compared += 1;
                    let target = target.get_or_insert_with(|| Target::new(digest));
                    let score = target.score(&digests[other as usize]);
                    if score >= threshold {
                        visitor.hit(ordered(other, place as u32, Score::Similarity(score)))?;
                    }
                }
            }
        }
    }
    ControlFlow::Continue(report)
}

/// How many keys of collapsed digests are in each bin, and the ranges of a share's bins that the
/// memory holds at a time.
pub(super) fn plan(digests: &[Digest], memory: usize, share: Share) -> (Vec<usize>, Vec<std::ops::Range<usize>>) {
    let mut sizes = vec![0usize; BINS];
    for digest in digests {
        each_key(digest, |key| sizes[bin(key)] += 1);
    }
    let first = |part: u32| (BINS as u64 * u64::from(part) / u64::from(share.of.max(1))) as usize;
    let bins = first(share.part)..first(share.part + 1);
    let ranges = ranges(&sizes, bins, (memory / BYTES_PER_KEY).max(1 << 16));
    (sizes, ranges)
}

/// Calls `each` with every key of a collapsed digest, spread, repetitions included.
fn each_key(digest: &Digest, mut each: impl FnMut(u64)) {
    for (part, level) in [(digest.first(), digest.level()), (digest.second(), digest.level() + 1)] {
        let mut letters = 0u64;
        for (i, &letter) in part.letters().iter().enumerate() {
            letters = (letters << 6 | value(letter)) & ((1 << LETTERS) - 1);
            if i + 1 >= GRAM {
                each((u64::from(level) << LETTERS | letters).wrapping_mul(FACTOR) & ((1 << KEY) - 1));
            }
        }
    }
}

/// Numbers for an index that lasts: two digests whose score is above 0 share at least one.
/// Ascending, each once. The number of a digest that is too short for a sequence of seven letters
/// is made from the whole digest, as only identical ones score.
pub fn keys(digest: &Digest) -> Vec<u64> {
    let digest = digest.collapsed();
    let mut keys = Vec::with_capacity(2 * Part::LONGEST);
    each_key(&digest, |key| keys.push(key));
    if keys.is_empty() {
        let fnv = digest
            .to_string()
            .bytes()
            .fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
        keys.push(1 << 63 | fnv >> 1);
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn value(letter: u8) -> u64 {
    u64::from(base64::value(letter).expect("a letter of the alphabet"))
}

fn bin(key: u64) -> usize {
    (key >> REST) as usize
}

/// Ranges of these bins with at most that many keys each; a bin with more is a range by itself.
fn ranges(sizes: &[usize], bins: std::ops::Range<usize>, most: usize) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut keys) = (bins.start, 0);
    for i in bins.clone() {
        let size = sizes[i];
        if keys + size > most && i > start {
            ranges.push(start..i);
            (start, keys) = (i, 0);
        }
        keys += size;
    }
    ranges.push(start..bins.end);
    ranges
}

/// The keys of a digest in bins before this one, ascending.
fn keys_before(digest: &Digest, first: usize) -> Vec<u64> {
    let mut keys = Vec::new();
    if first > 0 {
        each_key(digest, |key| {
            if bin(key) < first {
                keys.push(key);
            }
        });
        keys.sort_unstable();
    }
    keys
}

/// Whether a digest has one of these keys, which ascend.
fn shares_one(digest: &Digest, keys: &[u64]) -> bool {
    let mut shared = false;
    if !keys.is_empty() {
        each_key(digest, |key| shared = shared || keys.binary_search(&key).is_ok());
    }
    shared
}

/// Identical digests that have no seven letters in a row, two or more of each: they score 100 all
/// the same. Places ascend.
pub(super) fn identical_short_groups(digests: &[Digest]) -> Vec<Vec<u32>> {
    let short = |digest: &Digest| digest.first().letters().len() < GRAM && digest.second().letters().len() < GRAM;
    let mut places: Vec<u32> = (0..digests.len() as u32).filter(|&place| short(&digests[place as usize])).collect();
    places.sort_unstable_by_key(|&place| (digests[place as usize], place));
    let groups = places.chunk_by(|&a, &b| digests[a as usize] == digests[b as usize]);
    groups.filter(|group| group.len() > 1).map(<[u32]>::to_vec).collect()
}

/// The pairs of these.
fn identical_short(
    digests: &[Digest],
    pairs: Pairs,
    visitor: &mut impl Visitor,
    report: &mut Report,
) -> ControlFlow<()> {
    for group in identical_short_groups(digests) {
        for (i, &a) in group.iter().enumerate() {
            visitor.progress(0, 0)?;
            for &b in group[i + 1..].iter().filter(|&&b| pairs.include(a, b)) {
                report.compared += 1;
                visitor.hit(ordered(a, b, Score::Similarity(100)))?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The groups of the keys in a range of bins.
pub(super) struct Groups {
    /// The places in each group, ascending; group `g` is `members[starts[g]..starts[g + 1]]`.
    members: Vec<u32>,
    starts: Vec<u32>,
    /// The groups of each place; those of place `p` are `groups[firsts[p]..firsts[p + 1]]`.
    groups: Vec<u32>,
    firsts: Vec<u32>,
}

impl Groups {
    pub(super) fn new(
        digests: &[Digest],
        sizes: &[usize],
        range: std::ops::Range<usize>,
        report: &mut Report,
    ) -> Groups {
        let place_bits = 64 - REST;
        // Where the next key of each bin goes.
        let mut ends = Vec::with_capacity(range.len());
        let mut total = 0usize;
        for &size in &sizes[range.clone()] {
            ends.push(total);
            total += size;
        }
        let mut entries = vec![0u64; total];
        for (place, digest) in digests.iter().enumerate() {
            each_key(digest, |key| {
                if range.contains(&bin(key)) {
                    let end = &mut ends[bin(key) - range.start];
                    entries[*end] = key << place_bits | place as u64;
                    *end += 1;
                }
            });
        }
        let mut groups = Groups { members: Vec::new(), starts: vec![0], groups: Vec::new(), firsts: Vec::new() };
        let mut start = 0;
        for (i, &end) in ends.iter().enumerate() {
            let entries = &mut entries[start..end];
            entries.sort_unstable();
            for equal in entries.chunk_by(|a, b| a >> place_bits == b >> place_bits) {
                groups.add(equal, place_bits, (range.start + i) as u64, report);
            }
            start = end;
        }
        drop(entries);
        groups.by_place(digests.len());
        groups
    }

    /// Makes a group of entries with the same key, if two digests or more have it.
    fn add(&mut self, entries: &[u64], place_bits: u32, bin: u64, report: &mut Report) {
        if entries.len() < 2 {
            return;
        }
        let before = self.members.len();
        for &entry in entries {
            let place = (entry & ((1 << place_bits) - 1)) as u32;
            if self.members[before..].last() != Some(&place) {
                self.members.push(place);
            }
        }
        let size = self.members.len() - before;
        if size < 2 {
            self.members.truncate(before);
            return;
        }
        self.starts.push(u32::try_from(self.members.len()).expect("fewer than 2^32 keys in a pass"));
        let hottest = &mut report.hottest;
        if hottest.len() < HOTTEST || hottest.last().is_some_and(|last| (last.digests as usize) < size) {
            hottest.truncate(HOTTEST - 1);
            let at = hottest.partition_point(|hot| hot.digests as usize >= size);
            hottest.insert(at, hot_gram(bin << REST | entries[0] >> place_bits, size as u64));
        }
    }

    /// Lists the groups of each place.
    fn by_place(&mut self, places: usize) {
        let mut firsts = vec![0u32; places + 1];
        for &place in &self.members {
            firsts[place as usize + 1] += 1;
        }
        for i in 0..places {
            firsts[i + 1] += firsts[i];
        }
        let mut next = firsts.clone();
        self.groups = vec![0; self.members.len()];
        for group in 0..self.starts.len() - 1 {
            for &place in &self.members[self.starts[group] as usize..self.starts[group + 1] as usize] {
                self.groups[next[place as usize] as usize] = group as u32;
                next[place as usize] += 1;
            }
        }
        self.firsts = firsts;
    }

    pub(super) fn of(&self, place: usize) -> &[u32] {
        &self.groups[self.firsts[place] as usize..self.firsts[place + 1] as usize]
    }

    pub(super) fn members(&self, group: u32) -> &[u32] {
        &self.members[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }
}

fn hot_gram(key: u64, digests: u64) -> HotGram {
    let key = key.wrapping_mul(INVERSE) & ((1 << KEY) - 1);
    let letter = |i: usize| base64::ALPHABET[(key >> (6 * (GRAM - 1 - i)) & 63) as usize];
    HotGram { block_size: 3 << (key >> LETTERS), letters: std::array::from_fn(letter), digests }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_can_be_read_back() {
        let digest: Digest = "96:abcdefg:+/+/+/+/".parse().unwrap();
        let mut grams = Vec::new();
        each_key(&digest, |key| grams.push(hot_gram(key, 1)));
        let texts: Vec<_> =
            grams.iter().map(|gram| (gram.block_size, std::str::from_utf8(&gram.letters).unwrap())).collect();
        assert_eq!(texts, [(96, "abcdefg"), (192, "+/+/+/+"), (192, "/+/+/+/")]);
    }
}
