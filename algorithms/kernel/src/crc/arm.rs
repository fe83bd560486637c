//! Four blocks at a time by PMULL.

use super::function::{Crc, Factors};
use crate::Isa;
use std::arch::aarch64::vmull_p64;

/// Whether the CPU has PMULL and `PFH_ISA` permits it.
pub fn is_available() -> bool {
    std::arch::is_aarch64_feature_detected!("aes") && Isa::Sha2.detected() && Isa::Sha2.allowed()
}

/// The register after at least 64 bytes.
///
/// # Safety
/// PMULL.
#[target_feature(enable = "neon,aes")]
pub unsafe fn update(crc: &Crc, register: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let (groups, single) = blocks.as_chunks::<4>();
    let Some((first, groups)) = groups.split_first() else { return crc.by_tables(register, bytes) };
    let mut lanes = first.map(u128::from_le_bytes);
    lanes[0] ^= u128::from(register);
    for group in groups {
        for (lane, block) in lanes.iter_mut().zip(group) {
            *lane = ahead(*lane, crc.far) ^ u128::from_le_bytes(*block);
        }
    }
    let mut all = lanes[0];
    for lane in &lanes[1..] {
        all = ahead(all, crc.near) ^ lane;
    }
    for block in single {
        all = ahead(all, crc.near) ^ u128::from_le_bytes(*block);
    }
    crc.by_tables(crc.by_tables(0, &all.to_le_bytes()), rest)
}

/// A block moved ahead.
#[inline]
#[target_feature(enable = "neon,aes")]
fn ahead(block: u128, [first, last]: Factors) -> u128 {
    vmull_p64(block as u64, first) ^ vmull_p64((block >> 64) as u64, last)
}
