//! The binary form of an outboard tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_tree::outboard::{Key, Outboard};

fuzz_target!(|bytes: &[u8]| {
    for key in [None, Some(Key::new(&[7; 32]))] {
        let Ok(outboard) = Outboard::decode_under(bytes, key) else { continue };
        // There is one form for each tree.
        assert_eq!(outboard.encode(), bytes);
        assert_eq!(outboard.leaf_count(), outboard.parameters().leaf_count(outboard.length()));
    }
});
