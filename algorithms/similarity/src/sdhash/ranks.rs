//! The rank of every window: how improbable its entropy is.
//!
//! A window that moves on by a byte counts one value less and another one more. The two changes of
//! the entropy are looked up by these counts, and two windows move on at a time, each over a half
//! of the bytes, so that neither waits for its look-ups alone.

use super::WINDOW;
use super::tables::{ENTROPY, RANKS};

/// The entropy that a byte value's next occurrence adds, by the number of occurrences before; for
/// all numbers of a byte, so that no look-up needs a check.
static GAINS: [i32; 256] = {
    let mut gains = [0; 256];
    let mut i = 0;
    while i < WINDOW {
        gains[i] = ENTROPY[i + 1] as i32 - ENTROPY[i] as i32;
        i += 1;
    }
    gains
};

/// The entropy that one occurrence less takes off, by the number of occurrences.
static LOSSES: [i32; 256] = {
    let mut losses = [0; 256];
    let mut i = 0;
    while i < WINDOW {
        losses[i + 1] = GAINS[i];
        i += 1;
    }
    losses
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

/// A window on its way.
struct Window {
    counts: [u8; 256],
    entropy: i32,
}

impl Window {
    fn new(bytes: &[u8]) -> Window {
        let mut window = Window { counts: [0; 256], entropy: 0 };
        bytes[..WINDOW].iter().for_each(|byte| window.enter(*byte));
        window
    }

    #[inline(always)]
    fn enter(&mut self, byte: u8) {
        let count = &mut self.counts[usize::from(byte)];
        self.entropy += GAINS[usize::from(*count)];
        *count = count.wrapping_add(1);
    }

    #[inline(always)]
    fn leave(&mut self, byte: u8) {
        let count = &mut self.counts[usize::from(byte)];
        self.entropy -= LOSSES[usize::from(*count)];
        *count = count.wrapping_sub(1);
    }

    #[inline(always)]
    fn rank(&self) -> u16 {
        BY_ENTROPY[(self.entropy >> 10) as usize & 1023]
    }
}

/// Whether the bytes that leave are those that enter, as in zeros: then every count stays, which
/// the look-ups would wait for again and again.
#[inline(always)]
fn stays((leaving, entering): (&[u8], &[u8])) -> bool {
    leaving[0] == entering[0] && leaving == entering
}

/// Appends the ranks of the windows that begin at 0 to `bytes.len() - 65`. (The window at the last
/// place has no byte behind it, and such never get a rank.)
pub(super) fn append(bytes: &[u8], ranks: &mut Vec<u16>) {
    let count = bytes.len().saturating_sub(WINDOW);
    if count == 0 {
        return;
    }
    let base = ranks.len();
    ranks.resize(base + count, 0);
    let (low, high) = ranks[base..].split_at_mut(count / 2);
    let half = low.len();
    let mut windows = [Window::new(bytes), Window::new(&bytes[half..])];
    let part = |from: usize| (&bytes[from..][..half], &bytes[from + WINDOW..][..half]);
    let (a, b) = (part(0), part(half));
    let (both, last) = high.split_at_mut(half);
    for from in (0..half).step_by(WINDOW) {
        let places = from..half.min(from + WINDOW);
        let (a, b) = ((&a.0[places.clone()], &a.1[places.clone()]), (&b.0[places.clone()], &b.1[places.clone()]));
        let (low, both) = (&mut low[places.clone()], &mut both[places]);
        if stays(a) && stays(b) {
            low.fill(windows[0].rank());
            both.fill(windows[1].rank());
            continue;
        }
        for i in 0..low.len() {
            low[i] = windows[0].rank();
            both[i] = windows[1].rank();
            windows[0].leave(a.0[i]);
            windows[1].leave(b.0[i]);
            windows[0].enter(a.1[i]);
            windows[1].enter(b.1[i]);
        }
    }
    // Of an odd number the last.
    if let [last] = last {
        *last = windows[1].rank();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of few or many values, runs among them.
    fn inputs() -> Vec<Vec<u8>> {
        let mut seed = 5u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as u32
        };
        let mut inputs = Vec::new();
        for values in [1, 2, 5, 40, 256] {
            for length in [0, 1, 63, 64, 65, 66, 67, 127, 128, 129, 191, 192, 193, 700, 1501] {
                inputs.push((0..length).map(|_| (next() % values) as u8).collect());
            }
            let runs = (0..60).flat_map(|_| vec![(next() % values) as u8; (next() % 90) as usize]);
            inputs.push([vec![9; 64], runs.collect()].concat());
        }
        inputs
    }

    #[test]
    fn a_rank_is_that_of_the_window_s_entropy() {
        for bytes in inputs() {
            let rank = |window: &[u8]| {
                let mut counts = [0; 256];
                window.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
                RANKS[counts.iter().map(|count| ENTROPY[*count]).sum::<u32>() as usize >> 10]
            };
            let windows = bytes.len().saturating_sub(WINDOW);
            let expected: Vec<u16> = bytes.windows(WINDOW).take(windows).map(rank).collect();
            let mut ranks = vec![77];
            append(&bytes, &mut ranks);
            assert_eq!(ranks[0], 77);
            assert_eq!(ranks[1..], expected, "{} bytes", bytes.len());
        }
    }
}
