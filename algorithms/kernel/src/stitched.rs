//! Several digests of ONE message in one pass: MD5, SHA-1, SHA-256 and SHA-512, some of them round
//! by round.
//!
//! One message leaves most of a core idle: every round waits for the one before it. MD5 and SHA-512
//! in general registers and SHA-1 and SHA-256 on instructions of their own wait at different places,
//! so that MD5, SHA-1 and SHA-256 together take little longer than MD5 alone, and SHA-256 beside
//! SHA-512 hardly longer than SHA-512. On x86-64 nothing here uses a 256-bit register: alternating
//! those with the SHA extensions, which exist in the old encoding only, costs hundreds of cycles per
//! change.
//!
//! A [`Kernel`] takes the functions of one set. Which of them take the functions that are asked for,
//! and which functions go by themselves, is chosen by what each costs ([`Costs`]): together is never
//! taken where it was measured to be slower than one after the other.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kernels;
mod table;
#[cfg(target_arch = "x86_64")]
mod wide;

use crate::costs::{self, Costs};
use crate::{Isa, MD5, SHA1, SHA256, SHA512};
use std::sync::OnceLock;

pub(crate) use table::tables;
pub use table::{ALL, Kernel};

/// Bytes that a message must be a multiple of: the longest block.
pub const BLOCK: usize = 128;

/// A set of functions, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set(u8);

impl Set {
    /// MD5.
    pub const MD5: Set = Set(1);
    /// SHA-1.
    pub const SHA1: Set = Set(2);
    /// SHA-256 or SHA-224.
    pub const SHA256: Set = Set(4);
    /// SHA-512 or one that differs from it by its initial state and output.
    pub const SHA512: Set = Set(8);
    /// All four.
    pub const ALL: Set = Set(15);

    /// The functions of both.
    pub const fn and(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// The functions of this one that are not in the other.
    pub const fn without(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    /// Whether each function of the other is in this one.
    pub const fn has(self, other: Set) -> bool {
        self.0 & other.0 == other.0
    }

    /// Number of functions.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no function in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each set: of none, one, some or all functions.
    pub fn every() -> impl Iterator<Item = Set> {
        (0..=Set::ALL.0).map(Set)
    }

    /// Its functions, each as a set.
    pub fn each(self) -> impl Iterator<Item = Set> {
        [Set::MD5, Set::SHA1, Set::SHA256, Set::SHA512].into_iter().filter(move |one| self.has(*one))
    }
}

/// The states of one message, for the functions that are wanted.
#[derive(Debug, Default)]
pub struct States<'a> {
    /// MD5.
    pub md5: Option<&'a mut [u32; 4]>,
    /// SHA-1.
    pub sha1: Option<&'a mut [u32; 5]>,
    /// SHA-256 or SHA-224.
    pub sha256: Option<&'a mut [u32; 8]>,
    /// SHA-512, SHA-384, SHA-512/256 or SHA-512/224.
    pub sha512: Option<&'a mut [u64; 8]>,
}

impl States<'_> {
    /// The functions that are wanted.
    pub fn set(&self) -> Set {
        let bit = |wanted, set| if wanted { set } else { Set::default() };
        bit(self.md5.is_some(), Set::MD5)
            .and(bit(self.sha1.is_some(), Set::SHA1))
            .and(bit(self.sha256.is_some(), Set::SHA256))
            .and(bit(self.sha512.is_some(), Set::SHA512))
    }

    /// The words of all states; zeros for functions that are not wanted.
    fn words(&self) -> Words {
        Words {
            md5: self.md5.as_deref().copied().unwrap_or_default(),
            sha1: self.sha1.as_deref().copied().unwrap_or_default(),
            sha256: self.sha256.as_deref().copied().unwrap_or_default(),
            sha512: self.sha512.as_deref().copied().unwrap_or_default(),
        }
    }

