//! Four blocks at a time by PCLMULQDQ.

use super::function::{Crc, Factors};
use crate::Isa;
use std::arch::x86_64::*;

/// Whether the CPU has PCLMULQDQ and `PFH_ISA` permits it.
pub fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("pclmulqdq") && Isa::Sse41.detected() && Isa::Sse41.allowed()
}

/// The register after at least 64 bytes.
///
/// # Safety
/// PCLMULQDQ.
#[target_feature(enable = "sse2,pclmulqdq")]
pub unsafe fn update(crc: &Crc, register: u64, bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<16>();
    let (groups, single) = blocks.as_chunks::<4>();
    let Some((first, groups)) = groups.split_first() else { return crc.by_tables(register, bytes) };
    let mut lanes = first.each_ref().map(|block| load(block));
    lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, register as i64));
    let far = factors(crc.far);
    for group in groups {
        for (lane, block) in lanes.iter_mut().zip(group) {
            *lane = _mm_xor_si128(ahead(*lane, far), load(block));
        }
    }
    let near = factors(crc.near);
    let mut all = lanes[0];
    for lane in &lanes[1..] {
        all = _mm_xor_si128(ahead(all, near), *lane);
    }
    for block in single {
        all = _mm_xor_si128(ahead(all, near), load(block));
    }
    let mut last = [0; 16];
    // SAFETY: 16 bytes are there.
    unsafe { _mm_storeu_si128(last.as_mut_ptr().cast(), all) };
    crc.by_tables(crc.by_tables(0, &last), rest)
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(block: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are there.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn factors([first, last]: Factors) -> __m128i {
    _mm_set_epi64x(last as i64, first as i64)
}

/// A block moved ahead.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn ahead(block: __m128i, factors: __m128i) -> __m128i {
    _mm_xor_si128(_mm_clmulepi64_si128::<0x00>(block, factors), _mm_clmulepi64_si128::<0x11>(block, factors))
}
