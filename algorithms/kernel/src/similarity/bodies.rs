//! The distance of TLSH bodies: one against eight at a time.
//!
//! A body is 128 quartiles of two bits. In Gray code (0 as 00, 1 as 01, 2 as 11, 3 as 10) two
//! bodies differ in as many bits as their quartiles are apart, but for 0 and 3: those differ in one
//! bit and count 6 (Oliver, Cheng & Chen, *TLSH – a locality sensitive hash*, 2013, section 3). So
//! the bits that differ in half of a body are a lower bound of its distance, and all of them with 5
//! for each such pair are the distance.

use super::{Form, best, nothing_more};
#[cfg(target_arch = "x86_64")]
use super::{counts_bits, counts_words};
use crate::Isa;
use std::sync::LazyLock;

/// Bodies that are compared at a time.
pub const EIGHT: usize = 8;
/// The lower bit of each quartile.
const LOW: u64 = 0x5555_5555_5555_5555;

/// A body of 32 bytes in Gray code; the lower bit of quartile `i` is bit `2 * (i % 32)` of word
/// `i / 32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body(pub [u64; 4]);

impl Body {
    /// A body as TLSH writes it.
    pub fn new(bytes: &[u8; 32]) -> Body {
        let (words, _) = bytes.as_chunks::<8>();
        Body(std::array::from_fn(|word| {
            let plain = u64::from_le_bytes(words[word]);
            plain ^ plain >> 1 & LOW
        }))
    }

    /// The distance of two bodies.
    pub fn distance(&self, other: &Body) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| differing(*a, *b) + 5 * opposite(*a, *b)).sum()
    }
}

/// Eight bodies, word by word.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Eight([[u64; EIGHT]; 4]);

impl Eight {
    /// These bodies, eight at most, and bodies of zeros behind them.
    pub fn new(bodies: impl Iterator<Item = Body>) -> Eight {
        let mut eight = Eight([[0; EIGHT]; 4]);
        for (lane, body) in bodies.take(EIGHT).enumerate() {
            for (words, word) in eight.0.iter_mut().zip(body.0) {
                words[lane] = word;
            }
        }
        eight
    }

    /// One of them.
    ///
    /// # Panics
    /// If `lane` is 8 or more.
    pub fn body(&self, lane: usize) -> Body {
        Body(self.0.map(|words| words[lane]))
    }
}

#[inline(always)]
fn differing(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

/// Quartiles that are 0 in one and 3 in the other.
#[inline(always)]
fn opposite(a: u64, b: u64) -> u32 {
    ((a ^ b) >> 1 & !(a | b) & LOW).count_ones()
}

/// Appends the numbers of those of `others`, eight each, that are at most `most` from `one`.
type FindNear = unsafe fn(one: &Body, others: &[Eight], most: u32, near: &mut Vec<u32>);

/// The forms, best first.
pub static FORMS: &[Form<FindNear>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: counts_words, function: x86::avx512 },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: counts_bits, function: x86::avx2 },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<FindNear> {
    /// [`near()`] in this form.
    ///
    /// # Panics
    /// If this machine lacks the form.
    pub fn run(&self, one: &Body, others: &[Eight], most: u32, near: &mut Vec<u32>) {
        assert!(self.usable());
        // SAFETY: the instruction set is there, as asserted.
        unsafe { (self.function)(one, others, most, near) }
    }
}

/// Appends the numbers of those of `others` that are at most `most` from `one`, ascending: lane `l`
/// of the `n`th eight is `8 * n + l`.
pub fn near(one: &Body, others: &[Eight], most: u32, near: &mut Vec<u32>) {
    static BEST: LazyLock<&Form<FindNear>> = LazyLock::new(|| best(FORMS));
    // SAFETY: `best` returns usable forms only.
    unsafe { (BEST.function)(one, others, most, near) }
}

