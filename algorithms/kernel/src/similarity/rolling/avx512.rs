//! 32 hashes at once, for the positions of one parity; two such give a mask of 64 positions.

use super::portable::{LOOK_BACK, place, portable};
use std::arch::x86_64::*;

/// # Safety
/// AVX-512 F and BW, BMI2 and POPCNT; `start` is at least [`LOOK_BACK`] and `bytes` shorter than 4
/// GiB.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt")]
pub unsafe fn candidates(bytes: &[u8], start: usize, mask: u16, out: &mut Vec<u32>) {
    // A step over 64 positions from `p` loads from `p - 7` and up to `p + 64`; where that would not
    // fit, the portable form goes on.
    let mut p = start;
    if p == LOOK_BACK && p < bytes.len() {
        portable(&bytes[..=p], p, mask, out);
        p += 1;
    }
    out.reserve(bytes.len().saturating_sub(p) + 64);
    let mask_vector = _mm512_set1_epi16(mask as i16);
    let one = _mm512_set1_epi16(1);
    while p + 65 <= bytes.len() {
        // SAFETY: the loads reach from `p - 7 >= 0` to `p - 7 + 70 < bytes.len()`, and one byte on.
        let (even, odd) = unsafe { (hashes(bytes.as_ptr().add(p - 7)), hashes(bytes.as_ptr().add(p - 6))) };
        let even = _mm512_testn_epi16_mask(_mm512_add_epi16(even, one), mask_vector);
        let odd = _mm512_testn_epi16_mask(_mm512_add_epi16(odd, one), mask_vector);
        let hits = _pdep_u64(even.into(), 0x5555_5555_5555_5555) | _pdep_u64(odd.into(), 0xaaaa_aaaa_aaaa_aaaa);
        place(hits, p, out);
        p += 64;
    }
    portable(bytes, p, mask, out);
}

/// The low halves of the hashes at `from + 7`, `from + 9`, … `from + 69`; see the same in
/// `super::x86`.
///
/// # Safety
/// 70 bytes can be read from `from`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn hashes(from: *const u8) -> __m512i {
    // SAFETY: the caller's promise; the last load ends at byte 70.
    let (w3, w2, w1, w0) = unsafe {
        (
            _mm512_loadu_si512(from.cast()),
            _mm512_loadu_si512(from.add(2).cast()),
            _mm512_loadu_si512(from.add(4).cast()),
            _mm512_loadu_si512(from.add(6).cast()),
        )
    };
    let weights = |newer: i16, older: i16| _mm512_set1_epi16((newer << 8) | older);
    let sum = _mm512_add_epi16(
        _mm512_add_epi16(_mm512_maddubs_epi16(w0, weights(8, 7)), _mm512_maddubs_epi16(w1, weights(6, 5))),
        _mm512_add_epi16(_mm512_maddubs_epi16(w2, weights(4, 3)), _mm512_maddubs_epi16(w3, weights(2, 0))),
    );
    let b0 = _mm512_srli_epi16::<8>(w0);
    let b1 = _mm512_srli_epi16::<3>(_mm512_slli_epi16::<8>(w0));
    let b2 = _mm512_slli_epi16::<10>(_mm512_srli_epi16::<8>(w1));
    let b3 = _mm512_slli_epi16::<15>(w1);
    let xor = _mm512_ternarylogic_epi64::<0x96>(b0, b1, _mm512_xor_si512(b2, b3));
    _mm512_add_epi16(sum, xor)
}
