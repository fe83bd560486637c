//! The hashes of a window: one that rolls and chooses, one that names.

use super::parameters::{COARSEST, LEAST_DISTINCT, WINDOW};

/// Random words for each byte, from splitmix64 (Steele, Lea & Flood 2014) seeded with pi.
const WORDS: [u64; 256] = {
    let mut words = [0; 256];
    let (mut i, mut state) = (0, 0x2432_f6a8_885a_308d_u64);
    while i < 256 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        words[i] = word ^ (word >> 31);
        i += 1;
    }
    words
};

/// The words turned by the length of a window: they leave with the oldest byte.
const LEAVING: [u64; 256] = {
    let mut words = WORDS;
    let mut i = 0;
    while i < 256 {
        words[i] = words[i].rotate_left(WINDOW as u32);
        i += 1;
    }
    words
};

/// The hash of the window one byte on (cyclic polynomials: Cohen 1997).
#[inline(always)]
pub(super) fn roll(hash: u64, leaving: u8, entering: u8) -> u64 {
    hash.rotate_left(1) ^ LEAVING[usize::from(leaving)] ^ WORDS[usize::from(entering)]
}

/// The hash of a window that is not full yet.
#[inline(always)]
pub(super) fn enter(hash: u64, entering: u8) -> u64 {
    hash.rotate_left(1) ^ WORDS[usize::from(entering)]
}

/// The name of a window: its content hashed by other means than those that chose it, and its level
/// in the lowest six bits. Two equal ones are equal windows but for a collision of 58 bits.
pub(super) fn name(window: &[u8; WINDOW], level: u32) -> u64 {
    let mut hash = 0x4528_21e6_38d0_1377_u64;
    for word in window.as_chunks::<8>().0 {
        // As in wyhash: both halves of a product, so that every bit of the word spreads.
        let product = u128::from(u64::from_le_bytes(*word) ^ 0xbe54_66cf_34e9_0c6c) * u128::from(hash | 1);
        hash = (product >> 64) as u64 ^ product as u64 ^ hash.rotate_left(29);
    }
    hash ^= hash >> 32;
    hash.wrapping_mul(0xd6e8_feb8_6659_fd93) & !63 | u64::from(level.min(u32::from(COARSEST)))
}

/// The level of a named window.
pub(super) fn level(name: u64) -> u8 {
    (name & 63) as u8
}

/// Whether a window has enough different bytes. Most have after a few.
pub(super) fn varies(window: &[u8; WINDOW]) -> bool {
    let (mut seen, mut distinct) = ([0u64; 4], 0);
    for byte in window {
        let (word, bit) = (&mut seen[usize::from(byte >> 6)], 1 << (byte & 63));
        distinct += u32::from(*word & bit == 0);
        if distinct >= LEAST_DISTINCT {
            return true;
        }
        *word |= bit;
    }
    false
}
