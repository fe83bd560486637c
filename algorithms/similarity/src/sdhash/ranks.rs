//! The rank of every window: how improbable its entropy is.

use super::WINDOW;
use super::tables::{ENTROPY, RANKS};
use pfh_kernel::similarity::steps;

/// What a byte value's next occurrence adds to the entropy, by the occurrences before.
const STEPS: [i16; WINDOW] = {
    let mut steps = [0; WINDOW];
    let mut i = 0;
    while i < WINDOW {
        steps[i] = (ENTROPY[i + 1] as i32 - ENTROPY[i] as i32) as i16;
        i += 1;
    }
    steps
};

/// [`RANKS`] by all numbers of ten bits; there is no entropy above 1,000 thousandths.
static BY_ENTROPY: [u16; 1024] = {
    let mut ranks = [0; 1024];
    let mut i = 0;
    while i < RANKS.len() {
        ranks[i] = RANKS[i];
        i += 1;
    }
    ranks
};

/// Changes of the entropy computed at a time.
const PART: usize = 2048;

/// Appends the ranks of the windows that begin at 0 to `bytes.len() - 65`. (The window at the last
/// place has no byte behind it, and such never get a rank.)
pub(super) fn append(bytes: &[u8], ranks: &mut Vec<u16>) {
    let count = bytes.len().saturating_sub(WINDOW);
    if count == 0 {
        return;
    }
    let base = ranks.len();
    ranks.resize(base + count, 0);
    let mut entropy = entropy(bytes[..WINDOW].try_into().expect("a window"));
    let mut changes = [0; PART];
    for (part, ranks) in ranks[base..].chunks_mut(PART).enumerate() {
        let changes = &mut changes[..ranks.len()];
        steps::changes(&bytes[part * PART..], &STEPS, changes);
        for (rank, change) in ranks.iter_mut().zip(changes) {
            *rank = BY_ENTROPY[(entropy >> 10) as usize & 1023];
            entropy += i32::from(*change);
        }
    }
}

/// The entropy of a window.
fn entropy(window: &[u8; WINDOW]) -> i32 {
    let mut counts = [0u8; 256];
    let mut entropy = 0;
    for &byte in window {
        let count = &mut counts[usize::from(byte)];
        entropy += i32::from(STEPS[usize::from(*count)]);
        *count += 1;
    }
    entropy
}
