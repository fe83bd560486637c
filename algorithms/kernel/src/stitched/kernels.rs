//! MD5, SHA-1 and SHA-256 of one message, blocks of 64 bytes.

use super::states::Words;
use crate::md5;
#[cfg(target_arch = "aarch64")]
use crate::single::{sha1_arm as sha1, sha256_arm as sha256};
#[cfg(target_arch = "x86_64")]
use crate::single::{sha1_ni as sha1, sha256_ni as sha256};
use crate::vector::block_le;
use core::arch::asm;
use std::hint::black_box;

/// Makes the next instructions wait for all three, on paper: otherwise the compiler puts all of MD5
/// before all of SHA, which is further apart than the CPU looks ahead.
#[inline(always)]
fn tie(five: &mut u32, one: &mut sha1::Lane, two: &mut sha256::Lane) {
    // SAFETY: no instruction.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("/* {0:e} {1} {2} */", inout(reg) *five, inout(xmm_reg) one.abcd, inout(xmm_reg) two.abef,
            options(pure, nomem, nostack, preserves_flags));
    }
    // SAFETY: no instruction.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("/* {0:w} {1:v} {2:v} */", inout(reg) *five, inout(vreg) one.abcd, inout(vreg) two.abcd,
            options(pure, nomem, nostack, preserves_flags));
    }
}

/// A sixteenth of a block of each function: four steps of MD5, four rounds of SHA-256, and four
/// or, at the end of each quarter, eight of SHA-1's eighty rounds.
///
/// # Safety
/// The CPU has the instruction sets of the set's row.
#[inline(always)]
unsafe fn compress<const MD5: bool, const SHA1: bool, const SHA256: bool>(words: &mut Words, message: &[u8]) {
    let k = black_box(&md5::STEPS);
    // SAFETY: the caller's promise; every block lies within the message.
    unsafe {
        let mut one = sha1::Lane::load(words.sha1.as_ptr());
        let mut two = sha256::Lane::load(words.sha256.as_ptr());
        let mut five = words.md5;
        for block in message.chunks_exact(64) {
            let (one_before, two_before, five_before) = (one, two, five);
            let sixteen: [u32; 16] = block_le(&block, 0);
            let from = block.as_ptr();
            macro_rules! sixteenth {
                ($i:literal: $($r:literal)*) => {
                    if SHA256 {
                        two.rounds::<$i>(from);
                    }
                    if SHA1 {
                        $(one.rounds::<$r>(from);)*
                    }
                    if MD5 {
                        md5::four_steps::<u32, $i>(&mut five, &sixteen, k);
                    }
                    if MD5 {
                        tie(&mut five[0], &mut one, &mut two);
                    }
                };
            }
            sixteenth!(0: 0);
            sixteenth!(1: 1);
            sixteenth!(2: 2);
            sixteenth!(3: 3 4);
            sixteenth!(4: 5);
            sixteenth!(5: 6);
            sixteenth!(6: 7);
            sixteenth!(7: 8 9);
            sixteenth!(8: 10);
            sixteenth!(9: 11);
            sixteenth!(10: 12);
            sixteenth!(11: 13 14);
            sixteenth!(12: 15);
            sixteenth!(13: 16);
            sixteenth!(14: 17);
            sixteenth!(15: 18 19);
            if SHA1 {
                one.add(&one_before);
            }
            if SHA256 {
                two.add(&two_before);
            }
            if MD5 {
                for (word, before) in five.iter_mut().zip(five_before) {
                    *word = word.wrapping_add(before);
                }
            }
        }
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

macro_rules! sets {
    ($($name:ident $md5:literal $sha1:literal $sha256:literal;)*) => {$(
        /// # Safety
        /// The CPU has the instruction sets of the set's row.
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "sha,ssse3,sse4.1,bmi1,bmi2"))]
        #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,sha2"))]
        pub(super) unsafe fn $name(words: &mut Words, message: &[u8]) {
            // SAFETY: the caller's promise.
            unsafe { compress::<$md5, $sha1, $sha256>(words, message) }
        }
    )*};
}
sets! {
    md5_sha1 true true false;
    md5_sha256 true false true;
    sha1_sha256 false true true;
    md5_sha1_sha256 true true true;
}
