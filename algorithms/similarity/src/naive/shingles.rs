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

/// By the byte: whether it is of the tables in front of a JPEG's picture.
fn tables(input: &[u8]) -> Vec<bool> {
    let mut of_table = vec![false; input.len()];
    if !input.starts_with(&[0xff, 0xd8, 0xff]) {
        return of_table;
    }
    let mut at = 2;
    of_table[..at].fill(true);
    loop {
        // Bytes 0xff, the marker, and two bytes of length.
        let fill = input[at..].iter().take_while(|byte| **byte == 0xff).count();
        let marker = input.get(at + fill).copied().filter(|_| fill > 0);
        let has_length = marker.is_some_and(|marker| !matches!(marker, 0..=1 | 0xd0..=0xd9));
        let end = (at + fill + if has_length { 3 } else { 1 }).min(input.len());
        of_table[at..end].fill(true);
        let (Some(marker), Some(length)) = (marker.filter(|_| has_length), input.get(at + fill + 1..at + fill + 3))
        else {
            return of_table;
        };
        at = (end + (usize::from(length[0]) << 8 | usize::from(length[1])).saturating_sub(2)).min(input.len());
        let is_profile = marker == 0xe2;
        if is_profile || marker == 0xe0 || marker == 0xee || marker / 16 == 0xc || (0xda..0xe0).contains(&marker) {
            of_table[end..at].fill(true);
        }
        if marker == 0xda || at == input.len() {
            return of_table;
        }
    }
}

/// The level of an input, and the chosen windows themselves. None where no window varies.
pub fn windows(input: &[u8]) -> Option<(u8, BTreeSet<Vec<u8>>)> {
    let words = words();
    let mut by_level: Vec<(u32, &[u8])> = Vec::new();
    let of_table = tables(input);
    for (at, window) in input.windows(WINDOW).enumerate() {
        if of_table[at..at + WINDOW].contains(&true) {
            continue;
        }
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
