//! Which way of reading brings most, by the bytes a second that each one brought.
//!
//! No device is asked what it is. Where seeks cost, a second reader makes the first one slower and
//! is sent back. Where the system reads ahead in each open file, pieces of many files in lanes have
//! more reads under way than several readers have; where latencies can be waited for together and
//! nothing is read ahead, each further reader is worth it.

use crate::host::Instant;

/// Files, or bytes, over which a rate is measured.
pub(crate) const FILES: u64 = 16;
const BYTES: u64 = 8 << 20;
/// A trial of a way ends after this part of that. On a disk with one head it costs a seek for each
/// piece that is read.
pub(crate) const TRIAL: u64 = 4;
/// A short trial must show that much, since seeks vary; a whole window follows.
const CLEAR: f64 = 1.3;
/// The opening of a file counts as this many bytes: rates of small and of large files are alike.
pub(crate) const OPENING: u64 = 128 << 10;
/// A rate has to rise by a tenth for another way, and must not fall by one for fewer readers.
const RISE: f64 = 1.1;
/// A trial that has taken that many times what the way before would have taken has failed.
const LATE: f64 = 1.5;
/// After a trial that failed, and each further one, that many times as many files are read before
/// the next. The share of trials in all reading is small, and a device that changes is found out.
const PATIENCE: u64 = 8;
/// Readers that are tried after lanes.
const SEVERAL: usize = 4;

/// A way of reading where reads wait for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// That many readers at a time read ahead, each one file to its end.
    Ahead(usize),
    /// Each thread that hashes reads pieces of several files for its own lanes.
    Lanes,
}

/// A trial of another way.
#[derive(Clone, Copy)]
struct Trial {
    /// The way before, and its bytes a second.
    before: Way,
    rate: f64,
    /// The part of a window that it takes.
    part: u64,
}

/// The way of reading now, and the measurements by which it is chosen.
pub(crate) struct Choice {
    way: Way,
    /// Most readers at a time.
    most: usize,
    /// Whether lanes are tried before a second reader: threads that hash are several.
    lanes_first: bool,
    from: Instant,
    files: u64,
    bytes: u64,
    trial: Option<Trial>,
    /// Trials that failed since a way was taken.
    failed: usize,
    /// Windows that were measured since the last trial, and those that must have been.
    measured: u64,
    needed: u64,
}

impl Choice {
    /// Begins with one reader of at most that many.
    pub(crate) fn new(most: usize, lanes_first: bool) -> Choice {
        Choice {
            way: Way::Ahead(1),
            most,
            lanes_first,
            from: Instant::now(),
            files: 0,
            bytes: 0,
            trial: None,
            failed: 0,
            measured: 0,
            needed: 1,
        }
    }

    /// The way of reading now.
    pub(crate) fn way(&self) -> Way {
        self.way
    }

    /// Begins to measure: of late the rate said nothing of the device.
    pub(crate) fn begin(&mut self) {
        (self.from, self.files, self.bytes) = (Instant::now(), 0, 0);
    }

    /// Takes this way, without a trial.
    pub(crate) fn take(&mut self, way: Way) {
        (self.way, self.trial) = (way, None);
        self.begin();
    }

    /// Takes in files that ended, and bytes. Whether the way has changed.
    pub(crate) fn add(&mut self, files: u64, bytes: u64) -> bool {
        self.files += files;
        self.bytes += bytes;
        let took = self.from.elapsed().as_secs_f64().max(1e-9);
        let next = self.next(took);
        std::mem::replace(&mut self.way, next) != next
    }

    /// The way from now on, after `took` seconds of this one.
    fn next(&mut self, took: f64) -> Way {
        let part = self.trial.map_or(1, |trial| trial.part);
        let work = (self.bytes + OPENING * self.files) as f64;
        let is_late = self
            .trial
            .is_some_and(|trial| !is_fewer(trial.before, self.way) && took > LATE * most_work(part) / trial.rate);
        if self.files * part < FILES && self.bytes * part < BYTES && !is_late {
            return self.way;
        }
        let rate = work / took;
        self.begin();
        let Some(Trial { before, rate: old, part }) = self.trial.take() else { return self.try_another(rate) };
        let is_fewer = is_fewer(before, self.way);
        if !is_fewer && part > 1 && rate >= old * CLEAR {
            self.trial = Some(Trial { before, rate: old, part: 1 });
            return self.way;
        }
        let is_better = if is_fewer { rate * RISE >= old } else { part == 1 && rate >= old * RISE };
        self.measured = 0;
        if is_better {
            (self.failed, self.needed) = (0, 1);
            return self.way;
        }
        self.failed += 1;
        self.needed = self.needed.saturating_mul(PATIENCE).max(PATIENCE);
        before
    }

