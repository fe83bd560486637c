//! Shared bytes: a parsed digest prints back and shares all its windows with itself; an input in
//! any pieces has one digest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::shingles::{Digest, Shingles};
use pfh_similarity::{Hasher, Method};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(digest) = text.parse::<Digest>()
    {
        assert_eq!(digest.to_string(), text);
        assert_eq!(digest.shared(&digest), digest.windows().len() as u64);
        assert!(digest.outline().len() == digest.windows().len() as u64);
    }
    let (first, second) = bytes.split_at(bytes.len() / 3);
    let mut hasher = Shingles.hasher();
    hasher.update(first);
    hasher.update(second);
    assert_eq!(hasher.finalize(), Shingles.digest(bytes));
});
