//! Where two inputs have bytes in common.

use super::parameters::{WINDOW, least_level};
use super::window::{enter, name, roll, varies};
use std::collections::HashMap;

/// Equal bytes in two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they begin in the first one.
    pub a: u64,
    /// Where they begin in the second one.
    pub b: u64,
    /// How many there are, a window at least.
    pub length: u64,
}

/// Runs of equal bytes, found by the windows that the method chooses and then made as long as they
/// are: the `most` longest, in the order of the second input. Each byte of the second input is in
/// one of them at most. A repeated content is found where it comes first in the first input.
///
/// A run shorter than some hundred bytes may have no chosen window, and is missed.
pub fn runs(a: &[u8], b: &[u8], most: usize) -> Vec<Run> {
    let level = least_level(a.len().min(b.len()) as u64);
    let mut places = HashMap::new();
    chosen(a, level, &mut |at, name| {
        places.entry(name).or_insert(at);
    });
    let (mut found, mut end) = (Vec::new(), 0);
    chosen(b, level, &mut |at, name| {
        if at < end {
            return;
        }
        let Some(&from) = places.get(&name).filter(|&&from| a[from..from + WINDOW] == b[at..at + WINDOW]) else {
            return;
        };
        let equal = |(a, b): &(&u8, &u8)| a == b;
        let before = a[..from].iter().rev().zip(b[end..at].iter().rev()).take_while(equal).count();
        let after = a[from..].iter().zip(&b[at..]).take_while(equal).count();
        end = at + after;
        let [a, b, length] = [from - before, at - before, before + after].map(|number| number as u64);
        found.push(Run { a, b, length });
    });
    if found.len() > most {
        found.sort_by_key(|run| (std::cmp::Reverse(run.length), run.b));
        found.truncate(most);
        found.sort_by_key(|run| run.b);
    }
    found
}

/// The places and names of the windows of a level and above.
fn chosen(bytes: &[u8], level: u8, take: &mut dyn FnMut(usize, u64)) {
    let Some((first, _)) = bytes.split_first_chunk::<WINDOW>() else { return };
    let mask = (1u64 << level) - 1;
    let mut hash = first.iter().fold(0, |hash, &byte| enter(hash, byte));
    for (at, window) in bytes.windows(WINDOW).enumerate() {
        let window: &[u8; WINDOW] = window.try_into().expect("a window");
        if at > 0 {
            hash = roll(hash, bytes[at - 1], window[WINDOW - 1]);
        }
        if hash & mask == 0 && varies(window) {
            take(at, name(window, hash.trailing_zeros()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingles::Generator;
    use crate::{Content, Hasher};

    fn random(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed;
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect()
    }

    #[test]
    fn runs_are_as_long_as_they_are() {
        let (a, strange) = (random(1, 40_000), random(2, 40_000));
        let b = [&strange[..5_000], &a[10_000..22_000], &strange[5_000..9_000], &a[..7_000]].concat();
        let expected = [Run { a: 10_000, b: 5_000, length: 12_000 }, Run { a: 0, b: 21_000, length: 7_000 }];
        assert_eq!(runs(&a, &b, 9), expected);
        assert_eq!(runs(&a, &b, 1), expected[..1]);
        assert_eq!(
            runs(&b, &a, 9),
            [Run { a: 21_000, b: 0, length: 7_000 }, Run { a: 5_000, b: 10_000, length: 12_000 }]
        );
        assert_eq!(runs(&a, &a, 9), [Run { a: 0, b: 0, length: 40_000 }]);
        assert_eq!(runs(&a, &strange, 9), []);
        assert_eq!(runs(&a, b"", 9), []);
        assert_eq!(runs(&[0; 9_000], &[0; 9_000], 9), []);
    }

    /// Runs are equal bytes that cannot be longer and do not overlap, and the windows are those of
    /// the digests.
    #[test]
    fn any_two_inputs() {
        let mut state = 3u64;
        let mut next = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % most
        };
        let mut total = 0;
        for round in 0..300 {
            let whole = random(round, 3_000);
            let mut piece = |from: &[u8]| {
                let at = next(from.len());
                from[at..at + next(from.len() - at)].to_vec()
            };
            let a = [piece(&whole), random(round + 999, 200), piece(&whole)].concat();
            let b = [piece(&whole), random(round + 1999, 200), piece(&whole)].concat();
            let found = runs(&a, &b, usize::MAX);
            let mut end = 0;
            for run in &found {
                let [x, y, length] = [run.a, run.b, run.length].map(|number| number as usize);
                assert_eq!(a[x..x + length], b[y..y + length]);
                assert!(length >= WINDOW && y >= end);
                assert!(x == 0 || y == end || a[x - 1] != b[y - 1], "{run:?}");
                end = y + length;
                assert!(a.get(x + length).is_none() || b.get(end).is_none() || a[x + length] != b[end]);
            }
            total += found.len();
            let digest = |bytes: &[u8]| {
                let mut generator = Generator::new();
                generator.update(bytes);
                generator.finalize().map(Content::Shingles)
            };
            if let (Ok(Content::Shingles(x)), Ok(Content::Shingles(y))) = (digest(&a), digest(&b)) {
                // A finer level may have more.
                assert!(x.shared(&y) == 0 || !found.is_empty(), "{round}");
            }
        }
        assert!(total > 100, "{total}");
    }
}
