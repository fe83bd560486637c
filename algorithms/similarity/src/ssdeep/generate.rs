//! Generation, in one pass over an input of unknown length.
//!
//! A *level* is a block size, `3 · 2^level`. Every cut of a level is one of all lower levels too.
//! The state of a level's piece hash depends on where its last cut was and on the bytes since, so
//! levels whose last cut was the same share a *run*: of a dozen levels only a few runs differ, and
//! those advance over the same bytes together in the kernel. A level that can no longer be printed
//! is dropped.

use super::digest::{Digest, Part};
use crate::{Hasher, NoDigest};
use pfh_kernel::similarity::{fnv6, rolling};

/// The longest input with a digest, in bytes: 192 GiB.
pub const MAXIMUM_LENGTH: u64 = 192 << 30;

/// Levels that can be printed as the first part.
const LEVELS: usize = 31;
/// Letters by which the first part is long enough for its level to be chosen.
const ENOUGH: u64 = 32;
/// The state of a piece hash before its first byte.
const INITIAL: u8 = 0x27;
/// Cuts after which a part of 64 letters, and one of 32, has room for its last letter only.
const LONG: u64 = 63;
const SHORT: u64 = 31;

/// The cuts and states of one level so far.
#[derive(Clone, Copy, Debug)]
struct Level {
    cuts: u64,
    /// The states at the first 63 cuts.
    states: [u8; LONG as usize],
    /// The state at the last cut, if it was the 64th or a later one; and likewise from the 32nd for
    /// the short form.
    last: u8,
    last_short: u8,
    /// The run that goes on from the last cut, or from the 63rd.
    run: usize,
    /// The run that goes on from the 31st cut, once there was another.
    run_short: Option<usize>,
}

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    length: u64,
    /// The last bytes before the next, for the rolling hash.
    tail: [u8; rolling::LOOK_BACK],
    /// The value of the rolling hash at the last byte.
    rolling: u32,
    /// The lowest level that is followed.
    floor: usize,
    /// Levels below it are not needed any more.
    low: usize,
    /// Levels from `low` that were cut.
    levels: Vec<Level>,
    /// Levels from this one on are not needed; 32 means all are.
    ceiling: usize,
    /// The states of the runs. While there are levels above `levels`, the first run has no cut
    /// behind it and serves those.
    runs: Vec<u8>,
    hits: Vec<u32>,
}

impl Default for Generator {
    fn default() -> Generator {
        Generator::new()
    }
}

impl Generator {
    /// For an input of unknown length.
    pub fn new() -> Generator {
        Generator::following(0, LEVELS + 1)
    }

    fn following(floor: usize, ceiling: usize) -> Generator {
        Generator {
            length: 0,
            tail: [0; rolling::LOOK_BACK],
            rolling: 0,
            floor,
            low: floor,
            levels: Vec::new(),
            ceiling,
            runs: vec![INITIAL],
            hits: Vec::new(),
        }
    }

    /// For an input of exactly this many bytes: follows only that many levels below the highest
    /// that its digest can begin with. None where nothing is gained by that.
    pub(super) fn with_length(length: u64, below: usize) -> Option<Generator> {
        let level = level_for(length);
        (level > below).then(|| Generator::following(level - below, level + 2))
    }

    /// After the first bytes of an input of unknown length, where these alone show that its digest
    /// begins with one of the highest levels: only those are followed. The result is that of
    /// `update`, which follows every level until it can be dropped, without the many cuts of low
    /// levels: 4,457 real files took one thread .77 s of processor time instead of .97 (minima of
    /// nine rounds).
    fn having(bytes: &[u8]) -> Option<Generator> {
        let low = level_for(bytes.len() as u64).checked_sub(2)?;
        let mut from_low = Generator::following(low, LEVELS + 1);
        from_low.go_on(bytes);
        // The lowest could be dropped, and so could those below it: the lower a level, the more its
        // cuts, and the shorter the inputs that it is for.
        if from_low.low == low {
            return None;
        }
        from_low.floor = 0;
        Some(from_low)
    }

