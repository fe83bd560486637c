//! Honest servers pass; every other answer is rejected.

use pfh_tree::audit::{Challenge, Commitment, KeyedAnswer, Proof, ProofError, Rejection, Sample, keyed_answer};
use pfh_tree::audit::{leaves_for, prove};
use pfh_tree::outboard::{Builder, Function, Outboard, Parameters};
use proptest::collection::vec;
use proptest::prelude::*;

const LEAF: usize = 1024;

fn noise(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64)
        .map(|i| ((i + 1).wrapping_mul(seed.wrapping_mul(2) | 1).wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8)
        .collect()
}

/// A nonce that is new for each seed; tests need no unpredictable ones.
fn nonce(seed: u64) -> [u8; 32] {
    *blake3::hash(&seed.to_le_bytes()).as_bytes()
}

fn build(function: Function, data: &[u8]) -> Outboard {
    let mut builder = Builder::new(Parameters::new(function, LEAF).unwrap());
    builder.update(data);
    builder.finish()
}

fn reader(data: &[u8]) -> impl FnMut(std::ops::Range<u64>) -> std::io::Result<Vec<u8>> {
    |range| Ok(data.get(range.start as usize..range.end as usize).unwrap_or(&[]).to_vec())
}

fn ask(seed: u64, outboard: &Outboard, count: u32) -> Challenge {
    let sample = if count == 0 { Sample::All } else { Sample::Leaves(count) };
    Challenge::new(nonce(seed), b"file 1".to_vec(), &Commitment::of(outboard), sample).unwrap()
}

#[test]
fn the_number_of_leaves_for_a_confidence() {
    // Ateniese et al., CCS 2007, give 460 and 300 for these; rounding up is enough.
    for (confidence, corruption, leaves) in
        [(0.99, 0.01, 459), (0.95, 0.01, 299), (0.9, 0.1, 22), (0.999, 0.0001, 69_075), (0.5, 0.9, 1)]
    {
        assert_eq!(leaves_for(confidence, corruption), Ok(leaves));
    }
    for (confidence, corruption) in [(0.0, 0.5), (1.0, 0.5), (0.5, 0.0), (0.5, 1.0), (f64::NAN, 0.5), (0.99, 1e-300)] {
        assert!(leaves_for(confidence, corruption).is_err());
    }
}

#[test]
fn an_honest_server_passes() {
    for function in Function::ALL {
        for length in [0, 1, LEAF, LEAF + 1, 2 * LEAF, 5 * LEAF + 3, 100 * LEAF - 1] {
            let data = noise(length, 1);
            let outboard = build(function, &data);
            let commitment = Commitment::of(&outboard);
            for count in [0, 1, 2, 3, 10, 99, 1000] {
                let challenge = ask(u64::from(count), &outboard, count);
                let proof = prove(&challenge, &outboard, reader(&data)).unwrap();
                let proof = Proof::decode(&proof.encode()).unwrap();
                let challenge = Challenge::decode(&challenge.encode()).unwrap();
                assert_eq!(
                    commitment.verify(&challenge, &proof),
                    Ok(()),
                    "{function:?}, {length} bytes, {count} leaves"
                );
                let answer = keyed_answer(&challenge, &commitment, reader(&data)).unwrap();
                let received = KeyedAnswer::from_bytes(*answer.bytes());
                assert_eq!(keyed_answer(&challenge, &commitment, reader(&data)).unwrap().verify(&received), Ok(()));
            }
        }
    }
}

#[test]
fn samples_are_distinct_ascending_and_differ_by_nonce() {
    let outboard = build(Function::Blake3, &noise(1000 * LEAF, 2));
    let first = ask(1, &outboard, 100).indices(1000);
    assert_eq!(first.len(), 100);
    assert!(first.is_sorted_by(|a, b| a < b) && first[99] < 1000);
    assert_ne!(first, ask(2, &outboard, 100).indices(1000));
    assert_eq!(ask(1, &outboard, 0).indices(1000).len(), 1000);
    assert_eq!(ask(1, &outboard, 5000).indices(1000).len(), 1000);

    // Every leaf is as likely as the others: 1,000 draws of 100 of 1,000 hit each about 100 times.
    let mut hits = vec![0; 1000];
    (0..1000).flat_map(|seed| ask(seed, &outboard, 100).indices(1000)).for_each(|index| hits[index as usize] += 1);
    assert!(hits.iter().all(|hits| (50..160).contains(hits)), "{hits:?}");
}

