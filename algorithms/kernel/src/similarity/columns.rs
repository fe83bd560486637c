//! Filters that share enough bits with one, of 512 Bloom filters that stand bit by bit.
//!
//! A column is one bit of all 512. The columns of the bits that one filter has are added up, for
//! all 512 at once, in counters whose bits stand apart: carry-save adders as in Harley and Seal's
//! count of bits (Muła, Kurz & Lemire, *Faster population counts using AVX2 instructions*, 2018,
//! section 4). That is two logical instructions for a bit of 512 filters where the CPU has ternary
//! logic.
//!
//! A filter that has `count` of the columns added so far and lacks `needed - count` has them among
//! the columns `left`, or never: where no filter has `needed - left`, the rest is not added.

use super::bloom::Bits;
use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Filters side by side.
pub const LANES: usize = 512;
/// Bits of a filter.
const BITS: usize = 2048;
/// Columns that are added before the counters above 16 are touched.
const STEP: usize = 32;

/// A bit for each of 512 filters; that of filter `i` is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Lanes(pub [u64; LANES / 64]);

impl Lanes {
    /// The numbers of the filters whose bit is set, ascending.
    pub fn each(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                let at = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (at < 64).then_some(64 * word + at)
            })
        })
    }
}

/// The bits that are set in a filter, as numbers of columns.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Up to a multiple of `STEP` filled up with `BITS`, the column of zeros; none is greater.
    places: Vec<u16>,
    ones: u32,
}

impl Places {
    /// Those of a filter.
    pub fn new(bits: &Bits) -> Places {
        let mut places = Vec::with_capacity(768);
        for (word, bits) in (0u16..).zip(&bits.0) {
            let mut bits = *bits;
            while bits != 0 {
                // Fits: a place in a word.
                places.push(64 * word + bits.trailing_zeros() as u16);
                bits &= bits - 1;
            }
        }
        let ones = places.len() as u32;
        places.resize(places.len().next_multiple_of(STEP), BITS as u16);
        Places { places, ones }
    }
}

/// 512 filters bit by bit, and a column of zeros.
#[derive(Clone, Debug)]
pub struct Columns(Box<[Lanes]>);

impl Columns {
    /// Those of these filters, 512 at most; filters of zeros stand behind them.
    pub fn new(filters: &[&Bits]) -> Columns {
        let mut columns = vec![Lanes([0; LANES / 64]); BITS + 1].into_boxed_slice();
        for (group, filters) in filters.chunks(64).take(LANES / 64).enumerate() {
            for word in 0..BITS / 64 {
                let mut square = [0; 64];
                square.iter_mut().zip(filters).for_each(|(row, filter)| *row = filter.0[word]);
                transpose(&mut square);
                let columns = &mut columns[64 * word..64 * (word + 1)];
                columns.iter_mut().zip(square).for_each(|(column, bits)| column.0[group] = bits);
            }
        }
        Columns(columns)
    }

    /// The filters that have at least `needed` of the bits of one. Of `needed` 0 it is all 512.
    pub fn sharing(&self, places: &Places, needed: u32) -> Lanes {
        static BEST: LazyLock<&Form<Sharing>> = LazyLock::new(|| best(FORMS));
        // SAFETY: `best` returns usable forms only; there are `BITS` + 1 columns, and places are at
        // most `BITS`.
        unsafe { (BEST.function)(&self.0, &places.places, places.ones, needed) }
    }
}

