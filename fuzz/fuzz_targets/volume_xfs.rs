//! XFS: the reader ends on any volume, and no file is shorter than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

/// Version 4, which has no checksums: 128 blocks of 512 bytes in one group, inodes of 256 bytes.
const GEOMETRY: &[(usize, &[u8])] = &[
    (0, b"XFSB\0\0\x02\0\0\0\0\0\0\0\0\x80"),
    (56, b"\0\0\0\0\0\0\0\x20"),
    (84, b"\0\0\0\x80\0\0\0\x01"),
    (100, b"\x34\x84\x02\0\x01\0\0\x02"),
    (120, b"\x09\x09\x08\x01\x07\0\0"),
    (192, b"\0"),
    (512, b"XAGF\0\0\0\x01\0\0\0\0\0\0\0\x80"),
    (1024, b"XAGI\0\0\0\x01\0\0\0\0\0\0\0\x80"),
    (16 * 512, b"IN\x41"),
];

fuzz_target!(|data: &[u8]| {
    exhaust::exhaust(data, 128 * 512, GEOMETRY);
});
