//! The binary form of an outboard tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_tree::outboard::Outboard;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(outboard) = Outboard::decode(bytes) {
        // There is one form for each tree.
        assert_eq!(outboard.encode(), bytes);
        assert_eq!(outboard.leaf_count(), outboard.parameters().leaf_count(outboard.length()));
    }
});
