//! Databases of AIDE.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::Format;

#[path = "list/exhaust.rs"]
mod exhaust;

fuzz_target!(|bytes: &[u8]| {
    exhaust::exhaust(Format::Aide, bytes);
});