/// A damaged file is found out whenever a damaged leaf is drawn.
#[test]
fn damage_is_detected_as_often_as_promised() {
    for function in Function::ALL {
        // The debug profile does a tenth of it for the slow functions; the release profile does
        // all.
        let trials = if cfg!(debug_assertions) && function != Function::Blake3 { 100 } else { 1000 };
        let leaves = 10_000;
        let data = noise(leaves * LEAF, 3);
        let outboard = build(function, &data);
        let commitment = Commitment::of(&outboard);
        let samples = leaves_for(0.99, 0.01).unwrap();
        let mut damaged = data.clone();
        let mut detected = 0;
        for trial in 0..trials {
            // Another hundredth of the leaves for each trial.
            let broken: Vec<usize> = ask(1 << 40 | trial, &outboard, (leaves / 100) as u32)
                .indices(leaves as u64)
                .iter()
                .map(|&i| i as usize)
                .collect();
            broken.iter().for_each(|leaf| damaged[leaf * LEAF + 77] ^= 1);
            let challenge = ask(trial, &outboard, samples);
            let proof = prove(&challenge, &outboard, reader(&damaged)).unwrap();
            let hit = challenge.indices(leaves as u64).iter().any(|&index| broken.contains(&(index as usize)));
            let verdict = commitment.verify(&challenge, &proof);
            assert_eq!(verdict, if hit { Err(Rejection::Root) } else { Ok(()) });
            detected += u64::from(hit);
            broken.iter().for_each(|leaf| damaged[leaf * LEAF + 77] ^= 1);
        }
        println!("{}: {detected} of {trials} detected", function.name());
        assert!(100 * detected >= 98 * trials, "{function:?}: {detected} of {trials}");
    }
}

#[test]
fn replayed_reordered_truncated_and_foreign_answers_are_rejected() {
    for function in Function::ALL {
        let (data, other) = (noise(50 * LEAF, 4), noise(50 * LEAF, 5));
        let (outboard, foreign) = (build(function, &data), build(function, &other));
        let commitment = Commitment::of(&outboard);
        let challenge = ask(1, &outboard, 8);
        let proof = prove(&challenge, &outboard, reader(&data)).unwrap();
        assert_eq!(commitment.verify(&challenge, &proof), Ok(()));

        // Replay: the answer to an earlier nonce, to another name, to another sample.
        assert_eq!(commitment.verify(&ask(2, &outboard, 8), &proof), Err(Rejection::Transcript));
        let renamed = Challenge::new(nonce(1), b"file 2".to_vec(), &commitment, Sample::Leaves(8)).unwrap();
        assert_eq!(commitment.verify(&renamed, &proof), Err(Rejection::Transcript));
        assert_eq!(commitment.verify(&ask(1, &outboard, 7), &proof), Err(Rejection::Leaves));
        // Even all leaves, whose indices are always the same, are bound to the nonce.
        let all = prove(&ask(1, &outboard, 0), &outboard, reader(&data)).unwrap();
        assert_eq!(commitment.verify(&ask(2, &outboard, 0), &all), Err(Rejection::Transcript));

        // Another file's proof and challenge.
        let question = ask(1, &foreign, 8);
        let answer = prove(&question, &foreign, reader(&other)).unwrap();
        assert_eq!(commitment.verify(&challenge, &answer), Err(Rejection::Transcript));
        assert_eq!(commitment.verify(&question, &answer), Err(Rejection::Challenge));
        assert!(matches!(prove(&challenge, &foreign, reader(&other)), Err(ProofError::Challenge)));
        let longer = Commitment::new(commitment.parameters(), commitment.length() + 1, *commitment.root());
        assert_eq!(longer.verify(&challenge, &proof), Err(Rejection::Challenge));

        // A server with a file that ends early cannot answer.
        let short = prove(&ask(1, &outboard, 0), &outboard, reader(&data[..49 * LEAF]));
        assert!(matches!(short, Err(ProofError::Length { leaf: 49 })));
    }
}

/// The parts of an encoded proof: its leaves, and the rest.
fn parts(proof: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let count = u64::from_le_bytes(proof[9..17].try_into().unwrap());
    let mut rest = &proof[17..];
    let mut leaves = Vec::new();
    for _ in 0..count {
        let length = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
        leaves.push(rest[4..4 + length].to_vec());
        rest = &rest[4 + length..];
    }
    (leaves, rest.to_vec())
}

