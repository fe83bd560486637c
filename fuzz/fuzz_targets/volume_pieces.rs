//! Members of arrays, physical volumes and devices: composing them by any superblocks ends, and so
//! does reading the volumes. Checksums are set right, so that the superblocks are read at all.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_volume::{Bytes, Piece, compose};
use std::sync::Arc;

/// Bytes of each medium, and where a superblock 1.2 stands.
const SIZE: usize = 64 << 10;
const PLACE: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let pieces = data.chunks(1024).take(8).filter_map(|part| {
        let mut medium = vec![0; SIZE];
        medium[PLACE..PLACE + part.len()].copy_from_slice(part);
        let sb = &mut medium[PLACE..];
        sb[..8].copy_from_slice(&[0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0]);
        // One array.
        sb[16..32].fill(7);
        sb[144..152].copy_from_slice(&8_u64.to_le_bytes());
        let roles = usize::from(sb[220]);
        sb[220..224].copy_from_slice(&(roles as u32).to_le_bytes());
        sb[216..220].fill(0);
        let whole = &sb[..256 + 2 * roles];
        let mut sum: u64 =
            whole.chunks_exact(4).map(|word| u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))).sum();
        if let [low, high] = whole.chunks_exact(4).remainder() {
            sum += u64::from(u16::from_le_bytes([*low, *high]));
        }
        let sum = (sum as u32).wrapping_add((sum >> 32) as u32);
        sb[216..220].copy_from_slice(&sum.to_le_bytes());
        let bytes: Arc<dyn Bytes> = Arc::new(medium);
        Piece::of(b"", &bytes)
    });
    for volume in compose(&pieces.collect::<Vec<_>>()).volumes.into_iter().flatten() {
        let mut buffer = vec![0; 8192];
        for at in [0, volume.bytes.size() / 3, volume.bytes.size().saturating_sub(1)] {
            let _ = volume.bytes.read_at(at, &mut buffer);
        }
    }
});
