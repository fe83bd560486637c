//! TLSH digests: a parsed digest prints back, and is at distance 0 from itself; one input in any
//! pieces has one digest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_similarity::tlsh::{Digest, Tlsh};
use pfh_similarity::{Hasher, Method};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(digest) = Digest::parse(bytes) {
        let text = digest.to_string();
        assert_eq!(text.parse::<Digest>().as_ref(), Ok(&digest));
        assert!(text.as_bytes().ends_with(&bytes.to_ascii_uppercase()));
        assert_eq!(digest.distance(&digest), 0);
    }
    let (first, second) = bytes.split_at(bytes.len() / 3);
    let mut hasher = Tlsh.hasher();
    hasher.update(first);
    hasher.update(second);
    let pieces = hasher.finalize().ok().map(|digest| digest.to_string());
    assert_eq!(pieces, Tlsh.digest(bytes).ok().map(|digest| digest.to_string()));
});
