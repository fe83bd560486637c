//! TLSH's buckets: of each window of five bytes, six triplets are hashed to a bucket each, and two
//! bytes go into a checksum.
//!
//! The hash is Pearson's: `P[P[P[P[c] ^ newest] ^ x] ^ y]` with a constant for each triplet. `P` is
//! a permutation, so that a bucket can be counted by its index before the last look-up: the forms
//! count those, and [`buckets`] looks each up once.

use super::{Form, best, nothing_more};
use crate::Isa;
use std::sync::LazyLock;

/// Bytes before the newest one in a window.
pub const BEFORE: usize = 4;
/// Buckets that count.
pub const BUCKETS: usize = 128;

/// Pearson's permutation as TLSH has it: data of TLSH by Trend Micro (Apache-2.0).
#[rustfmt::skip]
static P: [u8; 256] = [
    1, 87, 49, 12, 176, 178, 102, 166, 121, 193, 6, 84, 249, 230, 44, 163, 14, 197, 213, 181,
    161, 85, 218, 80, 64, 239, 24, 226, 236, 142, 38, 200, 110, 177, 104, 103, 141, 253, 255, 50,
    77, 101, 81, 18, 45, 96, 31, 222, 25, 107, 190, 70, 86, 237, 240, 34, 72, 242, 20, 214,
    244, 227, 149, 235, 97, 234, 57, 22, 60, 250, 82, 175, 208, 5, 127, 199, 111, 62, 135, 248,
    174, 169, 211, 58, 66, 154, 106, 195, 245, 171, 17, 187, 182, 179, 0, 243, 132, 56, 148, 75,
    128, 133, 158, 100, 130, 126, 91, 13, 153, 246, 216, 219, 119, 68, 223, 78, 83, 88, 201, 99,
    122, 11, 92, 32, 136, 114, 52, 10, 138, 30, 48, 183, 156, 35, 61, 26, 143, 74, 251, 94,
    129, 162, 63, 152, 170, 7, 115, 167, 241, 206, 3, 150, 55, 59, 151, 220, 90, 53, 23, 131,
    125, 173, 15, 238, 79, 95, 89, 16, 105, 137, 225, 224, 217, 160, 37, 123, 118, 73, 2, 157,
    46, 116, 9, 145, 134, 228, 207, 212, 202, 215, 69, 229, 27, 188, 67, 124, 168, 252, 42, 4,
    29, 108, 21, 247, 19, 205, 39, 203, 233, 40, 186, 147, 198, 192, 155, 33, 164, 191, 98, 204,
    165, 180, 117, 76, 140, 36, 210, 172, 41, 54, 159, 8, 185, 232, 113, 196, 231, 47, 146, 120,
    51, 65, 28, 144, 254, 221, 93, 189, 194, 139, 112, 43, 71, 109, 184, 209,
];

/// The first bytes of the six triplets, in the order of their tables below, and of the checksum.
const FIRST: [u8; 7] = [2, 3, 5, 7, 11, 13, 0];

/// Counts the triplets of each window: the windows' newest bytes are `bytes[4..]`.
type Count = unsafe fn(bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]);

/// The forms, best first.
pub static FORMS: &[Form<Count>] = &[
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx512, extra: vbmi::permutes_bytes, function: vbmi::count },
    #[cfg(target_arch = "x86_64")]
    Form { isa: Isa::Avx2, extra: nothing_more, function: avx2::count },
    Form { isa: Isa::Portable, extra: nothing_more, function: portable },
];

impl Form<Count> {
    /// Counts the triplets of each window, by the index before the last look-up, and advances the
    /// checksum. The windows' newest bytes are `bytes[4..]`. Counts wrap around.
    ///
    /// # Panics
    /// If this machine lacks the form.
    pub fn run(&self, bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]) {
        assert!(self.usable());
        // SAFETY: the instruction set is there, as asserted.
        unsafe { (self.function)(bytes, checksum, counts) }
    }
}

/// [`Form::run`] with the best form.
pub fn count(bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]) {
    static BEST: LazyLock<&Form<Count>> = LazyLock::new(|| best(FORMS));
    // SAFETY: `best` returns usable forms only.
    unsafe { (BEST.function)(bytes, checksum, counts) }
}

