//! FAT12, FAT16 and FAT32: the reader ends on any volume, and no file is shorter than its stated
//! size.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

fuzz_target!(|data: &[u8]| exhaust::exhaust(data, 65536, &[(0, b"\xeb\x3c\x90"), (21, b"\xf8"), (510, b"\x55\xaa")]));
