//! VHD: the reader ends on any image, in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_container::disk::Kind;

#[path = "disk/exhaust.rs"]
mod exhaust;

fuzz_target!(|data: &[u8]| exhaust::exhaust(Kind::Vhd, data, b"", b""));