    /// Takes back those words.
    fn take(&mut self, words: &Words) {
        fn put<T: Copy>(state: &mut Option<&mut T>, words: &T) {
            if let Some(state) = state {
                **state = *words;
            }
        }
        put(&mut self.md5, &words.md5);
        put(&mut self.sha1, &words.sha1);
        put(&mut self.sha256, &words.sha256);
        put(&mut self.sha512, &words.sha512);
    }
}

/// The words of the states of one message under all four functions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) md5: [u32; 4],
    pub(crate) sha1: [u32; 5],
    pub(crate) sha256: [u32; 8],
    pub(crate) sha512: [u64; 8],
}

impl Words {
    /// The words before the first block.
    const INITIAL: Words = Words {
        md5: crate::md5::INITIAL,
        sha1: crate::sha1::INITIAL,
        sha256: crate::sha256::INITIAL,
        sha512: crate::sha512::INITIAL,
    };

    /// Advances each function of `set`, one after the other, by whole blocks of `message`.
    fn in_turn(&mut self, set: Set, message: &[u8]) {
        let (short, long) = (message.len() / 64, message.len() / 128);
        if set.has(Set::MD5) {
            MD5.one().compress(&mut self.md5, &[message], short, 64);
        }
        if set.has(Set::SHA1) {
            SHA1.one().compress(&mut self.sha1, &[message], short, 64);
        }
        if set.has(Set::SHA256) {
            SHA256.one().compress(&mut self.sha256, &[message], short, 64);
        }
        if set.has(Set::SHA512) {
            SHA512.one().compress(&mut self.sha512, &[message], long, 128);
        }
    }
}

/// How the functions of a set are computed on this machine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The parts that kernels take together, one after the other.
    pub together: Vec<&'static Kernel>,
    /// The functions that go by themselves.
    pub in_turn: Set,
    /// What [`BLOCK`] bytes cost, in picoseconds.
    pub picoseconds: u64,
}

/// The cheapest way to compute the functions of `set`, by the costs that this process uses.
pub fn plan(set: Set) -> &'static Plan {
    static PLANS: [OnceLock<Plan>; 16] = [const { OnceLock::new() }; 16];
    PLANS[usize::from(set.0)].get_or_init(|| {
        let cost = |one: Set| match one {
            Set::MD5 => 2 * MD5.picoseconds(1),
            Set::SHA1 => 2 * SHA1.picoseconds(1),
            Set::SHA256 => 2 * SHA256.picoseconds(1),
            _ => SHA512.picoseconds(1),
        };
        let mut best = Plan { together: Vec::new(), in_turn: set, picoseconds: set.each().map(cost).sum() };
        for kernel in ALL.iter().filter(|kernel| set.has(kernel.set()) && kernel.usable()) {
            let rest = plan(set.without(kernel.set()));
            let picoseconds = kernel.picoseconds() + rest.picoseconds;
            if picoseconds < best.picoseconds {
                let together = [kernel].into_iter().chain(rest.together.iter().copied()).collect();
                best = Plan { together, in_turn: rest.in_turn, picoseconds };
            }
        }
        best
    })
}

/// Compresses `message` into every state that is given: a whole number of blocks of 64 bytes, or of
/// 128 if SHA-512 is among the functions.
///
/// # Panics
/// If the length of `message` is no such multiple.
pub fn compress(mut states: States<'_>, message: &[u8]) {
    let set = states.set();
    assert!(message.len().is_multiple_of(if set.has(Set::SHA512) { BLOCK } else { 64 }), "whole blocks");
    let plan = plan(set);
    let mut words = states.words();
    for kernel in &plan.together {
        kernel.run(&mut words, message);
    }
    words.in_turn(plan.in_turn, message);
    states.take(&words);
}

/// What [`BLOCK`] bytes of one message take under the functions of `set`, in picoseconds, measured
/// unless `PFH_COSTS` asks for the tables; `None` where no kernel takes two of them together.
pub fn picoseconds(set: Set) -> Option<u64> {
    let plan = plan(set);
    (!plan.together.is_empty()).then_some(plan.picoseconds)
}
