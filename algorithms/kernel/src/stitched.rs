//! Several digests of ONE message in one pass: MD5 with SHA-1 and SHA-256, round by round.
//!
//! One message leaves most of a core idle: every round waits for the one before it. MD5 in general
//! registers and SHA-1 and SHA-256 on instructions of their own wait at different places, so that
//! the three together take little longer than MD5 alone. On x86-64 nothing here uses a 256-bit
//! register: alternating those with the SHA extensions, which exist in the old encoding only, costs
//! hundreds of cycles per change.

use crate::costs::{self, Costs};
use crate::{Isa, MD5, SHA1, SHA256};
use std::sync::LazyLock;

/// The states of one message, for the functions that are wanted.
#[derive(Debug, Default)]
pub struct States<'a> {
    /// MD5.
    pub md5: Option<&'a mut [u32; 4]>,
    /// SHA-1.
    pub sha1: Option<&'a mut [u32; 5]>,
    /// SHA-256 or SHA-224.
    pub sha256: Option<&'a mut [u32; 8]>,
}

/// The instruction sets that the kernels below use; none where there are no kernels.
#[cfg(target_arch = "x86_64")]
const NEEDED: &[Isa] = &[Isa::ShaNi, Isa::Avx2];
/// The instruction sets that the kernels below use; none where there are no kernels.
#[cfg(target_arch = "aarch64")]
const NEEDED: &[Isa] = &[Isa::Sha2];
/// The instruction sets that the kernels below use; none where there are no kernels.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const NEEDED: &[Isa] = &[];

/// Whether the kernels below can be used: the CPU has the instructions, `PFH_ISA` permits them, and
/// they agree with the portable kernels.
static USABLE: LazyLock<bool> = LazyLock::new(|| {
    let detected = NEEDED.iter().all(|isa| isa.detected() && isa.allowed());
    detected && !NEEDED.is_empty() && agrees()
});

/// Compresses `message`, a whole number of 64-byte blocks, into every state that is given: together
/// where there is a kernel for the set, otherwise one after the other.
///
/// # Panics
/// If the length of `message` is not a multiple of 64.
pub fn compress(states: States<'_>, message: &[u8]) {
    assert!(message.len().is_multiple_of(64), "whole blocks");
    let blocks = message.len() / 64;
    if *USABLE {
        return together(states, message);
    }
    if let Some(state) = states.md5 {
        MD5.one().compress(state, &[message], blocks, 64);
    }
    if let Some(state) = states.sha1 {
        SHA1.one().compress(state, &[message], blocks, 64);
    }
    if let Some(state) = states.sha256 {
        SHA256.one().compress(state, &[message], blocks, 64);
    }
}

/// Whether [`compress`] takes its states together on this machine.
pub fn usable() -> bool {
    *USABLE
}

/// What a block of one message takes under the functions that are wanted, in picoseconds; `None`
/// where there is no kernel for the set. Measured, unless `PFH_COSTS` asks for the tables: those
/// have no row for these kernels, and the dearest function's stands for it.
pub fn picoseconds(md5: bool, sha1: bool, sha256: bool) -> Option<u64> {
    const BLOCKS: usize = 64;
    if !*USABLE {
        return None;
    }
    if Costs::used() == Costs::Table {
        let cost = |wanted: bool, cost: fn() -> u64| if wanted { cost() } else { 0 };
        let dearest = cost(md5, || MD5.picoseconds(1)).max(cost(sha1, || SHA1.picoseconds(1)));
        return Some(dearest.max(cost(sha256, || SHA256.picoseconds(1))));
    }
    let (message, mut a, mut b, mut c) = ([0x5a; 64 * BLOCKS], [0; 4], [0; 5], [0; 8]);
    let call = || {
        let states =
            States { md5: md5.then_some(&mut a), sha1: sha1.then_some(&mut b), sha256: sha256.then_some(&mut c) };
        together(states, &message);
    };
    Some(costs::of_call(call, BLOCKS))
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn together(_: States<'_>, _: &[u8]) {
    unreachable!("this architecture has no such kernels, and USABLE says so")
}

/// # Panics
/// Never: called only where the CPU has the instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn together(states: States<'_>, message: &[u8]) {
    let States { md5, sha1, sha256 } = states;
    let (mut a, mut b, mut c) = ([0; 4], [0; 5], [0; 8]);
    let kernel = match (md5.is_some(), sha1.is_some(), sha256.is_some()) {
        (false, false, false) => return,
        (true, false, false) => kernels::md5,
        (false, true, false) => kernels::sha1,
        (false, false, true) => kernels::sha256,
        (true, true, false) => kernels::md5_sha1,
        (true, false, true) => kernels::md5_sha256,
        (false, true, true) => kernels::sha1_sha256,
        (true, true, true) => kernels::md5_sha1_sha256,
    };
    // SAFETY: USABLE has been asked, or the test that decides it is running, both of which have
    // detected the instructions.
    unsafe { kernel(md5.unwrap_or(&mut a), sha1.unwrap_or(&mut b), sha256.unwrap_or(&mut c), message) }
}

