//! Squashfs: the reader ends on any volume, and no file is shorter than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

/// Version 4.0, blocks of 4 KiB, zlib, 64 KiB in all; tables of inodes, lists, fragments and
/// attributes, the root in the first inode.
const GEOMETRY: &[(usize, &[u8])] = &[
    (0, b"hsqs"),
    (12, b"\0\x10\0\0\x04\0\0\0\x01\0\x0c\0"),
    (28, b"\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0"),
    (56, b"\0\xc0\0\0\0\0\0\0\x60\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x80\0\0\0\0\0\0"),
    // The first inode is a directory's.
    (98, b"\x01\0"),
];

fuzz_target!(|data: &[u8]| {
    exhaust::exhaust(data, 64 << 10, GEOMETRY);
});
