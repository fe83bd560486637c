//! Digital Forensics XML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::Format;

#[path = "list/exhaust.rs"]
mod exhaust;

fuzz_target!(|bytes: &[u8]| {
    let (items, _) = exhaust::exhaust(Format::Dfxml, bytes);
    assert!(items <= 1 + bytes.len() as u64);
});
