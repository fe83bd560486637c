//! The rank of every window: how improbable its entropy is.

use super::WINDOW;
use super::tables::{ENTROPY, RANKS};

/// Windows that slide at the same time, each over a part of its own, so that their table look-ups
/// overlap.
const LANES: usize = 4;

/// What a byte value's next occurrence adds to the entropy, by the occurrences before.
const STEPS: [i32; 64] = {
    let mut steps = [0; 64];
    let mut i = 0;
    while i < 64 {
        steps[i] = ENTROPY[i + 1] as i32 - ENTROPY[i] as i32;
        i += 1;
    }
    steps
};

/// Appends the ranks of the windows that begin at 0 to `bytes.len() - 65`. (The window at the last
/// place has no byte behind it, and such never get a rank.)
pub(super) fn append(bytes: &[u8], ranks: &mut Vec<u16>) {
    let count = bytes.len().saturating_sub(WINDOW);
    if count == 0 {
        return;
    }
    let base = ranks.len();
    ranks.resize(base + count, 0);
    let ranks = &mut ranks[base..];
    let each = count / LANES;
    if each >= WINDOW {
        let (a, rest) = ranks.split_at_mut(each);
        let (b, rest) = rest.split_at_mut(each);
        let (c, rest) = rest.split_at_mut(each);
        let (d, rest) = rest.split_at_mut(each);
        let part = |i: usize| &bytes[i * each..(i + 1) * each + WINDOW];
        slide([part(0), part(1), part(2), part(3)], [a, b, c, d]);
        slide([&bytes[LANES * each..]], [rest]);
    } else {
        slide([bytes], [ranks]);
    }
}

/// Slides a window over each part; a rank for each place but the last 64.
fn slide<const N: usize>(parts: [&[u8]; N], ranks: [&mut [u16]; N]) {
    let mut counts = [[0u8; 256]; N];
    let mut entropy = [0i32; N];
    for lane in 0..N {
        for &byte in &parts[lane][..WINDOW] {
            let count = &mut counts[lane][usize::from(byte)];
            entropy[lane] += STEPS[usize::from(*count)];
            *count += 1;
        }
    }
    let length = ranks[0].len();
    for i in 0..length {
        for lane in 0..N {
            ranks[lane][i] = RANKS[(entropy[lane] >> 10) as usize];
            let (old, new) = (parts[lane][i], parts[lane][i + WINDOW]);
            let count = &mut counts[lane][usize::from(old)];
            *count -= 1;
            entropy[lane] -= STEPS[usize::from(*count & 63)];
            let count = &mut counts[lane][usize::from(new)];
            entropy[lane] += STEPS[usize::from(*count & 63)];
            *count += 1;
        }
    }
}
