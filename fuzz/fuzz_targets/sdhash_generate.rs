//! sdhash's fast generator against the plain one, in both modes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::{Hasher, Method, naive};

fuzz_target!(|data: (u8, u8, &[u8])| {
    let (repeats, piece, seed) = data;
    let bytes = seed.repeat(1 + usize::from(repeats));
    for (method, plain) in [
        (Sdhash::STREAM, naive::sdhash::stream(&bytes, "")),
        (Sdhash::BLOCKS, naive::sdhash::blocks(&bytes, "", 16 << 10)),
    ] {
        let expected = plain.map(|digest| naive::sdhash::print(&digest));
        assert_eq!(method.digest(&bytes).ok().map(|digest| digest.to_string()), expected);
        let mut hasher = method.hasher();
        bytes.chunks(1 + usize::from(piece) * 7).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finalize().ok().map(|digest| digest.to_string()), expected);
    }
});
