//! Seals: a text that decodes to a seal is encoded to one that decodes to the same seal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh::seal::Seal;

fuzz_target!(|text: &str| {
    if let Ok(seal) = Seal::decode(text) {
        let again = Seal::decode(&seal.encode()).expect("what was written");
        assert_eq!(again.encode(), seal.encode());
    }
});
