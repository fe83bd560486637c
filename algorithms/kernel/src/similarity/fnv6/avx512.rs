//! The six bits over 512 bytes at once, with Galois-field affine instructions.
//!
//! A plane is one bit of 512 consecutive bytes: byte `j` of the vector holds bytes `8j` to `8j + 7`
//! of the message, the earliest in the highest bit. Within those eight the running XOR is one
//! affine product with a triangular matrix; across the 64 groups it is the carry-less product of
//! their parities with all ones, and complements whole groups.

use super::portable::STATES;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

/// Bytes per step.
const STEP: usize = 512;
/// Up to that many bytes the narrower form is faster: a step takes as long however few of its bytes
/// are there.
const FEW: usize = 96;

/// Whether the CPU has the products, and permutations of bytes over two registers.
pub fn affine() -> bool {
    has!("gfni") && has!("pclmulqdq") && has!("avx512vbmi") && has!("popcnt")
}

/// The powers of 19 modulo 64; 19^16 = 1.
const POWERS: [u8; 16] = {
    let mut powers = [1; 16];
    let mut i = 1;
    while i < 16 {
        powers[i] = (powers[i - 1] as u32 * 19 % 64) as u8;
        i += 1;
    }
    powers
};

/// # Safety
/// AVX-512 with VBMI, GFNI, PCLMULQDQ and POPCNT, and the instructions that the AVX2 form needs.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni,pclmulqdq,popcnt,bmi1,bmi2")]
pub unsafe fn advance(states: &mut [u8; STATES], count: usize, bytes: &[u8]) {
    if bytes.len() <= FEW {
        // SAFETY: the caller's promise.
        return unsafe { super::x86::advance(states, count, bytes) };
    }
    match count {
        0 => {}
        1 => lanes::<1, 1>(states, bytes),
        2 => lanes::<1, 2>(states, bytes),
        3 => lanes::<1, 3>(states, bytes),
        4 => lanes::<1, 4>(states, bytes),
        5 | 6 => lanes::<2, 3>(states, bytes),
        7 | 8 => lanes::<2, 4>(states, bytes),
        9 => lanes::<3, 3>(states, bytes),
        _ => lanes::<3, 4>(states, bytes),
    }
}

/// `G` groups of `N` states: more than four at once do not fit the registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni,pclmulqdq,popcnt")]
fn lanes<const G: usize, const N: usize>(states: &mut [u8; STATES], bytes: &[u8]) {
    let groups = &mut states.as_chunks_mut::<N>().0[..G];
    let (head, steps) = bytes.split_at(bytes.len() % STEP);
    if !head.is_empty() {
        // The head is preceded by zero bytes, each of which multiplies the state by 19: that is
        // undone before.
        let zeros = STEP - head.len();
        let mut step = [0; STEP];
        step[zeros..].copy_from_slice(head);
        let undone = POWERS[(16 - zeros % 16) % 16];
        let planes = transpose(&step);
        for group in &mut *groups {
            *group = group.map(|state| state.wrapping_mul(undone) & 63);
            run(group, &planes);
        }
    }
    for step in steps.as_chunks::<STEP>().0 {
        let planes = transpose(step);
        for group in &mut *groups {
            run(group, &planes);
        }
    }
}

/// The six planes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,gfni")]
fn transpose(step: &[u8; STEP]) -> [__m512i; 6] {
    // Byte k of a word of eight becomes their bits k, the first byte's on top.
    let turned = |i: usize| {
        // SAFETY: the eight loads cover the 512 bytes.
        let word = unsafe { _mm512_loadu_si512(step.as_ptr().add(64 * i).cast()) };
        _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64), word)
    };
    // Sixteen bytes of planes 0 to 3, and of 4 and 5 in the lower or the upper half.
    let (low, four_five, upper) = (order(0), order(4), order(2));
    let pair = |i: usize, high: __m512i| {
        let (a, b) = (turned(i), turned(i + 1));
        (_mm512_permutex2var_epi8(a, low, b), _mm512_permutex2var_epi8(a, high, b))
    };
    let ((a, a_high), (b, b_high), (c, c_high), (d, d_high)) =
        (pair(0, four_five), pair(2, upper), pair(4, four_five), pair(6, upper));
    let even = |a, b| _mm512_shuffle_i64x2::<0x88>(a, b);
    let odd = |a, b| _mm512_shuffle_i64x2::<0xdd>(a, b);
    let (ab02, cd02, ab13, cd13) = (even(a, b), even(c, d), odd(a, b), odd(c, d));
    let ab45 = _mm512_mask_blend_epi64(0xf0, a_high, b_high);
    let cd45 = _mm512_mask_blend_epi64(0xf0, c_high, d_high);
    [even(ab02, cd02), even(ab13, cd13), odd(ab02, cd02), odd(ab13, cd13), even(ab45, cd45), odd(ab45, cd45)]
}