#[inline(always)]
fn portable(one: &Body, others: &[Eight], most: u32, near: &mut Vec<u32>) {
    for (first, eight) in (0u32..).step_by(EIGHT).zip(others) {
        let mut least = [0; EIGHT];
        for word in 0..2 {
            for (least, other) in least.iter_mut().zip(eight.0[word]) {
                *least += u64::from(differing(one.0[word], other));
            }
        }
        if least.iter().fold(false, |any, least| any | (*least <= u64::from(most))) {
            let lanes = (0..EIGHT).filter(|lane| least[*lane] <= u64::from(most));
            let is_near = |lane: &usize| one.distance(&eight.body(*lane)) <= most;
            near.extend(lanes.filter(is_near).map(|lane| first + lane as u32));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Body, EIGHT, Eight, LOW};
    use std::arch::x86_64::*;

    /// # Safety
    /// AVX-512 F and VPOPCNTDQ.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")]
    pub unsafe fn avx512(one: &Body, others: &[Eight], most: u32, near: &mut Vec<u32>) {
        let one = one.0.map(|word| _mm512_set1_epi64(word as i64));
        let most = _mm512_set1_epi64(i64::from(most));
        let low = _mm512_set1_epi64(LOW as i64);
        for (first, eight) in (0u32..).step_by(EIGHT).zip(others) {
            let load = |word: usize| {
                // SAFETY: a word of all eight is 64 bytes.
                unsafe { _mm512_loadu_si512(eight.0[word].as_ptr().cast()) }
            };
            let differing = |word: usize| _mm512_popcnt_epi64(_mm512_xor_si512(one[word], load(word)));
            let half = _mm512_add_epi64(differing(0), differing(1));
            if _mm512_cmple_epu64_mask(half, most) == 0 {
                continue;
            }
            let bits = _mm512_add_epi64(half, _mm512_add_epi64(differing(2), differing(3)));
            let opposite = |word: usize| {
                let other = load(word);
                let high = _mm512_srli_epi64::<1>(_mm512_xor_si512(one[word], other));
                let both = _mm512_andnot_si512(_mm512_or_si512(one[word], other), low);
                _mm512_popcnt_epi64(_mm512_and_si512(high, both))
            };
            let opposite = (1..4).fold(opposite(0), |sum, word| _mm512_add_epi64(sum, opposite(word)));
            let five = _mm512_add_epi64(opposite, _mm512_slli_epi64::<2>(opposite));
            let mut lanes = _mm512_cmple_epu64_mask(_mm512_add_epi64(bits, five), most);
            while lanes != 0 {
                near.push(first + lanes.trailing_zeros());
                lanes &= lanes - 1;
            }
        }
    }

    /// # Safety
    /// AVX2.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    pub unsafe fn avx2(one: &Body, others: &[Eight], most: u32, near: &mut Vec<u32>) {
        super::portable(one, others, most, near);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the paper has it, quartile by quartile.
    fn plain(a: &[u8; 32], b: &[u8; 32]) -> u32 {
        let quartile = |body: &[u8; 32], i: usize| u32::from(body[i / 4] >> (2 * (i % 4)) & 3);
        let apart = |i| quartile(a, i).abs_diff(quartile(b, i));
        (0..128).map(apart).map(|apart| if apart == 3 { 6 } else { apart }).sum()
    }

    #[test]
    fn every_form_finds_those_that_are_near() {
        let mut seed = 5u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize
        };
        let mut bytes: Vec<[u8; 32]> = vec![[0; 32], [255; 32], [0x55; 32]];
        for number in 3..203 {
            let mut body = if number % 3 == 0 { std::array::from_fn(|_| next() as u8) } else { bytes[next() % number] };
            (0..next() % 9).for_each(|_| body[next() % 32] ^= 1 << (next() % 8));
            bytes.push(body);
        }
        let bodies: Vec<Body> = bytes.iter().map(Body::new).collect();
        let eights: Vec<Eight> = bodies.chunks(EIGHT).map(|eight| Eight::new(eight.iter().copied())).collect();
        for form in FORMS.iter().filter(|form| form.usable()) {
            for (one, body) in bytes.iter().zip(&bodies) {
                for most in [0, 1, 7, 30, 60, 130, 768] {
                    let mut found = Vec::new();
                    form.run(body, &eights, most, &mut found);
                    found.retain(|number| (*number as usize) < bytes.len());
                    let is_near = |(_, other): &(u32, &[u8; 32])| plain(one, other) <= most;
                    let expected: Vec<u32> = (0..).zip(&bytes).filter(is_near).map(|(number, _)| number).collect();
                    assert_eq!(found, expected, "{:?} {most}", form.isa());
                }
            }
        }
        for (one, a) in bytes.iter().zip(&bodies) {
            assert!(bytes.iter().zip(&bodies).all(|(other, b)| a.distance(b) == plain(one, other)));
        }
    }
}
