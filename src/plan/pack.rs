//! Files into units that take about the same time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bytes that are read in the time in which a file is opened: 0.1 ms at a gigabyte per second on a
/// local disk, ten times as much on a network file system. A unit of many small files is as long
/// as one of few large ones.
pub const OPENING: u64 = 128 << 10;

/// Files of at least this share of a unit are dealt out one by one, before the others.
const LARGE: u64 = 32;

/// How many numbers of units are tried.
const TRIES: u32 = 16;

/// Packs files of these sizes into units of at most `bytes` and `files`, of about equal cost: its
/// bytes and [`OPENING`] for each file. A file of more than `bytes` is a unit by itself, and these
/// come first, the largest in front. Other large files go to the unit that has the least cost, and
/// the small ones fill the units up in their order, so that most of a directory is read by one
/// process. Gives the unit of each file, from 0, and the number of units; the same for the same
/// sizes.
pub fn pack(sizes: &[u64], bytes: u64, files: u64) -> (Vec<usize>, usize) {
    let mut places = vec![0; sizes.len()];
    let largest = |at: &usize| (Reverse(sizes[*at]), *at);
    let (mut alone, rest): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(|&at| sizes[at] > bytes);
    alone.sort_by_key(largest);
    alone.iter().enumerate().for_each(|(unit, &at)| places[at] = unit);
    let (mut large, small): (Vec<usize>, Vec<usize>) = rest.iter().partition(|&&at| sizes[at] > bytes / LARGE);
    large.sort_by_key(largest);

    let sum = rest.iter().fold(0_u64, |sum, &at| sum.saturating_add(sizes[at]));
    let mut count = sum.div_ceil(bytes).max((rest.len() as u64).div_ceil(files));
    // Where the bounds leave no room in this number of units, the last would have the rest alone:
    // with more of them all are below the bounds.
    for _ in 0..TRIES {
        let (units, within) = share(sizes, [&large, &small], [bytes, files, count]);
        within.into_iter().for_each(|(at, unit)| places[at] = alone.len() + unit);
        if units as u64 <= count {
            return (places, alone.len() + units);
        }
        count = (units as u64).max(count + count / 32);
    }
    let units = places.iter().max().map_or(0, |last| last + 1);
    (places, units.max(alone.len()))
}

/// Shares out large and small files into `count` units, or more where these have no room. Gives
/// the number of units, and the unit of each file.
fn share(
    sizes: &[u64],
    [large, small]: [&[usize]; 2],
    [bytes, files, count]: [u64; 3],
) -> (usize, Vec<(usize, usize)>) {
    let all = (0..count).map(|_| Unit::default()).collect();
    let mut units = Units { bytes, files, all, places: Vec::with_capacity(large.len() + small.len()) };
    let mut cheapest: BinaryHeap<_> = (0..units.all.len()).map(|unit| Reverse((0, unit))).collect();
    for &at in large {
        let first = cheapest.pop().map(|Reverse((_, unit))| unit);
        let unit = match first.filter(|&unit| units.has_room(unit, sizes[at])) {
            Some(unit) => unit,
            None => {
                cheapest.extend(first.map(|unit| Reverse((units.all[unit].cost, unit))));
                units.open()
            }
        };
        units.add(unit, at, sizes[at]);
        cheapest.push(Reverse((units.all[unit].cost, unit)));
    }
    fill(&mut units, sizes, small);
    units.close()
}

/// Fills the units up to the cost that each has if all are alike.
fn fill(units: &mut Units, sizes: &[u64], small: &[usize]) {
    let mut left: u64 = small.iter().fold(0, |sum: u64, &at| sum.saturating_add(cost(sizes[at])));
    let mut order: Vec<usize> = (0..units.all.len()).collect();
    order.sort_by_key(|&unit| (Reverse(units.all[unit].cost), unit));
    let mut held: u64 = order.iter().fold(0, |sum: u64, &unit| sum.saturating_add(units.all[unit].cost));
    let mut waiting = small.iter().peekable();
    for (done, &unit) in order.iter().enumerate() {
        // The fullest are first. One that is above the level takes nothing, and lowers that of the
        // others.
        let level = held.saturating_add(left) / (order.len() - done) as u64;
        held = held.saturating_sub(units.all[unit].cost);
        while let Some(&&at) = waiting.peek() {
            let Unit { files, cost: before, .. } = units.all[unit];
            let after = before.saturating_add(cost(sizes[at]));
            // To the level within half a file.
            let is_nearer = after.saturating_sub(level) <= level.saturating_sub(before);
            if !units.has_room(unit, sizes[at]) || !(is_nearer || files == 0) {
                break;
            }
            waiting.next();
            left = left.saturating_sub(cost(sizes[at]));
            units.add(unit, at, sizes[at]);
        }
    }
    let mut last = None;
    for &at in waiting {
        let unit = last.filter(|&unit| units.has_room(unit, sizes[at])).unwrap_or_else(|| units.open());
        last = Some(unit);
        units.add(unit, at, sizes[at]);
    }
}