    /// The way that is tried next, if it is time for it.
    fn try_another(&mut self, rate: f64) -> Way {
        self.measured += 1;
        let others = self.others();
        if self.measured < self.needed || others.is_empty() {
            return self.way;
        }
        let next = others[self.failed % others.len()];
        let part = match next {
            Way::Lanes => TRIAL * 2,
            _ if is_fewer(self.way, next) => 1,
            _ => TRIAL,
        };
        self.trial = Some(Trial { before: self.way, rate, part });
        next
    }

    /// Ways that may be better than the one now, the likeliest first. Fewer readers come last:
    /// devices change.
    fn others(&self) -> Vec<Way> {
        let more = |readers: usize| (readers <= self.most).then_some(Way::Ahead(readers));
        match self.way {
            Way::Ahead(1) if self.lanes_first => [Some(Way::Lanes), more(2)].into_iter().flatten().collect(),
            Way::Ahead(1) => [more(2), Some(Way::Lanes)].into_iter().flatten().collect(),
            Way::Ahead(readers) => {
                let doubled = (readers < self.most).then(|| Way::Ahead((readers * 2).min(self.most)));
                [doubled, Some(Way::Lanes), Some(Way::Ahead(readers / 2))].into_iter().flatten().collect()
            }
            Way::Lanes => vec![Way::Ahead(SEVERAL.min(self.most)), Way::Ahead(1)],
        }
    }
}

/// Whether one way is the other with fewer readers.
fn is_fewer(before: Way, after: Way) -> bool {
    matches!((before, after), (Way::Ahead(before), Way::Ahead(after)) if after < before)
}

/// The most work of a window.
fn most_work(part: u64) -> f64 {
    (FILES * OPENING + BYTES) as f64 / part as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of that many readers.
    type RateOfReaders = fn(usize) -> f64;

    /// Reads windows at the rate that each way has; the way at the end, and the share of the time
    /// that the best way would have taken.
    fn settles(lanes_first: bool, rate: impl Fn(Way) -> f64) -> (Way, f64) {
        let mut choice = Choice::new(8, lanes_first);
        let (mut work, mut time) = (0.0, 0.0);
        let mut best = 0.0_f64;
        for _ in 0..400 {
            let files = if choice.trial.is_some_and(|trial| trial.part > 1) { FILES / TRIAL } else { FILES };
            (choice.files, choice.bytes) = (files, 0);
            let now = (files * OPENING) as f64;
            let took = now / rate(choice.way);
            (work, time, best) = (work + now, time + took, best.max(rate(choice.way)));
            choice.way = choice.next(took);
        }
        (choice.trial.map_or(choice.way, |trial| trial.before), work / best / time)
    }

    #[test]
    fn the_way_is_the_one_that_brings_most() {
        let mib = f64::from(1 << 20);
        let ahead = |way, lanes: f64, each: RateOfReaders| match way {
            Way::Ahead(readers) => 20.0 * mib * each(readers),
            Way::Lanes => 20.0 * mib * lanes,
        };
        for lanes_first in [false, true] {
            // Two threads with lanes have two reads under way at the least.
            let two = if lanes_first { 2.0 } else { 1.0 };
            let cases: [(&str, f64, RateOfReaders, Way); 5] = [
                ("a disk with one head", 1.0 / two, |readers| 1.0 / readers as f64, Way::Ahead(1)),
                ("one thing at a time", 1.0, |_| 1.0, Way::Ahead(1)),
                ("latencies that are waited for together", two, |readers| readers as f64, Way::Ahead(8)),
                ("four at a time", two, |readers| readers.min(4) as f64, Way::Ahead(4)),
                ("the system reads ahead in each open file", 6.0, |readers| readers.min(4) as f64, Way::Lanes),
            ];
            for (name, lanes, each, best) in cases {
                let (way, share) = settles(lanes_first, |way| ahead(way, lanes, each));
                assert_eq!(way, best, "{name}, {lanes_first}");
                assert!(share > 0.9, "{name}, {lanes_first}: {share}");
            }
        }
    }

    #[test]
    fn no_way_needs_more_readers_than_there_are() {
        for most in 1..20 {
            for way in (1..=most).map(Way::Ahead).chain([Way::Lanes]) {
                let mut choice = Choice::new(most, true);
                choice.take(way);
                let others = choice.others();
                assert!(!others.contains(&way) || most == 1, "{way:?} of {most}: {others:?}");
                for other in others {
                    assert!(matches!(other, Way::Lanes) || matches!(other, Way::Ahead(n) if n >= 1 && n <= most));
                }
            }
        }
    }
}
