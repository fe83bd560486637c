//! EROFS: the reader ends on any volume, and no file is shorter than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

/// Blocks of 512 bytes, 64 KiB in all; inodes from block 4 on, a root of one list behind its inode.
const GEOMETRY: &[(usize, &[u8])] = &[
    (1024, b"\xe2\xe1\xf5\xe0"),
    (1032, b"\0\0\0\0\x09\0\0\0"),
    (1060, b"\x80\0\0\0\x04\0\0\0"),
    (1104, b"\x7f\0\0\0"),
    (1114, b"\0"),
    (2048, b"\x04\0"),
    (2052, b"\xed\x41\x01\0"),
];

fuzz_target!(|data: &[u8]| {
    exhaust::exhaust(data, 64 << 10, GEOMETRY);
});
