//! Properties of every message: pieces, copies, resets and companions change nothing.

use std::io::Write;

use pfh_digest::{Algorithm, Hasher, advance_many, finalize_many, hash_many, update_many};
use proptest::collection::vec;
use proptest::prelude::*;

/// Algorithms with a stated length are also asked for more than one block of output.
fn algorithms() -> impl Iterator<Item = Algorithm> {
    Algorithm::all().chain(["shake128:1", "shake256:500", "blake3:131"].map(|name| name.parse().unwrap()))
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..3000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_pieces_make_one_message(message in message(), cuts in vec(0usize..3000, 0..12)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(message.len())).collect();
        cuts.sort_unstable();
        for algorithm in algorithms() {
            let whole = algorithm.digest(&message);
            let mut hasher = algorithm.hasher();
            let mut start = 0;
            for &cut in &cuts {
                hasher.update(&message[start..cut]);
                start = cut;
            }
            hasher.write_all(&message[start..]).unwrap();
            prop_assert_eq!(hasher.finalize(), whole);
        }
    }

    #[test]
    fn a_copy_goes_its_own_way(head in message(), left in message(), right in message()) {
        for algorithm in algorithms() {
            let mut first = algorithm.hasher();
            first.update(&head);
            let mut second = first.clone();
            first.update(&left);
            second.update(&right);
            prop_assert_eq!(first.clone().finalize(), algorithm.digest(&[&head[..], &left].concat()));
            prop_assert_eq!(second.finalize(), algorithm.digest(&[&head[..], &right].concat()));
            first.reset();
            first.update(&right);
            prop_assert_eq!(first.finalize(), algorithm.digest(&right));
        }
    }

    #[test]
    fn companions_do_not_matter(messages in vec(message(), 0..40), cuts in vec(0usize..3000, 40)) {
        for algorithm in algorithms() {
            let alone: Vec<_> = messages.iter().map(|message| algorithm.digest(message)).collect();
            let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(&hash_many(algorithm, &slices), &alone);

            let mut hashers: Vec<Hasher> = messages.iter().map(|_| algorithm.hasher()).collect();
            let halves: Vec<_> = slices.iter().zip(&cuts).map(|(slice, &cut)| slice.split_at(cut.min(slice.len()))).collect();
            let mut jobs: Vec<_> = hashers.iter_mut().zip(halves.iter().map(|half| half.0)).collect();
            update_many(&mut jobs);
            let mut jobs: Vec<_> = hashers.iter_mut().zip(halves.iter().map(|half| half.1)).rev().collect();
            update_many(&mut jobs);
            prop_assert_eq!(&finalize_many(hashers), &alone);
        }
    }

    /// Pieces of messages that go on, and whole messages that pass through beside them.
    #[test]
    fn pieces_and_whole_messages_share_lanes(
        long in vec((message(), 0usize..3000), 0..24), short in vec(message(), 0..40), cut in 0usize..40,
    ) {
        let (before, after) = short.split_at(cut.min(short.len()));
        for algorithm in algorithms() {
            let mut hashers: Vec<Hasher> = long.iter().map(|_| algorithm.hasher()).collect();
            let halves: Vec<_> = long.iter().map(|(message, cut)| message.split_at((*cut).min(message.len()))).collect();
            let mut found = Vec::new();
            for (half, messages) in [(0, before), (1, after)] {
                let pieces = halves.iter().map(|halves| if half == 0 { halves.0 } else { halves.1 });
                let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                found.extend(advance_many(algorithm, &mut hashers.iter_mut().zip(pieces).collect::<Vec<_>>(), &messages));
            }
            let alone: Vec<_> = short.iter().map(|message| algorithm.digest(message)).collect();
            prop_assert_eq!(&found, &alone);
            let alone: Vec<_> = long.iter().map(|(message, _)| algorithm.digest(message)).collect();
            prop_assert_eq!(&finalize_many(hashers), &alone);
        }
    }

    /// `update` one by one and `update_many` together may follow each other in any order on the
    /// same hashers.
    #[test]
    fn doors_may_be_mixed(messages in vec(message(), 1..12), together in vec(any::<bool>(), 1..8)) {
        for algorithm in algorithms() {
            let mut hashers: Vec<Hasher> = messages.iter().map(|_| algorithm.hasher()).collect();
            for &together in &together {
                let mut jobs: Vec<_> = hashers.iter_mut().zip(messages.iter().map(Vec::as_slice)).collect();
                if together {
                    update_many(&mut jobs);
                } else {
                    jobs.iter_mut().for_each(|(hasher, bytes)| hasher.update(bytes));
                }
            }
            for (hasher, message) in hashers.into_iter().zip(&messages) {
                prop_assert_eq!(hasher.finalize(), algorithm.digest(&message.repeat(together.len())));
            }
        }
    }
}