/// The buckets of counts: half of the hashes have none.
pub fn buckets(counts: &[u32; 256]) -> [u32; BUCKETS] {
    let mut buckets = [0; BUCKETS];
    for (index, count) in counts.iter().enumerate() {
        if let Some(bucket) = buckets.get_mut(usize::from(P[index])) {
            *bucket = *count;
        }
    }
    buckets
}

/// `P[P[c] ^ newest]` for each constant, a byte each: the first two look-ups of the hashes with
/// this newest byte.
static BEGUN: [u64; 256] = {
    let mut begun = [0; 256];
    let mut newest = 0;
    while newest < 256 {
        let mut i = 0;
        while i < FIRST.len() {
            begun[newest] |= (P[P[FIRST[i] as usize] as usize ^ newest] as u64) << (8 * i);
            i += 1;
        }
        newest += 1;
    }
    begun
};

// The bytes of a word where the middle byte of the triplet is one, two or three before the newest.
const ONE: u64 = 0x0001_0001_0000_0101;
const TWO: u64 = 0x0000_0000_0101_0000;
const THREE: u64 = 0x0000_0100_0000_0000;

/// # Safety
/// None: the form needs no instructions of its own.
unsafe fn portable(bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]) {
    in_rows(bytes, checksum, counts, |bytes, words| {
        for (word, window) in words.iter_mut().zip(bytes.windows(BEFORE + 1)) {
            let [_, b1, b2, b3, b4] = std::array::from_fn(|i| window[i]);
            *word = begin(b1, b2, b3, b4);
        }
    });
}

/// A window's hashes before the third look-up.
#[inline(always)]
fn begin(b1: u8, b2: u8, b3: u8, b4: u8) -> u64 {
    BEGUN[usize::from(b4)] ^ (u64::from(b3) * ONE) ^ (u64::from(b2) * TWO) ^ (u64::from(b1) * THREE)
}

/// Windows whose words are made before any is counted.
const ROW: usize = 64;
/// Bytes of a row that may be read: those of its windows, and some behind.
const READ: usize = ROW + 16;
/// Bytes that are worth tables of their own.
const WORTH: usize = 1024;

/// Counts row by row: `begin` writes the words of [`begin`] of a row's windows. Each of the six
/// triplets has a table of its own, so that none waits for another that counts in the same place.
#[inline(always)]
fn in_rows(mut bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256], begin: impl Fn(&[u8; READ], &mut [u64; ROW])) {
    if bytes.len() < WORTH {
        return one_by_one(bytes, checksum, counts);
    }
    let mut own = [[0u32; 256]; 6];
    let mut sum = usize::from(*checksum);
    let mut words = [0; ROW];
    while let Some(row) = bytes.first_chunk::<READ>() {
        begin(row, &mut words);
        for (i, &word) in words.iter().enumerate() {
            let [b0, b1, b2] = std::array::from_fn(|j| usize::from(row[i + j]));
            let hash = |word: u64| usize::from(P[word as usize & 255]);
            let mut count = |triplet: usize, index: usize| {
                let count = &mut own[triplet][index];
                *count = count.wrapping_add(1);
            };
            count(0, hash(word) ^ b2);
            count(1, hash(word >> 8) ^ b1);
            let word = word >> 16;
            count(2, hash(word) ^ b1);
            count(3, hash(word >> 8) ^ b0);
            let word = word >> 16;
            count(4, hash(word) ^ b0);
            count(5, hash(word >> 8) ^ b0);
            sum = usize::from(P[hash(word >> 16) ^ sum]);
        }
        bytes = &bytes[ROW..];
    }
    *checksum = sum as u8;
    for (index, count) in counts.iter_mut().enumerate() {
        *count = own.iter().fold(*count, |count, own| count.wrapping_add(own[index]));
    }
    one_by_one(bytes, checksum, counts);
}