    /// Goes on with more bytes.
    fn go_on(&mut self, bytes: &[u8]) {
        const BACK: usize = rolling::LOOK_BACK;
        if bytes.is_empty() {
            return;
        }
        // The positions whose windows reach back before `bytes`.
        let head = bytes.len().min(BACK);
        let mut joint = [0; 2 * BACK];
        joint[..BACK].copy_from_slice(&self.tail);
        joint[BACK..BACK + head].copy_from_slice(&bytes[..head]);
        self.take(&joint[..BACK + head]);
        let mut from = BACK;
        while from < bytes.len() {
            // Levels are dropped between two steps only, so the steps begin short.
            let step = ((192 << self.low.min(7)) as usize).min(16 << 10);
            let to = bytes.len().min(from + step);
            self.take(&bytes[from - BACK..to]);
            from = to;
        }
        if bytes.len() > BACK {
            self.tail.copy_from_slice(&bytes[bytes.len() - BACK..]);
            self.rolling = rolling::hash(bytes, bytes.len() - 1);
        } else {
            self.rolling = rolling::hash(&joint[..BACK + head], BACK + head - 1);
            self.tail.copy_from_slice(&joint[head..BACK + head]);
        }
    }

    /// Takes in bytes; the first [`rolling::LOOK_BACK`] of `bytes` were taken in before.
    fn take(&mut self, bytes: &[u8]) {
        let mask = (1u32 << self.low.min(16)) - 1;
        let mut hits = std::mem::take(&mut self.hits);
        hits.clear();
        rolling::candidates(bytes, rolling::LOOK_BACK, mask as u16, &mut hits);
        let mut from = rolling::LOOK_BACK;
        for &hit in &hits {
            let hit = hit as usize;
            let u = rolling::hash(bytes, hit).wrapping_add(1);
            if u == 0 || !u.is_multiple_of(3) {
                continue;
            }
            let level = u.trailing_zeros() as usize;
            if level < self.low {
                continue;
            }
            self.advance(&bytes[from..=hit]);
            self.cut(level);
            from = hit + 1;
        }
        self.advance(&bytes[from..]);
        self.hits = hits;
        self.length += (bytes.len() - rolling::LOOK_BACK) as u64;
        self.drop_levels();
    }

    fn advance(&mut self, bytes: &[u8]) {
        for group in self.runs.chunks_mut(fnv6::STATES) {
            let mut states = [0; fnv6::STATES];
            states[..group.len()].copy_from_slice(group);
            fnv6::advance(&mut states, group.len(), bytes);
            group.copy_from_slice(&states[..group.len()]);
        }
    }

    /// All levels up to `highest` are cut after the last byte.
    fn cut(&mut self, highest: usize) {
        let highest = highest.min(LEVELS - 1).min(self.ceiling - 1);
        let fresh = self.runs.len();
        self.runs.push(INITIAL);
        while self.low + self.levels.len() <= highest {
            let uncut = Level { cuts: 0, states: [0; LONG as usize], last: 0, last_short: 0, run: 0, run_short: None };
            self.levels.push(uncut);
        }
        for level in &mut self.levels[..=highest - self.low] {
            let state = self.runs[level.run];
            if level.cuts >= SHORT {
                level.last_short = self.runs[*level.run_short.get_or_insert(level.run)];
            }
            if level.cuts < LONG {
                level.states[level.cuts as usize] = state;
                level.run = fresh;
            } else {
                level.last = state;
            }
            level.cuts += 1;
        }
        self.drop_runs();
    }

