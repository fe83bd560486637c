//! Every algorithm against the vectors of `vectors/digest`, in each way: whole, in pieces, many at
//! once.

use crate::cases::{Case, cases};
use pfh_digest::{Algorithm, Digest, Hasher, Output, finalize_many, hash_many, update_many};

/// The algorithm with the length that a case's digest has.
fn sized(algorithm: Algorithm, digest: &[u8]) -> Algorithm {
    algorithm.with_length(digest.len()).unwrap_or_else(|| panic!("{algorithm}: {} bytes", digest.len()))
}

#[test]
fn whole_messages() {
    for algorithm in Algorithm::all() {
        for (message, digest) in messages(algorithm) {
            assert_eq!(sized(algorithm, &digest).digest(&message).bytes(), digest, "{algorithm} of {}", message.len());
        }
    }
}

#[test]
fn in_pieces() {
    for algorithm in Algorithm::all() {
        for (index, (message, digest)) in messages(algorithm).iter().enumerate() {
            let mut hasher = sized(algorithm, digest).hasher();
            for piece in message.chunks(1 + index % 257) {
                hasher.update(piece);
            }
            assert_eq!(hasher.finalize().bytes(), digest, "{algorithm} of {}", message.len());
        }
    }
}

#[test]
fn many_whole_messages() {
    for algorithm in Algorithm::all() {
        for (length, group) in by_output_length(algorithm) {
            let messages: Vec<&[u8]> = group.iter().map(|(message, _)| message.as_slice()).collect();
            // In groups of every small size, so that lanes are left empty in every way.
            let mut digests = Vec::new();
            let mut rest = messages.as_slice();
            for size in (1..).chain(1..) {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at(rest.len().min(size));
                digests.extend(hash_many(length, now));
                rest = later;
            }
            check(length, &group, &digests);
            check(length, &group, &hash_many(length, &messages));
        }
    }
}

#[test]
fn many_messages_in_pieces() {
    for algorithm in Algorithm::all() {
        for (length, group) in by_output_length(algorithm) {
            for piece in [1, 63, 200, 1000, usize::MAX] {
                // Bytes one at a time cost a virtual call each: short messages only.
                let group: Vec<_> = group.iter().filter(|(message, _)| message.len() / piece < 300).cloned().collect();
                let mut hashers: Vec<Hasher> = group.iter().map(|_| length.hasher()).collect();
                let mut rests: Vec<&[u8]> = group.iter().map(|(message, _)| message.as_slice()).collect();
                while rests.iter().any(|rest| !rest.is_empty()) {
                    let mut jobs: Vec<(&mut Hasher, &[u8])> = Vec::new();
                    // Pieces of unequal length, and empty ones.
                    for (lane, (hasher, rest)) in hashers.iter_mut().zip(&mut rests).enumerate() {
                        let (now, later) = rest.split_at(rest.len().min(piece.saturating_add(lane % 3)));
                        *rest = later;
                        jobs.push((hasher, now));
                    }
                    update_many(&mut jobs);
                }
                check(length, &group, &finalize_many(hashers));
            }
        }
    }
}

type Pair = (Vec<u8>, Vec<u8>);

fn check(algorithm: Algorithm, expected: &[Pair], digests: &[Digest]) {
    assert_eq!(expected.len(), digests.len());
    for ((message, expected), digest) in expected.iter().zip(digests) {
        assert_eq!(digest.algorithm(), algorithm);
        assert_eq!(digest.bytes(), expected, "{algorithm} of {} bytes", message.len());
    }
}

/// All cases of an algorithm that are a message and its digest.
fn messages(algorithm: Algorithm) -> Vec<Pair> {
    let messages: Vec<Pair> = cases(algorithm.name()).into_iter().filter_map(Case::message).collect();
    assert!(messages.len() >= 7, "{algorithm} has too few vectors");
    messages
}

/// The cases apart by the length of their output, which is one group but for extendable output.
fn by_output_length(algorithm: Algorithm) -> Vec<(Algorithm, Vec<Pair>)> {
    let mut groups: Vec<(Algorithm, Vec<Pair>)> = Vec::new();
    for pair in messages(algorithm) {
        let sized = sized(algorithm, &pair.1);
        match groups.iter_mut().find(|(algorithm, _)| *algorithm == sized) {
            Some((_, group)) => group.push(pair),
            None => groups.push((sized, vec![pair])),
        }
    }
    assert!(groups.len() == 1 || matches!(algorithm.output(), Output::Stated { .. }));
    groups
}

/// The Monte Carlo tests: SHAVS section 6.4 for SHA-1 and SHA-2, SHA3VS sections 6.2.3 and 6.3.3
/// for SHA-3 and SHAKE.
#[test]
fn monte_carlo() {
    let mut checkpoints = 0;
    for algorithm in Algorithm::all() {
        for case in cases(algorithm.name()) {
            match case {
                Case::Monte { seed, digests } if algorithm.name().starts_with("sha3-") => {
                    let mut digest = seed;
                    for expected in &digests {
                        for _ in 0..1000 {
                            digest = algorithm.digest(&digest).bytes().to_vec();
                        }
                        assert_eq!(&digest, expected, "{algorithm}");
                    }
                    checkpoints += digests.len();
                }
                Case::Monte { mut seed, digests } => {
                    for expected in &digests {
                        let mut last = [seed.clone(), seed.clone(), seed];
                        for _ in 0..1000 {
                            let digest = hash_many(algorithm, &[&last.concat()])[0].bytes().to_vec();
                            last.rotate_left(1);
                            last[2] = digest;
                        }
                        seed = last[2].clone();
                        assert_eq!(&seed, expected, "{algorithm}");
                    }
                    checkpoints += digests.len();
                }
                Case::ShakeMonte { minimum, maximum, seed, digests } => {
                    let mut output = seed;
                    let mut length = maximum;
                    for expected in &digests {
                        for _ in 0..1000 {
                            output.resize(16, 0);
                            let sized = algorithm.with_length(length).unwrap();
                            output = sized.digest(&output).bytes().to_vec();
                            let [.., high, low] = output[..] else { panic!("an output of {length} bytes") };
                            let draw = usize::from(u16::from_be_bytes([high, low]));
                            length = minimum + draw % (maximum - minimum + 1);
                        }
                        assert_eq!(&output, expected, "{algorithm}");
                    }
                    checkpoints += digests.len();
                }
                _ => {}
            }
        }
    }
    assert_eq!(checkpoints, 1300);
}

/// NIST's cases are all there.
#[test]
fn the_number_of_cavp_cases() {
    let count: usize =
        Algorithm::all()
            .filter(|algorithm| algorithm.name().starts_with("sha"))
            .flat_map(|algorithm| cases(algorithm.name()))
            .map(|case| {
                if let Case::Monte { digests, .. } | Case::ShakeMonte { digests, .. } = case {
                    digests.len()
                } else {
                    1
                }
            })
            .sum();
    assert_eq!(count, 6757);
}
