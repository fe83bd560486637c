//! ISO 9660: the reader ends on any volume, and no file is shorter than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

fuzz_target!(|data: &[u8]| exhaust::exhaust(data, 65536, &[(32768, b"\x01CD001\x01")]));