    /// Drops levels that no following bytes can bring into the digest.
    fn drop_levels(&mut self) {
        let too_long = |level: usize, length: u64| length > longest(level);
        while self.low < LEVELS - 1
            && too_long(self.low, self.length)
            && self.levels.get(1).is_some_and(|next| next.cuts >= ENOUGH)
        {
            self.levels.remove(0);
            self.low += 1;
        }
        for (i, level) in self.levels.iter_mut().enumerate() {
            // With that many cuts it is the second part only if the level below is the highest that
            // the length allows.
            if level.run_short.is_some() && self.low + i > 0 && too_long(self.low + i - 1, self.length) {
                level.run_short = None;
            }
        }
        self.drop_runs();
    }

    /// Drops runs that no level uses. The run without a cut stays until all levels that are
    /// followed have one.
    fn drop_runs(&mut self) {
        let uncut_needed = self.low + self.levels.len() < self.ceiling;
        // A bit for each run: there are never more than twice the levels, and the new one.
        let mut used = u128::from(uncut_needed);
        for level in &self.levels {
            used |= 1 << level.run;
            if let Some(run) = level.run_short {
                used |= 1 << run;
            }
        }
        // The last run takes the place of one that is not needed; of those the last goes first.
        let mut unused = !used & ((1 << self.runs.len()) - 1);
        while unused != 0 {
            let gone = unused.ilog2() as usize;
            unused ^= 1 << gone;
            self.runs.swap_remove(gone);
            let last = self.runs.len();
            for level in &mut self.levels {
                if level.run == last {
                    level.run = gone;
                }
                if level.run_short == Some(last) {
                    level.run_short = Some(gone);
                }
            }
        }
    }

    /// The digest; none if a level below the floor would be needed, or the input is too long.
    pub(super) fn finish(&self) -> Option<Digest> {
        self.print(Part::LONGEST / 2)
    }

    /// The digest whose second part may have 64 letters too: libfuzzy's NOTRUNC.
    pub fn finalize_untruncated(self) -> Result<Digest, NoDigest> {
        self.print(Part::LONGEST).ok_or(NoDigest::TooLong(MAXIMUM_LENGTH))
    }

    fn print(&self, second_limit: usize) -> Option<Digest> {
        if self.length > MAXIMUM_LENGTH {
            return None;
        }
        let cuts = |level: usize| self.levels.get(level - self.low).map_or(0, |level| level.cuts);
        let mut level = level_for(self.length);
        while level > self.low && cuts(level) < ENOUGH {
            level -= 1;
        }
        if self.floor > 0 && cuts(level) < ENOUGH {
            return None;
        }
        let first = self.part(level, Part::LONGEST);
        let second = self.part(level + 1, second_limit);
        Some(Digest { level: level as u8, first, second })
    }

    fn part(&self, level: usize, limit: usize) -> Part {
        let mut part = Part::new();
        let Some(level) = self.levels.get(level - self.low) else {
            if self.rolling != 0 {
                part.push(self.runs[0]);
            }
            return part;
        };
        let room = limit as u64 - 1;
        for &state in &level.states[..level.cuts.min(room) as usize] {
            part.push(state);
        }
        let short = limit < Part::LONGEST;
        if self.rolling != 0 {
            let run = if short { level.run_short.unwrap_or(level.run) } else { level.run };
            part.push(self.runs[run]);
        } else if level.cuts > room {
            part.push(if short { level.last_short } else { level.last });
        }
        part
    }
}

/// The longest input, in bytes, for which this level can be the first part's.
fn longest(level: usize) -> u64 {
    (3 * Part::LONGEST as u64) << level
}

/// The level with which the choice of the first part's begins.
fn level_for(length: u64) -> usize {
    (0..LEVELS).find(|&level| longest(level) >= length).unwrap_or(LEVELS - 1)
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        // Only where nothing was taken in or decided before.
        let fresh = self.length == 0 && self.floor == 0 && self.ceiling > LEVELS;
        match fresh.then(|| Generator::having(bytes)).flatten() {
            Some(ahead) => *self = ahead,
            None => self.go_on(bytes),
        }
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        self.finish().ok_or(NoDigest::TooLong(MAXIMUM_LENGTH))
    }
}