/// Rows become columns: bit `i` of word `j` goes to bit `j` of word `i` (Warren, *Hacker's
/// Delight*, section 7-3).
fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while width > 0 {
        let mut row = 0;
        while row < 64 {
            let swapped = (square[row] >> width ^ square[row + width]) & mask;
            square[row + width] ^= swapped;
            square[row] ^= swapped << width;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

/// The lanes that have at least `needed` of the columns at `places`, `ones` besides those of zeros.
type Sharing = unsafe fn(columns: &[Lanes], places: &[u16], ones: u32, needed: u32) -> Lanes;

/// The forms, best first.
pub static FORMS: &[Form<Sharing>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: nothing_more, function: x86::avx512 },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: nothing_more, function: x86::avx2 },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Sharing> {
    /// [`Columns::sharing`] in this form.
    ///
    /// # Panics
    /// If this machine lacks the form.
    pub fn run(&self, columns: &Columns, places: &Places, needed: u32) -> Lanes {
        assert!(self.usable());
        // SAFETY: the instruction set is there, as asserted; there are `BITS` + 1 columns, and
        // places are at most `BITS`.
        unsafe { (self.function)(&columns.0, &places.places, places.ones, needed) }
    }
}

/// A part of a column in a register.
trait Part: Copy {
    /// Parts of a column.
    const PARTS: usize;
    /// Every bit, or none.
    unsafe fn all(set: bool) -> Self;
    /// Part `part` of a column.
    unsafe fn load(column: &Lanes, part: usize) -> Self;
    unsafe fn store(self, lanes: &mut Lanes, part: usize);
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// The sum of three bits and its carry.
    unsafe fn add(self, b: Self, c: Self) -> (Self, Self);
    /// Whether no bit is set.
    unsafe fn is_zero(self) -> bool;
}

/// [`Sharing`], in registers of one kind.
///
/// # Safety
/// The instructions of `P`; no place is beyond the columns.
#[inline(always)]
unsafe fn sharing<P: Part>(columns: &[Lanes], places: &[u16], ones: u32, needed: u32) -> Lanes {
    let mut lanes = Lanes([0; LANES / 64]);
    // Counters have twelve bits.
    if needed > ones {
        return lanes;
    }
    for part in 0..P::PARTS {
        // SAFETY: as for this function.
        unsafe { of_part::<P>(columns, places, (ones, needed), part).store(&mut lanes, part) };
    }
    lanes
}

/// # Safety
/// As [`sharing`].
#[inline(always)]
unsafe fn of_part<P: Part>(columns: &[Lanes], places: &[u16], (ones, needed): (u32, u32), part: usize) -> P {
    // SAFETY: the instructions are there; places are within the columns.
    unsafe {
        // 1, 2, 4, 8, 16, and from 32 to 2,048.
        let (mut low, mut high) = ([P::all(false); 5], [P::all(false); 7]);
        let mut done = 0;
        for step in places.as_chunks::<STEP>().0 {
            // Pairs of columns make twos, pairs of those fours, and so on.
            let mut sixteens = [P::all(false); 2];
            for (half, sixteen) in sixteens.iter_mut().enumerate() {
                let mut eights = [P::all(false); 2];
                for (quarter, eight) in eights.iter_mut().enumerate() {
                    let mut fours = [P::all(false); 2];
                    for (eighth, four) in fours.iter_mut().enumerate() {
                        let at = 16 * half + 8 * quarter + 4 * eighth;
                        let [a, b] = two(columns, [step[at], step[at + 1]], part);
                        let (one, first) = low[0].add(a, b);
                        let [a, b] = two(columns, [step[at + 2], step[at + 3]], part);
                        let (one, second) = one.add(a, b);
                        low[0] = one;
                        (low[1], *four) = low[1].add(first, second);
                    }
                    (low[2], *eight) = low[2].add(fours[0], fours[1]);
                }
                (low[3], *sixteen) = low[3].add(eights[0], eights[1]);
            }
            let mut carry;
            (low[4], carry) = low[4].add(sixteens[0], sixteens[1]);
            for counter in &mut high {
                (*counter, carry) = (counter.xor(carry), counter.and(carry));
            }
            done += STEP as u32;
            let lacking = needed.saturating_sub(ones.saturating_sub(done));
            // Full filters have about a third of the bits: sooner the look would be in vain.
            if 4 * lacking >= done && reaching::<P>(&low, &high, lacking).is_zero() {
                return P::all(false);
            }
        }
        reaching::<P>(&low, &high, needed)
    }
}

/// Part `part` of two columns.
///
/// # Safety
/// As [`sharing`].
#[inline(always)]
unsafe fn two<P: Part>(columns: &[Lanes], places: [u16; 2], part: usize) -> [P; 2] {
    // SAFETY: the instructions are there; places are within the columns.
    unsafe {
        let [a, b] = places.map(usize::from);
        [P::load(columns.get_unchecked(a), part), P::load(columns.get_unchecked(b), part)]
    }
}

/// The counters that have reached `least`.
///
/// # Safety
/// The instructions of `P`.
#[inline(always)]
unsafe fn reaching<P: Part>(low: &[P; 5], high: &[P; 7], least: u32) -> P {
    // SAFETY: the instructions are there.
    unsafe {
        // From the lowest bit up: where `least` has a bit the counter must have it too, and
        // elsewhere it may. The carry of both with the bit that `least` lacks is that.
        let mut reaching = P::all(true);
        for (bit, counter) in low.iter().chain(high).enumerate() {
            (_, reaching) = reaching.add(*counter, P::all(least >> bit & 1 == 0));
        }
        reaching
    }
}

impl Part for u64 {
    const PARTS: usize = LANES / 64;

    #[inline(always)]
    unsafe fn all(set: bool) -> u64 {
        u64::from(set).wrapping_neg()
    }

    #[inline(always)]
    unsafe fn load(column: &Lanes, part: usize) -> u64 {
        column.0[part]
    }

    #[inline(always)]
    unsafe fn store(self, lanes: &mut Lanes, part: usize) {
        lanes.0[part] = self;
    }

    #[inline(always)]
    unsafe fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline(always)]
    unsafe fn xor(self, other: u64) -> u64 {
        self ^ other
    }

    #[inline(always)]
    unsafe fn add(self, b: u64, c: u64) -> (u64, u64) {
        let half = self ^ b;
        (half ^ c, self & b | half & c)
    }

    #[inline(always)]
    unsafe fn is_zero(self) -> bool {
        self == 0
    }
}