/// A proof of other leaves and values whose transcript is right: the forger knows the code.
fn forge(challenge: &Challenge, commitment: &Commitment, leaves: &[Vec<u8>], siblings: &[[u8; 32]]) -> Proof {
    let mut transcript = blake3::Hasher::new_derive_key("pfh audit 1 transcript");
    let mut bind = |bytes: &[u8]| {
        transcript.update(&(bytes.len() as u64).to_le_bytes());
        transcript.update(bytes);
    };
    bind(&challenge.encode());
    bind(commitment.parameters().function().name().as_bytes());
    bind(&(commitment.parameters().leaf_length() as u64).to_le_bytes());
    bind(&(leaves.len() as u64).to_le_bytes());
    leaves.iter().for_each(|leaf| bind(leaf));
    bind(siblings.as_flattened());
    let mut bytes = b"pfh prov\x01".to_vec();
    bytes.extend((leaves.len() as u64).to_le_bytes());
    for leaf in leaves {
        bytes.extend((leaf.len() as u32).to_le_bytes());
        bytes.extend(leaf);
    }
    bytes.extend((siblings.len() as u64).to_le_bytes());
    bytes.extend(siblings.as_flattened());
    bytes.extend(transcript.finalize().as_bytes());
    bytes.push(0);
    Proof::decode(&bytes).unwrap()
}

fn siblings(rest: &[u8]) -> Vec<[u8; 32]> {
    rest[8..rest.len() - 33].as_chunks::<32>().0.to_vec()
}

#[test]
fn a_forger_who_makes_the_transcript_right_is_rejected_by_the_tree() {
    for function in Function::ALL {
        let data = noise(50 * LEAF + 9, 6);
        let outboard = build(function, &data);
        let commitment = Commitment::of(&outboard);
        let challenge = ask(3, &outboard, 8);
        let honest = prove(&challenge, &outboard, reader(&data)).unwrap().encode();
        let (leaves, rest) = parts(&honest);
        let values = siblings(&rest);
        assert_eq!(commitment.verify(&challenge, &forge(&challenge, &commitment, &leaves, &values)), Ok(()));
        let judge = |leaves: &[Vec<u8>], values: &[[u8; 32]]| {
            commitment.verify(&challenge, &forge(&challenge, &commitment, leaves, values))
        };

        let mut swapped = leaves.clone();
        swapped.swap(0, 1);
        assert_eq!(judge(&swapped, &values), Err(Rejection::Root));
        assert_eq!(judge(&leaves[1..], &values), Err(Rejection::Leaves));
        let mut longer = leaves.clone();
        longer[2].push(0);
        assert_eq!(judge(&longer, &values), Err(Rejection::Leaves));
        let mut flipped = leaves.clone();
        flipped[7][LEAF - 1] ^= 0x80;
        assert_eq!(judge(&flipped, &values), Err(Rejection::Root));
        assert_eq!(judge(&leaves, &values[1..]), Err(Rejection::Shape));
        assert_eq!(judge(&leaves, &[&values[..], &[[0; 32]]].concat()), Err(Rejection::Shape));
        let mut turned = values.clone();
        turned.rotate_left(1);
        assert_eq!(judge(&leaves, &turned), Err(Rejection::Root));
        // A node for a leaf: 64 bytes are not a leaf, and a leaf is hashed under another tag.
        let mut node = leaves.clone();
        node[0] = values[..2].concat();
        assert_eq!(judge(&node, &values), Err(Rejection::Leaves));
    }
}

/// A million forged answers, each another guess at the missing leaf with a right transcript; none
/// is accepted. The debug profile does a hundredth.
#[test]
fn no_forged_answer_is_accepted() {
    let attempts: u64 = if cfg!(debug_assertions) { 10_000 } else { 1_000_000 };
    let data = noise(3 * LEAF, 7);
    let outboard = build(Function::Blake3, &data);
    let commitment = Commitment::of(&outboard);
    let challenge = ask(1, &outboard, 1);
    let honest = prove(&challenge, &outboard, reader(&data)).unwrap().encode();
    let (mut leaves, rest) = parts(&honest);
    let values = siblings(&rest);
    for attempt in 1..=attempts {
        let place = (attempt % LEAF as u64) as usize & !7;
        let guess = (attempt.wrapping_mul(0x9e3779b97f4a7c15) | 1).to_le_bytes();
        leaves[0][place..place + 8].iter_mut().zip(guess).for_each(|(byte, guess)| *byte ^= guess);
        let proof = forge(&challenge, &commitment, &leaves, &values);
        assert_eq!(commitment.verify(&challenge, &proof), Err(Rejection::Root), "attempt {attempt}");
        leaves[0][place..place + 8].iter_mut().zip(guess).for_each(|(byte, guess)| *byte ^= guess);
    }
}

