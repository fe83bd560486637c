//! SHA-512 of one message with MD5, SHA-1 or SHA-256 of the same: a block of 128 bytes of the one,
//! two of 64 of the others.
//!
//! SHA-512's rounds are in general registers and its schedule in vectors of two words (see
//! `single::sha512_mixed`), which leaves the units for SHA-1 and SHA-256 idle.

use super::states::Words;
use crate::md5;
use crate::sha512::K;
use crate::single::sha512_mixed::Lane;
use crate::single::{sha1_ni as sha1, sha256_ni as sha256};
use crate::vector::block_le;
use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm256_zeroupper};
use std::hint::black_box;
use std::mem::MaybeUninit;

/// Makes the next instructions wait for both, on paper; see the same in `super::kernels`.
#[inline(always)]
fn tie(long: &mut Lane, short: &mut __m128i) {
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} {1} */", inout(reg) long.state[0], inout(xmm_reg) *short,
            options(pure, nomem, nostack, preserves_flags));
    }
}

/// The same for MD5.
#[inline(always)]
fn tie_md5(long: &mut Lane, five: &mut u32) {
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} {1:e} */", inout(reg) long.state[0], inout(reg) *five,
            options(pure, nomem, nostack, preserves_flags));
    }
}

/// Two rounds of SHA-512 at a time, forty times a block, and after each four rounds of SHA-1; after
/// four of five of them four rounds of SHA-256 and four steps of MD5.
///
/// # Safety
/// The CPU has the instruction sets of the set's row.
#[inline(always)]
unsafe fn compress<const VL: bool, const MD5: bool, const SHA1: bool, const SHA256: bool>(
    words: &mut Words,
    message: &[u8],
) {
    let k = black_box(&md5::STEPS);
    let mut buffer = MaybeUninit::<[u64; 16]>::uninit();
    let sums = black_box(buffer.as_mut_ptr().cast::<u64>());
    // SAFETY: the caller's promise; every block lies within the message; K has eighty words.
    unsafe {
        // Values that a caller may have left in the high halves of the registers would slow every
        // one of the SHA instructions.
        _mm256_zeroupper();
        let mut long = Lane::load(words.sha512.as_ptr(), sums);
        let mut one = sha1::Lane::load(words.sha1.as_ptr());
        let mut two = sha256::Lane::load(words.sha256.as_ptr());
        let mut five = words.md5;
        for block in message.chunks_exact(128) {
            let from = block.as_ptr();
            let long_before = long.state;
            let (mut one_before, mut two_before, mut five_before) = (one, two, five);
            let halves: [[u32; 16]; 2] = [block_le(&block, 0), block_le(&block, 64)];
            long.begin(from);
            macro_rules! fortieth {
                ($($t:literal)*) => {$(
                    long.pair::<VL, { $t % 8 }>(if $t < 32 { Some(K.as_ptr().add(16 * ($t / 8 + 1))) } else { None });
                    if SHA1 {
                        if $t == 20 {
                            one.add(&one_before);
                            one_before = one;
                        }
                        one.rounds::<{ $t % 20 }>(from.add(64 * ($t / 20)));
                        tie(&mut long, &mut one.abcd);
                    }
                    if $t % 5 < 4 {
                        const FOUR: usize = $t / 5 * 4 + $t % 5;
                        if SHA256 {
                            if FOUR == 16 {
                                two.add(&two_before);
                                two_before = two;
                            }
                            two.rounds::<{ FOUR % 16 }>(from.add(64 * (FOUR / 16)));
                            tie(&mut long, &mut two.abef);
                        }
                        if MD5 {
                            if FOUR == 16 {
                                add(&mut five, &five_before);
                                five_before = five;
                            }
                            md5::four_steps::<u32, { FOUR % 16 }>(&mut five, &halves[FOUR / 16 % 2], k);
                            tie_md5(&mut long, &mut five[0]);
                        }
                    }
                )*};
            }
            fortieth!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
            fortieth!(20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
            long.add(&long_before);
            if SHA1 {
                one.add(&one_before);
            }
            if SHA256 {
                two.add(&two_before);
            }
            if MD5 {
                add(&mut five, &five_before);
            }
        }
        words.sha512 = long.state;
        if SHA1 {
            one.store(words.sha1.as_mut_ptr());
        }
        if SHA256 {
            two.store(words.sha256.as_mut_ptr());
        }
        if MD5 {
            words.md5 = five;
        }
    }
}

#[inline(always)]
fn add(five: &mut [u32; 4], before: &[u32; 4]) {
    for (word, before) in five.iter_mut().zip(before) {
        *word = word.wrapping_add(*before);
    }
}

/// Both forms of a set: with AVX, whose encoding spares moves between registers, and with AVX-512
/// VL, which rotates and has twice the registers.
macro_rules! sets {
    ($($name:ident $avx:literal, $vl_name:ident $vl:literal, $md5:literal $sha1:literal $sha256:literal;)*) => {$(
        /// # Safety
        /// The CPU has the instruction sets of the set's row.
        #[target_feature(enable = $avx)]
        pub(super) unsafe fn $name(words: &mut Words, message: &[u8]) {
            // SAFETY: the caller's promise.
            unsafe { compress::<false, $md5, $sha1, $sha256>(words, message) }
        }

        /// # Safety
        /// The CPU has the instruction sets of the set's row.
        #[target_feature(enable = $vl)]
        pub(super) unsafe fn $vl_name(words: &mut Words, message: &[u8]) {
            // SAFETY: the caller's promise.
            unsafe { compress::<true, $md5, $sha1, $sha256>(words, message) }
        }
    )*};
    ($($name:ident $vl_name:ident $md5:literal $sha1:literal $sha256:literal;)*) => {
        sets! {
            $($name "sha,avx,bmi1,bmi2", $vl_name "sha,avx512vl,bmi1,bmi2", $md5 $sha1 $sha256;)*
        }
    };
}
sets! {
    md5_sha512 "avx,bmi1,bmi2", md5_sha512_vl "avx512vl,bmi1,bmi2", true false false;
}
sets! {
    sha1_sha512 sha1_sha512_vl false true false;
    sha256_sha512 sha256_sha512_vl false false true;
    sha1_sha256_sha512 sha1_sha256_sha512_vl false true true;
}
