//! The kernels of sets, and the cost of each here.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::kernels;
use super::set::Set;
use super::states::{BLOCK, States, Words, apart};
#[cfg(target_arch = "x86_64")]
use super::wide;
use crate::costs::{self, Costs};
use crate::{Isa, MD5, SHA1, SHA256, SHA512};
use std::sync::OnceLock;

/// A kernel that computes several functions of one message together.
#[derive(Debug)]
pub struct Kernel {
    functions: &'static str,
    set: Set,
    name: &'static str,
    needed: &'static [Isa],
    function: unsafe fn(&mut Words, &[u8]),
    agrees: OnceLock<bool>,
    picoseconds: OnceLock<u64>,
}

/// Rows: the functions by name and as a set, the kernel's name, the instruction sets that it needs,
/// and the kernel.
macro_rules! kernels {
    ($($functions:literal [$($one:ident)*] $name:literal [$($isa:ident)*] $function:path;)*) => {
        [$(Kernel {
            functions: $functions,
            set: Set(0)$(.and(Set::$one))*,
            name: $name,
            needed: &[$(Isa::$isa),*],
            function: $function,
            agrees: OnceLock::new(),
            picoseconds: OnceLock::new(),
        },)*]
    };
}

/// Every kernel that is compiled in; those of a set side by side.
#[cfg(target_arch = "x86_64")]
pub static ALL: [Kernel; 12] = kernels! {
    "md5+sha1" [MD5 SHA1] "sha-ni" [ShaNi Avx2] kernels::md5_sha1;
    "md5+sha256" [MD5 SHA256] "sha-ni" [ShaNi Avx2] kernels::md5_sha256;
    "sha1+sha256" [SHA1 SHA256] "sha-ni" [ShaNi Avx2] kernels::sha1_sha256;
    "md5+sha1+sha256" [MD5 SHA1 SHA256] "sha-ni" [ShaNi Avx2] kernels::md5_sha1_sha256;
    "md5+sha512" [MD5 SHA512] "avx" [Avx2] wide::md5_sha512;
    "md5+sha512" [MD5 SHA512] "avx512vl" [Avx512] wide::md5_sha512_vl;
    "sha1+sha512" [SHA1 SHA512] "sha-ni avx" [ShaNi Avx2] wide::sha1_sha512;
    "sha1+sha512" [SHA1 SHA512] "sha-ni avx512vl" [Avx512 ShaNi] wide::sha1_sha512_vl;
    "sha256+sha512" [SHA256 SHA512] "sha-ni avx" [ShaNi Avx2] wide::sha256_sha512;
    "sha256+sha512" [SHA256 SHA512] "sha-ni avx512vl" [Avx512 ShaNi] wide::sha256_sha512_vl;
    "sha1+sha256+sha512" [SHA1 SHA256 SHA512] "sha-ni avx" [ShaNi Avx2] wide::sha1_sha256_sha512;
    "sha1+sha256+sha512" [SHA1 SHA256 SHA512] "sha-ni avx512vl" [Avx512 ShaNi] wide::sha1_sha256_sha512_vl;
};

/// Every kernel that is compiled in; those of a set side by side.
#[cfg(target_arch = "aarch64")]
pub static ALL: [Kernel; 4] = kernels! {
    "md5+sha1" [MD5 SHA1] "sha2" [Sha2] kernels::md5_sha1;
    "md5+sha256" [MD5 SHA256] "sha2" [Sha2] kernels::md5_sha256;
    "sha1+sha256" [SHA1 SHA256] "sha2" [Sha2] kernels::sha1_sha256;
    "md5+sha1+sha256" [MD5 SHA1 SHA256] "sha2" [Sha2] kernels::md5_sha1_sha256;
};

/// Every kernel that is compiled in: none for this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub static ALL: [Kernel; 0] = [];

impl Kernel {
    /// The names of its functions, with `+` between them.
    pub fn functions(&self) -> &'static str {
        self.functions
    }

    /// Its name for people.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its functions.
    pub fn set(&self) -> Set {
        self.set
    }

    /// Whether the CPU has the instructions.
    pub(super) fn detected(&self) -> bool {
        self.needed.iter().all(|isa| isa.detected())
    }

    /// The highest level that it needs.
    pub fn isa(&self) -> Isa {
        let level = |isa: &&Isa| Isa::ALL.iter().position(|level| level == *isa);
        self.needed.iter().max_by_key(level).copied().unwrap_or(Isa::Portable)
    }

    /// Whether the CPU has the instructions, `PFH_ISA` permits them, and the kernel agrees with the
    /// portable kernels.
    pub fn usable(&self) -> bool {
        self.may_run() && *self.agrees.get_or_init(|| self.agrees())
    }

    pub(super) fn may_run(&self) -> bool {
        self.needed.iter().all(|isa| isa.detected() && isa.allowed())
    }

    /// Compresses `message` into the states, which are those of its set.
    ///
    /// # Panics
    /// If they are of other functions, if `message` is not whole blocks, or if this machine cannot
    /// use the kernel.
    pub fn compress(&self, mut states: States<'_>, message: &[u8]) {
        assert_eq!(states.set(), self.set, "the kernel's functions");
        assert!(message.len().is_multiple_of(if self.set.has(Set::SHA512) { BLOCK } else { 64 }), "whole blocks");
        assert!(self.usable(), "the CPU can run the kernel");
        let mut words = states.words();
        self.run(&mut words, message);
        states.take(&words);
    }

    /// The same without the checks; the words of other functions stay as they are.
    pub(super) fn run(&self, words: &mut Words, message: &[u8]) {
        debug_assert!(self.may_run());
        // SAFETY: only kernels that may run are chosen by a plan, tested or handed to `compress`:
        // the CPU has the instructions.
        unsafe { (self.function)(words, message) }
    }

    /// Runs the kernel over three blocks, not aligned, and compares with the portable kernels,
    /// which have their own test.
    fn agrees(&self) -> bool {
        let message: Vec<u8> = (0..385u32).map(|i| (i * i / 3) as u8).collect();
        let message = &message[1..];
        let (mut got, mut expected) = (Words::INITIAL, Words::INITIAL);
        self.run(&mut got, message);
        if self.set.has(Set::MD5) {
            MD5.portable().compress(&mut expected.md5, &[message], 6, 64);
        }
        if self.set.has(Set::SHA1) {
            SHA1.portable().compress(&mut expected.sha1, &[message], 6, 64);
        }
        if self.set.has(Set::SHA256) {
            SHA256.portable().compress(&mut expected.sha256, &[message], 6, 64);
        }
        if self.set.has(Set::SHA512) {
            SHA512.portable().compress(&mut expected.sha512, &[message], 3, 128);
        }
        got == expected
    }

    /// The time for [`BLOCK`] bytes, in picoseconds, by the costs that this process uses. The
    /// tables have no row for these kernels: the dearest function's stands for it.
    pub fn picoseconds(&self) -> u64 {
        match Costs::used() {
            Costs::Table => self.by_table(),
            Costs::Measured => self.measured(),
        }
    }

    /// The same, always measured. `PFH_COSTS` has no effect.
    pub(super) fn measured(&self) -> u64 {
        *self.picoseconds.get_or_init(|| self.measure())
    }

    pub(super) fn by_table(&self) -> u64 {
        self.set.each().map(apart).max().unwrap_or(0)
    }

    fn measure(&self) -> u64 {
        const BLOCKS: usize = 32;
        let (message, mut words) = ([0x5a; BLOCK * BLOCKS], Words::INITIAL);
        costs::of_call(|| self.run(&mut words, &message), BLOCKS)
    }
}