/// For two registers of words whose byte `k` belongs to plane `k`: the sixteen bytes of plane
/// `first`, those of the next and so on, modulo 8.
#[inline]
#[target_feature(enable = "avx512f")]
fn order(first: usize) -> __m512i {
    let index: [u8; 64] = std::array::from_fn(|at| (at % 16 * 8 + (first + at / 16) % 8) as u8);
    // SAFETY: the load covers the 64 bytes.
    unsafe { _mm512_loadu_si512(index.as_ptr().cast()) }
}

/// The states after the step. `p` is a plane of the states before each byte; for the sums see
/// `super::x86`. All states take each step together: one alone is a chain of dependent
/// instructions, longer than the window in which the CPU reorders.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni,pclmulqdq,popcnt")]
fn run<const N: usize>(states: &mut [u8; N], c: &[__m512i; 6]) {
    let xor = |a, b| _mm512_xor_si512(a, b);
    let xor3 = |a, b, c| _mm512_ternarylogic_epi64::<0x96>(a, b, c);
    let majority = |a, b, c| _mm512_ternarylogic_epi64::<0xe8>(a, b, c);
    let zero = [_mm512_setzero_si512(); N];
    let (mut x, mut carry) = (zero, zero);
    let p0 = before::<0, N>(&[c[0]; N], states);
    for n in 0..N {
        x[n] = xor(c[1], p0[n]);
    }
    let p1 = before::<1, N>(&x, states);
    for n in 0..N {
        carry[n] = _mm512_and_si512(p1[n], p0[n]);
        x[n] = xor3(c[2], p1[n], carry[n]);
    }
    let p2 = before::<2, N>(&x, states);
    for n in 0..N {
        carry[n] = majority(p2[n], p1[n], carry[n]);
        x[n] = xor3(c[3], p2[n], carry[n]);
    }
    let p3 = before::<3, N>(&x, states);
    for n in 0..N {
        carry[n] = majority(p3[n], p2[n], carry[n]);
        x[n] = xor3(c[4], p3[n], xor(carry[n], p0[n]));
    }
    let p4 = before::<4, N>(&x, states);
    for n in 0..N {
        let carry5 = xor(majority(p4[n], p3[n], xor(carry[n], p0[n])), _mm512_and_si512(carry[n], p0[n]));
        // Nothing depends on the last plane but its own parity.
        let last = parities(xor(xor3(c[5], p4[n], p1[n]), carry5)).count_ones() as u8;
        states[n] ^= (last & 1) << 5;
    }
}

/// Of each state's plane `K` the running XOR before each byte, from bit `K` of the state; that bit
/// becomes the one after the last byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,gfni,pclmulqdq")]
fn before<const K: u32, const N: usize>(x: &[__m512i; N], states: &mut [u8; N]) -> [__m512i; N] {
    // Row i of the matrix, from the lowest bit of the result on, has the bits above i; rows are
    // stored the last first.
    const ABOVE: i64 = 0xfefc_f8f0_e0c0_8000_u64 as i64;
    let above = _mm512_set1_epi64(ABOVE);
    let mut all = [0; N];
    for n in 0..N {
        let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(parities(x[n]) as i64), _mm_set1_epi8(-1));
        all[n] = _mm_cvtsi128_si64(product) as u64;
    }
    let mut p = [_mm512_setzero_si512(); N];
    for n in 0..N {
        let within = _mm512_gf2p8affine_epi64_epi8::<0>(x[n], above);
        let complemented = all[n] << 1 ^ 0u64.wrapping_sub(u64::from(states[n] >> K & 1));
        // Affine with the constant of all ones: the complement.
        p[n] = _mm512_mask_gf2p8affine_epi64_epi8::<0xff>(within, complemented, x[n], above);
        states[n] ^= ((all[n] >> 63) as u8) << K;
    }
    p
}

/// The parity of each byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,gfni")]
fn parities(x: __m512i) -> u64 {
    // The highest bit of the result is the sum of all eight.
    _mm512_movepi8_mask(_mm512_gf2p8affine_epi64_epi8::<0>(x, _mm512_set1_epi64(0xff)))
}
