//! Many messages at once, whole and in pieces, give what each gives alone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_digest::{Algorithm, Digest, Hasher, finalize_many, hash_many, update_many, update_together};

fuzz_target!(|data: &[u8]| {
    // One byte chooses the algorithm, one the number of cuts, two bytes each cut; the rest is cut
    // into messages.
    let [which, cuts, rest @ ..] = data else { return };
    let algorithms: Vec<Algorithm> = Algorithm::all().collect();
    let algorithm = algorithms[usize::from(*which) % algorithms.len()];
    let cuts = usize::from(*cuts).min(rest.len() / 3);
    let (places, bytes) = rest.split_at(2 * cuts);
    let mut messages: Vec<&[u8]> = Vec::new();
    let mut left = bytes;
    for place in places.chunks_exact(2) {
        let length = usize::from(u16::from_le_bytes([place[0], place[1]])) % (left.len() + 1);
        let (message, after) = left.split_at(length);
        messages.push(message);
        left = after;
    }
    messages.push(left);
    let alone: Vec<Digest> = messages.iter().map(|message| algorithm.digest(message)).collect();
    assert_eq!(hash_many(algorithm, &messages), alone);

    // Every message in two pieces, cut at a third of its length.
    let mut hashers: Vec<Hasher> = messages.iter().map(|_| algorithm.hasher()).collect();
    for second in [false, true] {
        let piece = |message: &'_ [u8]| if second { message.len() / 3..message.len() } else { 0..message.len() / 3 };
        let mut jobs: Vec<(&mut Hasher, &[u8])> =
            hashers.iter_mut().zip(&messages).map(|(hasher, message)| (hasher, &message[piece(message)])).collect();
        update_many(&mut jobs);
    }
    assert_eq!(finalize_many(hashers), alone);

    // All algorithms over one message.
    let mut all: Vec<Hasher> = algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    update_together(&mut all.iter_mut().collect::<Vec<_>>(), first);
    update_together(&mut all.iter_mut().collect::<Vec<_>>(), second);
    for (hasher, algorithm) in all.into_iter().zip(&algorithms) {
        assert_eq!(hasher.finalize(), algorithm.digest(bytes));
    }
});