/// Runs every set over three blocks and compares with the portable kernels, which have their own
/// test.
fn agrees() -> bool {
    let message: Vec<u8> = (0..193u32).map(|i| (i * i / 3) as u8).collect();
    let message = &message[1..];
    let mut expected = (crate::md5::INITIAL, crate::sha1::INITIAL, crate::sha256::INITIAL);
    MD5.portable().compress(&mut expected.0, &[message], 3, 64);
    SHA1.portable().compress(&mut expected.1, &[message], 3, 64);
    SHA256.portable().compress(&mut expected.2, &[message], 3, 64);
    (1..8).all(|set| {
        let mut got = (crate::md5::INITIAL, crate::sha1::INITIAL, crate::sha256::INITIAL);
        let states = States {
            md5: (set & 1 > 0).then_some(&mut got.0),
            sha1: (set & 2 > 0).then_some(&mut got.1),
            sha256: (set & 4 > 0).then_some(&mut got.2),
        };
        together(states, message);
        got.0 == if set & 1 > 0 { expected.0 } else { crate::md5::INITIAL }
            && got.1 == if set & 2 > 0 { expected.1 } else { crate::sha1::INITIAL }
            && got.2 == if set & 4 > 0 { expected.2 } else { crate::sha256::INITIAL }
    })
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kernels {
    use crate::md5;
    #[cfg(target_arch = "aarch64")]
    use crate::single::{sha1_arm as sha1, sha256_arm as sha256};
    #[cfg(target_arch = "x86_64")]
    use crate::single::{sha1_ni as sha1, sha256_ni as sha256};
    use crate::vector::block_le;
    use core::arch::asm;
    use std::hint::black_box;

    /// Makes what follows wait for all three, on paper: otherwise the compiler puts all of MD5
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
    /// The CPU has [`super::NEEDED`].
    #[inline(always)]
    unsafe fn compress<const MD5: bool, const SHA1: bool, const SHA256: bool>(
        md5: &mut [u32; 4],
        sha1: &mut [u32; 5],
        sha256: &mut [u32; 8],
        message: &[u8],
    ) {
        let k = black_box(&md5::STEPS);
        // SAFETY: the caller's promise; every block lies within the message.
        unsafe {
            let mut one = sha1::Lane::load(sha1.as_ptr());
            let mut two = sha256::Lane::load(sha256.as_ptr());
            let mut five = *md5;
            for block in message.chunks_exact(64) {
                let (one_before, two_before, five_before) = (one, two, five);
                let words: [u32; 16] = block_le(&block, 0);
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
                            md5::four_steps::<u32, $i>(&mut five, &words, k);
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
                one.store(sha1.as_mut_ptr());
            }
            if SHA256 {
                two.store(sha256.as_mut_ptr());
            }
            if MD5 {
                *md5 = five;
            }
        }
    }

    macro_rules! sets {
        ($($name:ident $md5:literal $sha1:literal $sha256:literal;)*) => {$(
            /// # Safety
            /// The CPU has [`super::NEEDED`].
            #[cfg_attr(target_arch = "x86_64", target_feature(enable = "sha,ssse3,sse4.1,bmi1,bmi2"))]
            #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,sha2"))]
            pub(super) unsafe fn $name(md5: &mut [u32; 4], sha1: &mut [u32; 5], sha256: &mut [u32; 8], message: &[u8]) {
                // SAFETY: the caller's promise.
                unsafe { compress::<$md5, $sha1, $sha256>(md5, sha1, sha256, message) }
            }
        )*};
    }
    sets! {
        md5 true false false;
        sha1 false true false;
        sha256 false false true;
        md5_sha1 true true false;
        md5_sha256 true false true;
        sha1_sha256 false true true;
        md5_sha1_sha256 true true true;
    }
}