/// The cost of a file, in bytes.
fn cost(size: u64) -> u64 {
    size.saturating_add(OPENING)
}

/// The units that have more than one file, or room for more.
struct Units {
    bytes: u64,
    files: u64,
    all: Vec<Unit>,
    places: Vec<(usize, usize)>,
}

#[derive(Default)]
struct Unit {
    bytes: u64,
    files: u64,
    cost: u64,
}

impl Units {
    fn open(&mut self) -> usize {
        self.all.push(Unit::default());
        self.all.len() - 1
    }

    fn has_room(&self, unit: usize, size: u64) -> bool {
        let Unit { bytes, files, .. } = self.all[unit];
        files < self.files && bytes.checked_add(size).is_some_and(|bytes| bytes <= self.bytes)
    }

    fn add(&mut self, unit: usize, at: usize, size: u64) {
        self.places.push((at, unit));
        let unit = &mut self.all[unit];
        (unit.bytes, unit.files, unit.cost) = (unit.bytes + size, unit.files + 1, unit.cost.saturating_add(cost(size)));
    }

    /// The units that have files, and the place of each file among them.
    fn close(self) -> (usize, Vec<(usize, usize)>) {
        let mut count = 0;
        let mut number = |unit: &Unit| {
            count += usize::from(unit.files > 0);
            count.saturating_sub(1)
        };
        let numbers: Vec<usize> = self.all.iter().map(&mut number).collect();
        (count, self.places.into_iter().map(|(at, unit)| (at, numbers[unit])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, files and cost of each unit.
    fn sums(sizes: &[u64], bytes: u64, files: u64) -> Vec<[u64; 3]> {
        let (places, units) = pack(sizes, bytes, files);
        let mut sums = vec![[0; 3]; units];
        for (&unit, &size) in places.iter().zip(sizes) {
            let sum = &mut sums[unit];
            *sum = [sum[0] + size, sum[1] + 1, sum[2] + cost(size)];
        }
        let is_bounded = |sum: &[u64; 3]| sum[1] == 1 || (sum[0] <= bytes && sum[1] <= files);
        assert!(sums.iter().all(is_bounded), "{sums:?}");
        assert!(sums.iter().all(|sum| sum[1] > 0), "a unit of nothing: {sums:?}");
        sums
    }

    /// Numbers that look like the sizes of files: many small ones, few large ones.
    fn sizes(count: u64, most: u64) -> Vec<u64> {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..count).map(|_| next() % (2 << (next() % u64::from(most.ilog2())))).collect()
    }

    #[test]
    fn huge_files_are_alone_and_first() {
        let all = [3, 100, 7, 0, 5, 5, 10, 2, 200, 8];
        let sums = sums(&all, 10, 100);
        assert_eq!((&sums[0][..2], &sums[1][..2]), (&[200, 1][..], &[100, 1][..]));
        assert_eq!(sums.iter().map(|sum| sum[0]).sum::<u64>(), 340);
        assert!(sums.len() <= 8, "{sums:?}");
        assert_eq!(pack(&all, 10, 100), pack(&all, 10, 100));
    }

    #[test]
    fn a_unit_has_a_bounded_number_of_files() {
        let (places, units) = pack(&[0; 10], 1, 4);
        assert_eq!(units, 3);
        assert!((0..3).all(|unit| places.iter().filter(|&&place| place == unit).count() <= 4));
        assert_eq!(pack(&[], 1, 1), (vec![], 0));
    }

    #[test]
    fn units_cost_about_the_same() {
        for (count, most) in [(20_000, 1 << 20), (3_000, 1 << 28), (50_000, 1 << 14)] {
            let all = sizes(count, most);
            let sums = sums(&all, 64 << 20, 5_000);
            let shared = sums.iter().filter(|sum| sum[1] > 1).map(|sum| sum[2]);
            let (least, highest) = (shared.clone().min().unwrap(), shared.clone().max().unwrap());
            assert!(highest - least <= highest / 20, "{count} of {most}: {least} to {highest} in {}", sums.len());
        }
    }

    #[test]
    fn small_files_stay_with_their_neighbours() {
        let all = sizes(20_000, 1 << 15);
        let (places, units) = pack(&all, 4 << 20, 100_000);
        let changes = places.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(units > 5 && changes < 2 * units, "{changes} changes among {units} units");
    }
}