/// Counts few windows.
fn one_by_one(bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]) {
    let mut sum = *checksum;
    for window in bytes.windows(BEFORE + 1) {
        let [b0, b1, b2, b3, b4] = std::array::from_fn(|i| window[i]);
        let word = begin(b1, b2, b3, b4);
        let hash = |i: usize, last: u8| P[(word >> (8 * i) & 255) as usize] ^ last;
        for (i, last) in [b2, b1, b1, b0, b0, b0].into_iter().enumerate() {
            let count = &mut counts[usize::from(hash(i, last))];
            *count = count.wrapping_add(1);
        }
        sum = P[usize::from(hash(6, sum))];
    }
    *checksum = sum;
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{BEFORE, BEGUN, READ, ROW};
    use std::arch::x86_64::*;

    /// The words of two windows at a time.
    ///
    /// # Safety
    /// AVX2.
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub unsafe fn count(bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]) {
        super::in_rows(bytes, checksum, counts, |row, words| {
            // SAFETY: the form's instructions; the last load reads the bytes 62 to 77 of 80.
            unsafe { begin(row, words) }
        });
    }

    /// # Safety
    /// AVX2.
    #[inline(always)]
    unsafe fn begin(row: &[u8; READ], words: &mut [u64; ROW]) {
        let begun = |i: usize| BEGUN[usize::from(row[i + BEFORE])] as i64;
        // SAFETY: the caller's promise; sixteen bytes from the 63rd on are there.
        unsafe {
            // The middle byte of each triplet, in the order of the words' bytes.
            let middle = _mm_setr_epi8(3, 3, 2, 2, 3, 1, 3, -1, 4, 4, 3, 3, 4, 2, 4, -1);
            for i in (0..ROW).step_by(2) {
                let bytes = _mm_shuffle_epi8(_mm_loadu_si128(row.as_ptr().add(i).cast()), middle);
                let two = _mm_xor_si128(bytes, _mm_set_epi64x(begun(i + 1), begun(i)));
                _mm_storeu_si128(words.as_mut_ptr().add(i).cast(), two);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vbmi {
    use super::{BEFORE, FIRST, P};
    use std::arch::is_x86_feature_detected as has;
    use std::arch::x86_64::*;

    /// Whether the CPU permutes and compresses bytes.
    pub fn permutes_bytes() -> bool {
        has!("avx512vbmi") && has!("avx512vbmi2")
    }

    /// Windows at a time.
    const WIDTH: usize = 64;

    /// The hashes of 64 windows.
    struct Hashes {
        /// The hashes that have a bucket, by the index before the last look-up.
        indices: [u8; 7 * WIDTH],
        length: usize,
        /// The values that the checksum takes in, window by window.
        sums: [u8; WIDTH],
    }

    /// The counting. Bytes that repeat themselves count in one place again and again: in four
    /// tables, so that each waits less for the one before.
    struct Counting {
        sum: u8,
        counts: [[u32; 256]; 4],
    }

    impl Counting {
        /// Takes in part `part` of seven of the hashes.
        #[inline(always)]
        fn take(&mut self, hashes: &Hashes, part: usize) {
            let (threes, rest) = hashes.indices[..hashes.length].as_chunks::<3>();
            let steps = WIDTH * part / 7..WIDTH * (part + 1) / 7;
            for step in steps {
                self.sum = P[usize::from(hashes.sums[step] ^ self.sum)];
                if let Some(three) = threes.get(step) {
                    (0..3).for_each(|i| self.counts[i][usize::from(three[i])] += 1);
                }
            }
            if part == 6 {
                for index in threes.iter().skip(WIDTH).flatten().chain(rest) {
                    self.counts[3][usize::from(*index)] += 1;
                }
            }
        }
    }

    /// 64 windows at a time: the hashes in vectors; those without a bucket are dropped, and between
    /// them, part by part, the counting of the 64 windows before; every step of the checksum waits
    /// for the one before, and fills that time.
    ///
    /// # Safety
    /// AVX-512 F, BW, VBMI and VBMI2.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub unsafe fn count(bytes: &[u8], checksum: &mut u8, counts: &mut [u32; 256]) {
        if bytes.len() < BEFORE + WIDTH {
            return super::one_by_one(bytes, checksum, counts);
        }
        let table: [__m512i; 4] = std::array::from_fn(|i| {
            // SAFETY: the four loads cover the 256 bytes.
            unsafe { _mm512_loadu_si512(P.as_ptr().add(WIDTH * i).cast()) }
        });
        let find = |index: __m512i| {
            let low = _mm512_permutex2var_epi8(table[0], index, table[1]);
            let high = _mm512_permutex2var_epi8(table[2], index, table[3]);
            _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high)
        };
        let mut counting = Counting { sum: *checksum, counts: [[0; 256]; 4] };
        let mut buffers = [const { Hashes { indices: [0; 7 * WIDTH], length: 0, sums: [0; WIDTH] } }; 2];
        let [current, last] = &mut buffers;
        let (mut current, mut last) = (current, last);
        let mut done = BEFORE;
        while done + WIDTH <= bytes.len() {
            let is_first = done == BEFORE;
            let byte = |before: usize| {
                // SAFETY: `done` is at least 4, and 64 bytes follow it.
                unsafe { _mm512_loadu_si512(bytes.as_ptr().add(done - before).cast()) }
            };
            let hash = |i: usize, middle: usize| {
                let first = _mm512_set1_epi8(P[usize::from(FIRST[i])] as i8);
                find(_mm512_xor_si512(find(_mm512_xor_si512(byte(0), first)), byte(middle)))
            };
            current.length = 0;
            // Of each triplet how long before the newest byte the others are.
            for (i, (middle, last_byte)) in [(1, 2), (1, 3), (2, 3), (2, 4), (1, 4), (3, 4)].into_iter().enumerate() {
                let index = _mm512_xor_si512(hash(i, middle), byte(last_byte));
                let counted = !_mm512_movepi8_mask(find(index));
                // SAFETY: at most 64 bytes have been written for each triplet before this one.
                unsafe {
                    let to = current.indices.as_mut_ptr().add(current.length);
                    _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi8(counted, index));
                }
                current.length += counted.count_ones() as usize;
                if !is_first {
                    counting.take(last, i);
                }
            }
            // SAFETY: 64 bytes.
            unsafe { _mm512_storeu_si512(current.sums.as_mut_ptr().cast(), hash(6, 1)) };
            if !is_first {
                counting.take(last, 6);
            }
            std::mem::swap(&mut current, &mut last);
            done += WIDTH;
        }
        (0..7).for_each(|part| counting.take(last, part));
        *checksum = counting.sum;
        for (index, count) in counts.iter_mut().enumerate() {
            *count = counting.counts.iter().fold(*count, |count, own| count.wrapping_add(own[index]));
        }
        super::one_by_one(&bytes[done - BEFORE..], checksum, counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As TLSH describes it, byte by byte, and with all four look-ups.
    fn plain(bytes: &[u8], checksum: u8) -> (u8, [u32; 256]) {
        let hash = |bytes: [u8; 4]| bytes.iter().fold(0, |hash, byte| P[usize::from(hash ^ byte)]);
        let (mut sum, mut buckets) = (checksum, [0; 256]);
        for window in bytes.windows(5) {
            let [e, d, c, b, a] = window.try_into().unwrap();
            sum = hash([0, a, b, sum]);
            for triplet in [[2, a, b, c], [3, a, b, d], [5, a, c, d], [7, a, c, e], [11, a, b, e], [13, a, d, e]] {
                buckets[usize::from(hash(triplet))] += 1;
            }
        }
        (sum, buckets)
    }

    #[test]
    fn every_form_counts_what_the_definition_does() {
        let mut seed = 11u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as u32
        };
        for values in [1, 2, 30, 256] {
            for length in (0..150).chain([191, 192, 196, 197, 1000]).chain(1020..1110).chain([5000]) {
                let bytes: Vec<u8> = (0..length).map(|_| (next() % values) as u8).collect();
                let checksum = next() as u8;
                let expected = plain(&bytes, checksum);
                for form in FORMS.iter().filter(|form| form.usable()) {
                    let (mut sum, mut counts) = (checksum, [0; 256]);
                    form.run(&bytes, &mut sum, &mut counts);
                    assert_eq!(sum, expected.0, "{:?}, {length} bytes", form.isa());
                    assert_eq!(buckets(&counts)[..], expected.1[..BUCKETS], "{:?}, {length} bytes", form.isa());
                }
            }
        }
    }
}
