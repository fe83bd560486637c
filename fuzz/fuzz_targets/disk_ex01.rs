//! Ex01: the reader ends on any image, in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_container::disk::Kind;

#[path = "disk/exhaust.rs"]
mod exhaust;

fuzz_target!(|data: &[u8]| exhaust::exhaust(Kind::Ex01, data, b"EVF2\r\n\x81\0\x02\x01\x01\0\x01\0\0\0", b""));
