//! The SHA-1 of features, many at a time.

use super::WINDOW;
use pfh_kernel::{SHA1, sha1};

/// The last block of a message of 64 bytes: the closing bit, zeros, and the length in bits.
const PADDING: [u8; 64] = {
    let mut block = [0; 64];
    block[0] = 0x80;
    block[62] = 0x02;
    block
};
/// Features hashed at a time.
const BATCH: usize = 64;

/// Calls `each` with the five words that a feature sets bits by, for the features that begin at
/// `places`, in their order.
pub(super) fn each(bytes: &[u8], places: &[u32], mut each: impl FnMut([u32; 5])) {
    let (mut initial, mut state) = (Vec::new(), Vec::new());
    for batch in places.chunks(BATCH) {
        let kernel = SHA1.many(batch.len());
        let lanes = kernel.lanes();
        initial.clear();
        initial.resize(kernel.state_length(), 0);
        for lane in 0..lanes {
            for (word, &value) in sha1::INITIAL.iter().enumerate() {
                initial[kernel.position(word, lane)] = value;
            }
        }
        for places in batch.chunks(lanes) {
            state.clone_from(&initial);
            let feature = |lane: usize| {
                // Lanes that are left over repeat the last feature.
                let place = places[lane.min(places.len() - 1)] as usize;
                &bytes[place..place + WINDOW]
            };
            with_messages(lanes, feature, |messages| kernel.compress(&mut state, messages, 1, 64));
            with_messages(lanes, |_| &PADDING[..], |messages| kernel.compress(&mut state, messages, 1, 64));
            for lane in 0..places.len() {
                // The digest's bytes are the state's words, big end first; they are read with the
                // little end first.
                each(std::array::from_fn(|word| state[kernel.position(word, lane)].swap_bytes()));
            }
        }
    }
}

/// Makes a list of messages without an allocation.
fn with_messages<'a>(lanes: usize, message: impl Fn(usize) -> &'a [u8], run: impl FnOnce(&[&'a [u8]])) {
    const MOST: usize = 32;
    assert!(lanes <= MOST);
    let mut messages: [&[u8]; MOST] = [&[]; MOST];
    for (lane, slot) in messages[..lanes].iter_mut().enumerate() {
        *slot = message(lane);
    }
    run(&messages[..lanes]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sha1::Digest as _;

    #[test]
    fn words_are_those_of_the_digest() {
        let bytes: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 5) as u8).collect();
        for count in [0, 1, 2, 7, 8, 9, 63, 64, 65, 200] {
            let places: Vec<u32> = (0..count).map(|i| i * 24).collect();
            let mut found = Vec::new();
            each(&bytes, &places, |words| found.push(words));
            let expected: Vec<[u32; 5]> = places
                .iter()
                .map(|&place| {
                    let digest = ::sha1::Sha1::digest(&bytes[place as usize..][..64]);
                    std::array::from_fn(|i| u32::from_le_bytes(digest[4 * i..][..4].try_into().unwrap()))
                })
                .collect();
            assert_eq!(found, expected);
        }
    }
}
