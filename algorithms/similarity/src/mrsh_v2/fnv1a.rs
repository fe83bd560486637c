//! FNV-1a of 64 bits (Fowler, Noll, Vo), over several chunks side by side.

/// The hash of nothing.
pub(super) const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x100_0000_01b3;
/// Chunks hashed at a time: one multiplication takes three to four cycles, and this many fill them.
const LANES: usize = 5;

/// The hash one byte on.
#[inline(always)]
pub(super) fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(PRIME)
}

/// Writes the hashes of the chunks that end at `ends` to `hashes`, and behind them the hash of the
/// bytes behind the last end. The first goes on from `open`.
pub(super) fn chunks(open: u64, bytes: &[u8], ends: &[u32], hashes: &mut Vec<u64>) {
    hashes.clear();
    hashes.resize(ends.len() + 1, 0);
    let mut next = 0;
    let mut start = 0;
    // The next chunk: its number, its hash so far and its bytes.
    let mut take = || {
        let number = next;
        let end = if number < ends.len() { ends[number] as usize } else { bytes.len() };
        let chunk = &bytes[start..end];
        (start, next) = (end, number + 1);
        (number, if number == 0 { open } else { BASIS }, chunk)
    };
    if ends.len() + 1 < LANES {
        for _ in 0..=ends.len() {
            let (number, hash, chunk) = take();
            hashes[number] = chunk.iter().fold(hash, |hash, &byte| step(hash, byte));
        }
        return;
    }
    let mut lanes: [(usize, u64, &[u8]); LANES] = std::array::from_fn(|_| take());
    let mut left = ends.len() + 1 - LANES;
    loop {
        let shortest = lanes.iter().map(|lane| lane.2.len()).min().expect("lanes");
        let mut state = lanes.map(|lane| lane.1);
        let [a, b, c, d, e] = lanes.map(|lane| &lane.2[..shortest]);
        for ((((a, b), c), d), e) in a.iter().zip(b).zip(c).zip(d).zip(e) {
            state =
                [step(state[0], *a), step(state[1], *b), step(state[2], *c), step(state[3], *d), step(state[4], *e)];
        }
        for (lane, state) in lanes.iter_mut().zip(state) {
            lane.1 = state;
            lane.2 = &lane.2[shortest..];
        }
        for i in 0..LANES {
            if lanes[i].2.is_empty() {
                if left == 0 {
                    return finish(lanes, hashes);
                }
                left -= 1;
                hashes[lanes[i].0] = lanes[i].1;
                lanes[i] = take();
            }
        }
    }
}

/// The chunks that are still in lanes when no more come; some of them may be whole already.
fn finish(lanes: [(usize, u64, &[u8]); LANES], hashes: &mut [u64]) {
    for (number, hash, chunk) in lanes {
        hashes[number] = chunk.iter().fold(hash, |hash, &byte| step(hash, byte));
    }
}
