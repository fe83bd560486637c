//! Pages in HTML, and after them all forms that are found by their beginning.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "list/exhaust.rs"]
mod exhaust;

fuzz_target!(|bytes: &[u8]| {
    exhaust::exhaust(None, &[b"<html>", bytes].concat());
    exhaust::exhaust(None, bytes);
});
