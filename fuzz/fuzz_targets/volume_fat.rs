//! FAT12, FAT16 and FAT32: whatever the volume says, the reader ends, and no file is shorter
//! than it says.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

fuzz_target!(|data: &[u8]| exhaust::exhaust(data, 65536, &[(0, b"\xeb\x3c\x90"), (21, b"\xf8"), (510, b"\x55\xaa")]));