/// # Safety
/// No place is beyond the columns.
unsafe fn portable(columns: &[Lanes], places: &[u16], ones: u32, needed: u32) -> Lanes {
    // SAFETY: as for this function.
    unsafe { sharing::<u64>(columns, places, ones, needed) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Lanes, Part, sharing};
    use std::arch::x86_64::*;

    impl Part for __m512i {
        const PARTS: usize = LANES / 512;

        #[inline(always)]
        unsafe fn all(set: bool) -> __m512i {
            // SAFETY: the caller has the instructions; so below.
            unsafe { _mm512_set1_epi64(-i64::from(set)) }
        }

        #[inline(always)]
        unsafe fn load(column: &Lanes, _: usize) -> __m512i {
            // SAFETY: a column has 64 bytes.
            unsafe { _mm512_loadu_si512(column.0.as_ptr().cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, lanes: &mut Lanes, _: usize) {
            // SAFETY: lanes have 64 bytes.
            unsafe { _mm512_storeu_si512(lanes.0.as_mut_ptr().cast(), self) }
        }

        #[inline(always)]
        unsafe fn and(self, other: __m512i) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_and_si512(self, other) }
        }

        #[inline(always)]
        unsafe fn xor(self, other: __m512i) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_xor_si512(self, other) }
        }

        #[inline(always)]
        unsafe fn add(self, b: __m512i, c: __m512i) -> (__m512i, __m512i) {
            // SAFETY: as above. An odd number of them, and two of them at least.
            unsafe { (_mm512_ternarylogic_epi64::<0x96>(self, b, c), _mm512_ternarylogic_epi64::<0xe8>(self, b, c)) }
        }

        #[inline(always)]
        unsafe fn is_zero(self) -> bool {
            // SAFETY: as above.
            unsafe { _mm512_test_epi64_mask(self, self) == 0 }
        }
    }

    impl Part for __m256i {
        const PARTS: usize = LANES / 256;

        #[inline(always)]
        unsafe fn all(set: bool) -> __m256i {
            // SAFETY: the caller has the instructions; so below.
            unsafe { _mm256_set1_epi64x(-i64::from(set)) }
        }

        #[inline(always)]
        unsafe fn load(column: &Lanes, part: usize) -> __m256i {
            // SAFETY: a half of a column has 32 bytes.
            unsafe { _mm256_loadu_si256(column.0[4 * part..4 * part + 4].as_ptr().cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, lanes: &mut Lanes, part: usize) {
            // SAFETY: a half has 32 bytes.
            unsafe { _mm256_storeu_si256(lanes.0[4 * part..4 * part + 4].as_mut_ptr().cast(), self) }
        }

        #[inline(always)]
        unsafe fn and(self, other: __m256i) -> __m256i {
            // SAFETY: as above.
            unsafe { _mm256_and_si256(self, other) }
        }

        #[inline(always)]
        unsafe fn xor(self, other: __m256i) -> __m256i {
            // SAFETY: as above.
            unsafe { _mm256_xor_si256(self, other) }
        }

        #[inline(always)]
        unsafe fn add(self, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
            // SAFETY: as above.
            unsafe {
                let half = _mm256_xor_si256(self, b);
                let carry = _mm256_or_si256(_mm256_and_si256(self, b), _mm256_and_si256(half, c));
                (_mm256_xor_si256(half, c), carry)
            }
        }

        #[inline(always)]
        unsafe fn is_zero(self) -> bool {
            // SAFETY: as above.
            unsafe { _mm256_testz_si256(self, self) == 1 }
        }
    }

    /// # Safety
    /// AVX-512; no place is beyond the columns.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    pub unsafe fn avx512(columns: &[Lanes], places: &[u16], ones: u32, needed: u32) -> Lanes {
        // SAFETY: as for this function.
        unsafe { sharing::<__m512i>(columns, places, ones, needed) }
    }

    /// # Safety
    /// AVX2; no place is beyond the columns.
    #[target_feature(enable = "avx2")]
    pub unsafe fn avx2(columns: &[Lanes], places: &[u16], ones: u32, needed: u32) -> Lanes {
        // SAFETY: as for this function.
        unsafe { sharing::<__m256i>(columns, places, ones, needed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_finds_those_that_share_enough() {
        let mut seed = 7u64;
        let mut word = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed ^ seed >> 29
        };
        let mut filters: Vec<Bits> = vec![Bits([u64::MAX; 32]), Bits([0; 32])];
        for number in 2..LANES {
            // Some full ones, some with a few bits, and near copies.
            let fresh = Bits(std::array::from_fn(|_| word() & if number % 3 == 0 { word() } else { word() & word() }));
            let sparse = Bits(fresh.0.map(|bits| if number % 7 == 0 { bits & word() & word() } else { bits }));
            let copied = filters[word() as usize % number].0.map(|bits| bits & !(word() & word() & word()));
            filters.push(if number % 4 == 0 { Bits(copied) } else { sparse });
        }
        for count in [LANES, 70, 1, 0] {
            let all: Vec<&Bits> = filters.iter().take(count).collect();
            let columns = Columns::new(&all);
            for one in filters.iter().take(if count == LANES { 60 } else { 9 }) {
                let places = Places::new(one);
                let shared = |other: &&Bits| one.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
                let counts: Vec<u32> = all.iter().map(shared).collect();
                for needed in [1, 20, 150, 214, 348, 500, 680, 1500, 2047, 2048] {
                    let expected: Vec<usize> = (0..count).filter(|at| counts[*at] >= needed).collect();
                    for form in FORMS.iter().filter(|form| form.usable()) {
                        let found: Vec<usize> = form.run(&columns, &places, needed).each().collect();
                        assert_eq!(found, expected, "{:?} {needed}", form.isa());
                    }
                }
            }
        }
        let columns = Columns::new(&[]);
        assert_eq!(columns.sharing(&Places::new(&filters[0]), 0).each().count(), LANES);
    }
}
