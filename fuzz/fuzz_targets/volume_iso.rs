//! ISO 9660: whatever the volume says, the reader ends, and no file is shorter than it says.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

fuzz_target!(|data: &[u8]| exhaust::exhaust(data, 65536, &[(32768, b"\x01CD001\x01")]));
