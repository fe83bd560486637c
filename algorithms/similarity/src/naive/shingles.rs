//! Shingles, slowly: every window is hashed by itself, and levels are tried one after the other.

use crate::shingles::{LEAST_DISTINCT, LEVEL, MOST, SHORT, WINDOW};
use std::collections::{BTreeSet, HashSet};

/// The words of the rolling hash, by splitmix64.
fn words() -> Vec<u64> {
    let mut state = 0x2432_f6a8_885a_308d_u64;
    let next = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let first = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        second ^ (second >> 31)
    };
    (0..256).map(next).collect()
}

/// The level of an input, and the chosen windows themselves. None where no window varies.
pub fn windows(input: &[u8]) -> Option<(u8, BTreeSet<Vec<u8>>)> {
    let words = words();
    let mut by_level: Vec<(u32, &[u8])> = Vec::new();
    for window in input.windows(WINDOW) {
        let mut hash = 0u64;
        for (i, &byte) in window.iter().enumerate() {
            hash ^= words[usize::from(byte)].rotate_left((WINDOW - 1 - i) as u32);
        }
        if window.iter().collect::<HashSet<_>>().len() >= LEAST_DISTINCT as usize {
            by_level.push((hash.trailing_zeros(), window));
        }
    }
    let finest = (0..u32::from(LEVEL)).find(|level| input.len() as u64 <= SHORT * 2u64.pow(*level));
    for level in finest.unwrap_or(LEVEL.into())..64 {
        let chosen: BTreeSet<Vec<u8>> =
            by_level.iter().filter(|(own, _)| *own >= level).map(|(_, window)| window.to_vec()).collect();
        if chosen.len() <= MOST {
            return (!chosen.is_empty()).then_some((level as u8, chosen));
        }
    }
    None
}
