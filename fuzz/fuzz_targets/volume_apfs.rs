//! APFS: the reader ends on any container, and no file is shorter than its stated size. Checksums
//! are made to hold, so that the structures behind them are reached.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "volume/exhaust.rs"]
mod exhaust;

/// Bytes of a block.
const BLOCK: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let mut medium = data.to_vec();
    medium.resize(medium.len().next_multiple_of(BLOCK).max(16 * BLOCK), 0);
    medium[32..36].copy_from_slice(b"NXSB");
    // A number that is zero asks for a block without a checksum.
    medium.chunks_mut(BLOCK).filter(|block| block[..8] != [0; 8]).for_each(seal);
    exhaust::exhaust(&medium, medium.len(), &[]);
});

fn seal(block: &mut [u8]) {
    let modulus = u64::from(u32::MAX);
    let (mut one, mut two) = (0, 0);
    for word in block[8..].chunks(4) {
        one = (one + u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))) % modulus;
        two = (two + one) % modulus;
    }
    let low = modulus - (one + two) % modulus;
    let high = modulus - (one + low) % modulus;
    block[..8].copy_from_slice(&(high << 32 | low).to_le_bytes());
}
