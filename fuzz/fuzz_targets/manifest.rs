//! Any bytes, the format found by the reader: marks, UTF-16 and the telling apart of formats.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::{Decoder, Options};

fuzz_target!(|bytes: &[u8]| {
    let options = Options { limit: 4096, ..Options::default() };
    for item in Decoder::open(bytes, &options).expect("memory") {
        item.expect("memory");
    }
});
