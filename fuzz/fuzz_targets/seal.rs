//! Seals: any text is one or is none; what is read is written as it was meant.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh::seal::Seal;

fuzz_target!(|text: &str| {
    if let Ok(seal) = Seal::decode(text) {
        let again = Seal::decode(&seal.encode()).expect("what was written");
        assert_eq!(again.encode(), seal.encode());
    }
});
