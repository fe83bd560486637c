//! The binary forms of challenges and proofs, and the judgement over proofs: only the honest one
//! may pass.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_tree::audit::{Challenge, Commitment, Proof, Sample, prove};
use pfh_tree::outboard::{Builder, Function, Parameters};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(challenge) = Challenge::decode(bytes) {
        assert_eq!(challenge.encode(), bytes);
    }
    let file = [7; 5000];
    let mut builder = Builder::new(Parameters::new(Function::Blake3, 1024).expect("a power of two"));
    builder.update(&file);
    let outboard = builder.finish();
    let commitment = Commitment::of(&outboard);
    let challenge = Challenge::new([1; 32], b"file".to_vec(), &commitment, Sample::Leaves(2)).expect("a sample");
    let read = |range: std::ops::Range<u64>| Ok(file[range.start as usize..range.end as usize].to_vec());
    let honest = prove(&challenge, &outboard, read).expect("data at hand").encode();
    // The fuzzer's bytes by themselves, and xored over the honest proof, which gets it past the
    // first fields.
    let mut near = honest.clone();
    near.iter_mut().zip(bytes).for_each(|(near, byte)| *near ^= byte);
    for candidate in [bytes, &near] {
        if let Ok(proof) = Proof::decode(candidate) {
            assert_eq!(proof.encode(), candidate);
            assert_eq!(commitment.verify(&challenge, &proof).is_ok(), candidate == honest);
        }
    }
});
