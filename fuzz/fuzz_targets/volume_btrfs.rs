//! Btrfs: the reader ends on any volume, and no file is shorter than its stated size. Checksums are
//! set right, so that the structures behind them are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

/// Where the superblock stands, and the bytes of it and of the nodes that are sealed.
const START: usize = 64 << 10;
const BLOCK: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let mut medium = vec![0; START];
    medium.extend(data.iter().take(1 << 20));
    medium.resize(medium.len().next_multiple_of(BLOCK).max(START + BLOCK), 0);
    medium[START + 0x40..START + 0x48].copy_from_slice(b"_BHRfS_M");
    medium[START + 0xc4..START + 0xc6].fill(0);
    for block in medium[START..].chunks_mut(BLOCK) {
        let sum = !pfh_container::crc32c(!0, &block[32..]);
        block[..4].copy_from_slice(&sum.to_le_bytes());
        block[4..32].fill(0);
    }
    exhaust::exhaust(&medium, START + BLOCK, &[]);
});
