//! Shadow copies: the reader ends on any catalogue and stores. The input is an NTFS volume, whose
//! boot area leads to a catalogue in any case.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

/// The first bytes of each structure.
const MARK: &[u8] = b"\x6b\x87\x08\x38\x76\xc1\x48\x4e\xb7\xae\x04\x04\x6e\x6c\xc7\x52";

fuzz_target!(|data: &[u8]| {
    let catalogue = 0x8000_u64.to_le_bytes();
    let magic: [(usize, &[u8]); 6] = [
        (3, b"NTFS    "),
        (0x1e00, MARK),
        (0x1e10, &[1, 0, 0, 0, 1, 0, 0, 0]),
        (0x1e30, &catalogue),
        (0x8000, MARK),
        (0x8020, &catalogue),
    ];
    exhaust::exhaust(data, 131_072, &magic);
});