#[test]
fn any_bit_flipped_in_a_proof_or_challenge_is_an_error() {
    for function in Function::ALL {
        let data = noise(5 * LEAF + 100, 8);
        let outboard = build(function, &data);
        let commitment = Commitment::of(&outboard);
        let challenge = ask(1, &outboard, 2);
        let bytes = challenge.encode();
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Challenge::decode(&damaged).is_err(), "bit {bit}");
        }
        (0..bytes.len()).for_each(|length| assert!(Challenge::decode(&bytes[..length]).is_err()));
        let bytes = prove(&challenge, &outboard, reader(&data)).unwrap().encode();
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let rejected = match Proof::decode(&damaged) {
                Ok(proof) => commitment.verify(&challenge, &proof).is_err(),
                Err(_) => true,
            };
            assert!(rejected, "{function:?}, bit {bit}");
        }
        (0..bytes.len()).for_each(|length| assert!(Proof::decode(&bytes[..length]).is_err()));
    }
}

#[test]
fn a_keyed_answer_needs_the_data_and_the_nonce() {
    let data = noise(30 * LEAF, 9);
    let outboard = build(Function::Sha256, &data);
    let commitment = Commitment::of(&outboard);
    let answer = |seed: u64, data: &[u8]| keyed_answer(&ask(seed, &outboard, 0), &commitment, reader(data)).unwrap();
    let mut damaged = data.clone();
    damaged[12_345] ^= 1;
    assert_eq!(answer(1, &data).verify(&answer(1, &damaged)), Err(Rejection::Digest));
    assert_eq!(answer(2, &data).verify(&answer(1, &data)), Err(Rejection::Digest));
    assert!(keyed_answer(&ask(1, &outboard, 0), &commitment, reader(&data[1..])).is_err());
    let missing = keyed_answer(&ask(1, &outboard, 0), &commitment, |_| Err(std::io::Error::other("gone")));
    assert!(matches!(missing, Err(ProofError::Read(_))));
}

#[cfg(feature = "ed25519")]
#[test]
fn a_signed_proof_names_its_server() {
    use ed25519_dalek::SigningKey;
    let data = noise(9 * LEAF, 10);
    let outboard = build(Function::Blake3, &data);
    let commitment = Commitment::of(&outboard);
    let (key, stranger) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
    let challenge = ask(1, &outboard, 3);
    let unsigned = prove(&challenge, &outboard, reader(&data)).unwrap();
    let signed = Proof::decode(&unsigned.clone().sign(&key).encode()).unwrap();
    let judge = |proof: &Proof, key: &SigningKey| commitment.verify_signed(&challenge, proof, &key.verifying_key());
    assert_eq!(judge(&signed, &key), Ok(()));
    assert_eq!(judge(&signed, &stranger), Err(Rejection::Signer));
    assert_eq!(judge(&unsigned, &key), Err(Rejection::Unsigned));
    // A signature that nobody asked for is looked at all the same.
    let mut bytes = signed.encode();
    *bytes.last_mut().unwrap() ^= 1;
    let forged = Proof::decode(&bytes).unwrap();
    assert_eq!(commitment.verify(&challenge, &forged), Err(Rejection::Signature));
    let bytes = signed.encode();
    for bit in 8 * (bytes.len() - 97)..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Proof::decode(&damaged).map_or(true, |proof| judge(&proof, &key).is_err()), "bit {bit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_sample_of_any_tree_is_proved(function in prop::sample::select(Function::ALL.to_vec()), length in 0usize..100_000, count in 1u32..120, seed: u64) {
        let data = noise(length, seed);
        let outboard = build(function, &data);
        let challenge = ask(seed, &outboard, count);
        let proof = prove(&challenge, &outboard, reader(&data)).unwrap();
        prop_assert_eq!(Commitment::of(&outboard).verify(&challenge, &proof), Ok(()));
    }

    #[test]
    fn no_bytes_make_the_decoders_panic(tail in vec(any::<u8>(), 0..300)) {
        let _ = Challenge::decode(&tail);
        let _ = Proof::decode(&tail);
        let _ = Challenge::decode(&[&b"pfh chal\x01"[..], &tail].concat());
        let _ = Proof::decode(&[&b"pfh prov\x01"[..], &tail].concat());
    }
}
