//! Bloom filters: a header alone causes no allocation, and no key leads outside the bits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::known::bloom::Bloom;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(bloom) = Bloom::open(bytes, 1 << 20) {
        assert!(bloom.header().length() <= bytes.len() as u64);
        for key in [&b"foo"[..], b"", &bytes[..16]] {
            let _ = bloom.may_contain(key);
        }
    }
});
