//! ssdeep's fast generators against the plain one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::ssdeep::Ssdeep;
use pfh_similarity::{Hasher, Method, naive};

fuzz_target!(|data: (u8, u8, &[u8])| {
    let (repeats, third, seed) = data;
    // Repetition brings lengths and low entropy that a fuzzer would need long for.
    let bytes = seed.repeat(1 + usize::from(repeats));
    let expected = naive::ssdeep::digest(&bytes, false, false);
    assert_eq!(Ssdeep.digest(&bytes).map(|digest| digest.to_string()), Ok(expected.clone()));
    let mut hasher = Ssdeep.hasher();
    bytes.chunks(1 + usize::from(third) * 7).for_each(|piece| hasher.update(piece));
    assert_eq!(hasher.finalize().map(|digest| digest.to_string()), Ok(expected));
});
