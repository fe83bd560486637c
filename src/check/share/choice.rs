//! Which files are checked in this run.

use super::asked::Share;
use super::state::{Key, State};
use std::cmp::Reverse;

/// A listed file.
pub struct SizedFile {
    /// Its key in the state.
    pub key: Key,
    /// Its size in bytes, as far as it is known.
    pub bytes: u64,
    /// Whether nothing of its name is there: it is named in each run, and costs nothing.
    pub is_gone: bool,
}

/// The files of a run.
pub struct Choice {
    /// Their places in the manifest: in its order, or by age where time may run out.
    pub chosen: Vec<usize>,
    /// Bytes that the run may read by its share.
    pub granted: i64,
    /// Whether these are all files.
    pub is_all: bool,
}

impl Choice {
    /// Those that are gone or failed last time, then the others by age until the share is used up.
    /// A large file uses up the share of later runs as well, so that the sum over all runs is
    /// right.
    pub fn of(all: &[SizedFile], state: &State, share: &Share) -> Choice {
        let total: u128 = all.iter().map(|one| u128::from(one.bytes)).sum();
        let granted = share.part.map_or(0, |(numerator, denominator)| {
            let part = (total * u128::from(numerator)).div_ceil(u128::from(denominator));
            i64::try_from(part).unwrap_or(i64::MAX)
        });
        let mut by_age: Vec<usize> = (0..all.len()).collect();
        let is_bad = |at: &usize| all[*at].is_gone || state.is_failed(&all[*at].key);
        by_age.sort_by_key(|at| (Reverse(is_bad(at)), state.round(&all[*at].key), *at));
        // Empty files alone cost nothing: all of them are a share.
        let mut left = if total == 0 { i64::MAX } else { state.credit().saturating_add(granted) };
        let mut chosen = Vec::new();
        let mut has_due = false;
        for at in by_age {
            if is_bad(&at) {
                chosen.push(at);
                continue;
            }
            // One file at least: a run without any says nothing.
            if share.part.is_some() && left <= 0 && has_due {
                break;
            }
            has_due = true;
            left = left.saturating_sub_unsigned(all[at].bytes);
            chosen.push(at);
        }
        let is_all = chosen.len() == all.len();
        if share.time.is_none() {
            chosen.sort_unstable();
        }
        Choice { chosen, granted, is_all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sized(bytes: &[u64]) -> Vec<SizedFile> {
        bytes
            .iter()
            .enumerate()
            .map(|(at, bytes)| SizedFile { key: Key::numbered(at), bytes: *bytes, is_gone: false })
            .collect()
    }

    /// Runs until each file was read, and how often each was.
    fn runs(all: &[SizedFile], denominator: u64) -> (u64, Vec<u64>) {
        runs_by(all, denominator, |run| run)
    }

    /// The same by a clock that shows this time in each run.
    fn runs_by(all: &[SizedFile], denominator: u64, clock: impl Fn(u64) -> u64) -> (u64, Vec<u64>) {
        let mut state = State::empty();
        let mut read = vec![0; all.len()];
        for run in 1.. {
            state.begin();
            let choice = Choice::of(all, &state, &Share::of(1, denominator));
            state.grant(choice.granted);
            for at in &choice.chosen {
                state.charge(all[*at].bytes);
                state.note(all[*at].key, clock(run), true);
                read[*at] += 1;
            }
            if choice.is_all {
                state.settle();
            }
            if read.iter().all(|count| *count > 0) {
                return (run, read);
            }
        }
        unreachable!("a run of all files ends it")
    }

    #[test]
    fn every_file_is_read_once_in_as_many_runs() {
        let uneven: Vec<u64> = (0..10_000_u64).map(|at| if at % 997 == 0 { 1 << 30 } else { at * at % 7919 }).collect();
        let cases = [uneven, vec![0; 50], vec![1 << 40, 1, 1, 1], vec![10; 30], vec![7; 31], vec![3]];
        for bytes in cases {
            let (run, read) = runs(&sized(&bytes), 30);
            assert!(run <= 30, "{run} runs");
            // One file of each run at most is read a second time.
            let again = read.iter().filter(|count| **count > 1).count();
            assert!(again < 30, "{again} of {} files were read again", bytes.len());
        }
        assert_eq!(runs(&sized(&[5; 90]), 30).1, [1; 90]);
        // Stopped, backwards, at 1970, at 2106 once: the clock has no say.
        let clocks: [fn(u64) -> u64; 4] =
            [|_| 7, |run| 1000 - run, |_| 0, |run| if run == 3 { 4_294_967_295 } else { 1_795_564_800 }];
        for clock in clocks {
            assert_eq!(runs_by(&sized(&[5; 90]), 30, clock), (30, vec![1; 90]));
        }
        assert_eq!(runs(&sized(&[1, 2, 3]), 1).0, 1);
    }
}
