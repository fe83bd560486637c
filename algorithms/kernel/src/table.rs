//! The tables: per compression function its kernels. The order within a table is of no consequence,
//! except that the portable kernel stands last; the cost decides, as measured where the program
//! runs or, with `PFH_COSTS=table`, as written here: on x86-64 figures of a Zen 5, on AArch64 those
//! of llvm-mca's model of a Neoverse V1 at 2.6 GHz (`docs/kernels.md`).

use crate::isa::Isa;
use crate::kernel::{Compression, Kernel, KnownAnswer, Layout, Row};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::vector::Group;
#[cfg(target_arch = "x86_64")]
use crate::{
    avx2::{Avx2x32, Avx2x64},
    avx512::{Avx512x32, Avx512x64},
    single::{sha1_ni, sha256_mixed, sha256_ni, sha256_ni_asm, sha512_mixed, sha512_pairs},
    sse::{Sse32, Sse64},
};
use crate::{blake2, keccak, md5, ripemd160, sha1, sha256, sha512, sm3};
#[cfg(target_arch = "aarch64")]
use crate::{
    neon::{Neon32, Neon64},
    single::{sha1_arm, sha256_arm, sha512_arm},
};
use std::sync::OnceLock;

/// Compiles a body for an instruction set: generic code inlined into a function that has the
/// features.
macro_rules! kernel {
    (@function $(#[$attribute:meta])? $word:ident, rate, $body:expr) => {{
        $(#[$attribute])?
        unsafe fn function(state: *mut $word, messages: *const &[u8], blocks: usize, rate: usize) {
            // SAFETY: `Kernel::compress` has checked the demands of the body.
            unsafe { $body(state, messages, blocks, rate) }
        }
        function
    }};
    (@function $(#[$attribute:meta])? $word:ident, fixed, $body:expr) => {{
        $(#[$attribute])?
        unsafe fn function(state: *mut $word, messages: *const &[u8], blocks: usize, _: usize) {
            // SAFETY: `Kernel::compress` has checked the demands of the body.
            unsafe { $body(state, messages, blocks) }
        }
        function
    }};
    (@features Portable $($rest:tt)*) => { kernel!(@function $($rest)*) };
    (@features Sse2 $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "sse2")] $($rest)*) };
    (@features Sse41 $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "ssse3,sse4.1")] $($rest)*) };
    (@features Avx2 $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "avx2,bmi1,bmi2")] $($rest)*) };
    (@features ShaNi $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "sha,ssse3,sse4.1")] $($rest)*) };
    (@features Avx512 $($rest:tt)*) => {
        kernel!(@function #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")] $($rest)*)
    };
    (@features Neon $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "neon")] $($rest)*) };
    (@features Sha2 $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "neon,sha2")] $($rest)*) };
    (@features Sha3 $($rest:tt)*) => { kernel!(@function #[target_feature(enable = "neon,sha2,sha3")] $($rest)*) };
}

/// A table: per row the instruction set, lanes, layout, name, cost in picoseconds per block of all
/// lanes, and body.
macro_rules! kernels {
    ($word:ident, $words:literal, $block:literal, $kind:ident, [$($(#[$attribute:meta])? $isa:ident $lanes:literal $layout:ident
      $name:literal $cost:literal $body:expr;)*]) => {
        &[$($(#[$attribute])? Kernel {
            name: $name,
            isa: Isa::$isa,
            lanes: $lanes,
            layout: Layout::$layout,
            cost: $cost,
            words: $words,
            block_length: $block,
            function: kernel!(@features $isa $word, $kind, $body),
        },)*]
    };
}

/// The padded block of the message "abc" in a block of 64 bytes, length in little-endian order.
const ABC_LITTLE: &[(usize, u8)] = &[(0, b'a'), (1, b'b'), (2, b'c'), (3, 0x80), (56, 24)];
/// The same in big-endian order.
const ABC_BIG: &[(usize, u8)] = &[(0, b'a'), (1, b'b'), (2, b'c'), (3, 0x80), (63, 24)];

/// MD5.
pub static MD5: Compression<u32> = Compression {
    name: "md5",
    words: 4,
    block_length: 64,
    kernels: kernels!(u32, 4, 64, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 143429 md5::compress::<Avx512x32>;
        #[cfg(target_arch = "x86_64")] Avx512 32 Words "avx512 x32" 137094 md5::compress::<Group<Avx512x32, 2>>;
        #[cfg(target_arch = "x86_64")] Avx512 64 Words "avx512 x64" 206087 md5::compress::<Group<Avx512x32, 4>>;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 182943 md5::compress::<Avx2x32>;
        #[cfg(target_arch = "x86_64")] Avx2 24 Words "avx2 x24" 200098 md5::compress::<Group<Avx2x32, 3>>;
        #[cfg(target_arch = "x86_64")] Sse2 4 Words "sse2 x4" 185655 md5::compress::<Sse32<false>>;
        #[cfg(target_arch = "x86_64")] Sse2 12 Words "sse2 x12" 186000 md5::compress::<Group<Sse32<false>, 3>>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Words "bmi x1" 72316 md5::compress::<u32>;
        #[cfg(target_arch = "aarch64")] Neon 4 Words "neon x4" 316062 md5::compress::<Neon32>;
        #[cfg(target_arch = "aarch64")] Neon 8 Words "neon x8" 313108 md5::compress::<Group<Neon32, 2>>;
        #[cfg(target_arch = "aarch64")] Neon 12 Words "neon x12" 316062 md5::compress::<Group<Neon32, 3>>;
        #[cfg(target_arch = "aarch64")] Neon 16 Words "neon x16" 319015 md5::compress::<Group<Neon32, 4>>;
        Portable 1 Words "portable x1" 76149 md5::compress::<u32>;
    ]),
    known: KnownAnswer {
        before: &md5::INITIAL,
        block: ABC_LITTLE,
        block_length: 64,
        after: &[0x98500190, 0xb04fd23c, 0x7d3f96d6, 0x727fe128],
    },
    chosen: OnceLock::new(),
};

/// SHA-1.
pub static SHA1: Compression<u32> = Compression {
    name: "sha1",
    words: 5,
    block_length: 64,
    kernels: kernels!(u32, 5, 64, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 84989 sha1::compress::<Avx512x32>;
        #[cfg(target_arch = "x86_64")] Avx512 32 Words "avx512 x32" 143713 sha1::compress::<Group<Avx512x32, 2>>;
        #[cfg(target_arch = "x86_64")] ShaNi 1 Messages "sha-ni x1" 30549 sha1_ni::compress::<1>;
        #[cfg(target_arch = "x86_64")] ShaNi 2 Messages "sha-ni x2" 33600 sha1_ni::compress::<2>;
        #[cfg(target_arch = "x86_64")] ShaNi 3 Messages "sha-ni x3" 38785 sha1_ni::compress::<3>;
        #[cfg(target_arch = "x86_64")] ShaNi 4 Messages "sha-ni x4" 47371 sha1_ni::compress::<4>;
        #[cfg(target_arch = "x86_64")] ShaNi 6 Messages "sha-ni x6" 62800 sha1_ni::compress::<6>;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 131714 sha1::compress::<Avx2x32>;
        #[cfg(target_arch = "x86_64")] Sse2 4 Words "sse2 x4" 135000 sha1::compress::<Sse32<false>>;
        #[cfg(target_arch = "aarch64")] Sha2 1 Messages "sha2 x1" 39631 sha1_arm::compress::<1>;
        #[cfg(target_arch = "aarch64")] Sha2 2 Messages "sha2 x2" 43323 sha1_arm::compress::<2>;
        #[cfg(target_arch = "aarch64")] Sha2 3 Messages "sha2 x3" 64985 sha1_arm::compress::<3>;
        #[cfg(target_arch = "aarch64")] Neon 4 Words "neon x4" 247138 sha1::compress::<Neon32>;
        Portable 1 Words "portable x1" 55560 sha1::compress::<u32>;
    ]),
    known: KnownAnswer {
        before: &sha1::INITIAL,
        block: ABC_BIG,
        block_length: 64,
        after: &[0xa9993e36, 0x4706816a, 0xba3e2571, 0x7850c26c, 0x9cd0d89d],
    },
    chosen: OnceLock::new(),
};

/// SHA-256 and SHA-224.
pub static SHA256: Compression<u32> = Compression {
    name: "sha256",
    words: 8,
    block_length: 64,
    kernels: kernels!(u32, 8, 64, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 147000 sha256::compress::<Avx512x32>;
        #[cfg(target_arch = "x86_64")] Avx512 32 Words "avx512 x32" 262386 sha256::compress::<Group<Avx512x32, 2>>;
        #[cfg(target_arch = "x86_64")] ShaNi 1 Messages "sha-ni x1" 31900 sha256_ni::compress::<1>;
        #[cfg(target_arch = "x86_64")] ShaNi 2 Messages "sha-ni x2" 41000 sha256_ni::compress::<2>;
        #[cfg(target_arch = "x86_64")] ShaNi 3 Messages "sha-ni x3" 55000 sha256_ni::compress::<3>;
        #[cfg(target_arch = "x86_64")] ShaNi 4 Messages "sha-ni x4" 63500 sha256_ni_asm::four;
        #[cfg(target_arch = "x86_64")] ShaNi 6 Messages "sha-ni x6" 90900 sha256_ni_asm::six;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 256807 sha256::compress::<Avx2x32>;
        #[cfg(target_arch = "x86_64")] Sse41 4 Words "sse4.1 x4" 278000 sha256::compress::<Sse32<true>>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Messages "avx2 x1" 101200 sha256_mixed::compress;
        #[cfg(target_arch = "x86_64")] Sse41 1 Messages "sse4.1 x1" 104500 sha256_mixed::compress;
        #[cfg(target_arch = "aarch64")] Sha2 1 Messages "sha2 x1" 37662 sha256_arm::compress::<1>;
        #[cfg(target_arch = "aarch64")] Sha2 2 Messages "sha2 x2" 37908 sha256_arm::compress::<2>;
        #[cfg(target_arch = "aarch64")] Sha2 3 Messages "sha2 x3" 50954 sha256_arm::compress::<3>;
        #[cfg(target_arch = "aarch64")] Neon 4 Words "neon x4" 359385 sha256::compress::<Neon32>;
        Portable 1 Words "portable x1" 128000 sha256::compress::<u32>;
    ]),
    known: KnownAnswer {
        before: &sha256::INITIAL,
        block: ABC_BIG,
        block_length: 64,
        after: &[0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad],
    },
    chosen: OnceLock::new(),
};

/// SHA-512, SHA-384, SHA-512/256 and SHA-512/224.
pub static SHA512: Compression<u64> = Compression {
    name: "sha512",
    words: 8,
    block_length: 128,
    kernels: kernels!(u64, 8, 128, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 8 Words "avx512 x8" 178000 sha512::compress::<Avx512x64>;
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 326069 sha512::compress::<Group<Avx512x64, 2>>;
        #[cfg(target_arch = "x86_64")] Avx2 4 Words "avx2 x4" 313149 sha512::compress::<Avx2x64>;
        #[cfg(target_arch = "x86_64")] Sse41 2 Words "sse4.1 x2" 334000 sha512::compress::<Sse64<true>>;
        #[cfg(target_arch = "x86_64")] Avx512 1 Messages "avx512vl x1" 120000 sha512_pairs::compress::<true>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Messages "avx2 x1" 130000 sha512_pairs::compress::<false>;
        #[cfg(target_arch = "x86_64")] Sse41 1 Messages "sse4.1 x1" 146000 sha512_mixed::compress::<false>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Words "bmi x1" 154623 sha512::compress::<u64>;
        #[cfg(target_arch = "aarch64")] Sha3 1 Messages "sha512 x1" 92554 sha512_arm::compress::<1>;
        #[cfg(target_arch = "aarch64")] Sha3 2 Messages "sha512 x2" 113231 sha512_arm::compress::<2>;
        #[cfg(target_arch = "aarch64")] Neon 2 Words "neon x2" 444062 sha512::compress::<Neon64<false>>;
        Portable 1 Words "portable x1" 160000 sha512::compress::<u64>;
    ]),
    known: KnownAnswer {
        before: &sha512::INITIAL,
        block: &[(0, b'a'), (1, b'b'), (2, b'c'), (3, 0x80), (127, 24)],
        block_length: 128,
        after: &[
            0xddaf35a193617aba,
            0xcc417349ae204131,
            0x12e6fa4e89a97ea2,
            0x0a9eeee64b55d39a,
            0x2192992a274fc1a8,
            0x36ba3c23a3feebbd,
            0x454d4423643ce80e,
            0x2a9ac94fa54ca49f,
        ],
    },
    chosen: OnceLock::new(),
};

/// The sponge over Keccak-f\[1600\]: SHA-3 and SHAKE.
pub static KECCAK24: Compression<u64> = Compression {
    name: "keccak-f1600",
    words: 25,
    block_length: 0,
    kernels: kernels!(u64, 25, 0, rate, [
        #[cfg(target_arch = "x86_64")] Avx512 8 Words "avx512 x8" 232749 keccak::absorb::<Avx512x64, 24>;
        #[cfg(target_arch = "x86_64")] Avx2 4 Words "avx2 x4" 335413 keccak::absorb::<Avx2x64, 24>;
        #[cfg(target_arch = "x86_64")] Sse2 2 Words "sse2 x2" 361734 keccak::absorb::<Sse64<false>, 24>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Words "bmi x1" 209555 keccak::absorb::<u64, 24>;
        #[cfg(target_arch = "aarch64")] Sha3 2 Words "sha3 x2" 610954 keccak::absorb::<Neon64<true>, 24>;
        #[cfg(target_arch = "aarch64")] Neon 2 Words "neon x2" 461354 keccak::absorb::<Neon64<false>, 24>;
        Portable 1 Words "portable x1" 253441 keccak::absorb::<u64, 24>;
    ]),
    // SHA3-256 of the empty message (FIPS 202; NIST's example values).
    known: KnownAnswer {
        before: &[0; 25],
        block: &[(0, 0x06), (135, 0x80)],
        block_length: 136,
        after: &[0x66d71ebff8c6ffa7, 0x62d661a05647c151, 0xfa493be44dff80f5, 0x4a43f8804b0ad882],
    },
    chosen: OnceLock::new(),
};

/// The sponge over Keccak-p\[1600, 12\]: TurboSHAKE and KangarooTwelve.
pub static KECCAK12: Compression<u64> = Compression {
    name: "keccak-p1600-12",
    words: 25,
    block_length: 0,
    kernels: kernels!(u64, 25, 0, rate, [
        #[cfg(target_arch = "x86_64")] Avx512 8 Words "avx512 x8" 123108 keccak::absorb::<Avx512x64, 12>;
        #[cfg(target_arch = "x86_64")] Avx2 4 Words "avx2 x4" 174300 keccak::absorb::<Avx2x64, 12>;
        #[cfg(target_arch = "x86_64")] Sse2 2 Words "sse2 x2" 186104 keccak::absorb::<Sse64<false>, 12>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Words "bmi x1" 108574 keccak::absorb::<u64, 12>;
        #[cfg(target_arch = "aarch64")] Sha3 2 Words "sha3 x2" 308862 keccak::absorb::<Neon64<true>, 12>;
        #[cfg(target_arch = "aarch64")] Neon 2 Words "neon x2" 242954 keccak::absorb::<Neon64<false>, 12>;
        Portable 1 Words "portable x1" 130669 keccak::absorb::<u64, 12>;
    ]),
    // TurboSHAKE128 of the empty message, domain 0x1f (RFC 9861, section 5).
    known: KnownAnswer {
        before: &[0; 25],
        block: &[(0, 0x1f), (167, 0x80)],
        block_length: 168,
        after: &[0xf2af83591c5f411e, 0x53bb177d27179216, 0x54ecdd97a345d98c, 0x4cb7c1f21ae41c1f],
    },
    chosen: OnceLock::new(),
};

/// RIPEMD-160.
pub static RIPEMD160: Compression<u32> = Compression {
    name: "ripemd160",
    words: 5,
    block_length: 64,
    kernels: kernels!(u32, 5, 64, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 171786 ripemd160::compress::<Avx512x32>;
        #[cfg(target_arch = "x86_64")] Avx512 32 Words "avx512 x32" 198330 ripemd160::compress::<Group<Avx512x32, 2>>;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 224061 ripemd160::compress::<Avx2x32>;
        #[cfg(target_arch = "x86_64")] Avx2 16 Words "avx2 x16" 291322 ripemd160::compress::<Group<Avx2x32, 2>>;
        #[cfg(target_arch = "x86_64")] Sse2 4 Words "sse2 x4" 227187 ripemd160::compress::<Sse32<false>>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Words "bmi x1" 91220 ripemd160::compress::<u32>;
        #[cfg(target_arch = "aarch64")] Neon 4 Words "neon x4" 396800 ripemd160::compress::<Neon32>;
        #[cfg(target_arch = "aarch64")] Neon 8 Words "neon x8" 399754 ripemd160::compress::<Group<Neon32, 2>>;
        #[cfg(target_arch = "aarch64")] Neon 12 Words "neon x12" 570092 ripemd160::compress::<Group<Neon32, 3>>;
        #[cfg(target_arch = "aarch64")] Neon 16 Words "neon x16" 803446 ripemd160::compress::<Group<Neon32, 4>>;
        Portable 1 Words "portable x1" 94522 ripemd160::compress::<u32>;
    ]),
    known: KnownAnswer {
        before: &ripemd160::INITIAL,
        block: ABC_LITTLE,
        block_length: 64,
        after: &[0xf708b28e, 0x7a985de0, 0x8e4a049b, 0x87b0c698, 0xfc0b5af1],
    },
    chosen: OnceLock::new(),
};

/// SM3. The costs are of a Zen 4, and on AArch64 SHA-256's, scaled.
pub static SM3: Compression<u32> = Compression {
    name: "sm3",
    words: 8,
    block_length: 64,
    kernels: kernels!(u32, 8, 64, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 208437 sm3::compress::<Avx512x32>;
        #[cfg(target_arch = "x86_64")] Avx512 32 Words "avx512 x32" 272250 sm3::compress::<Group<Avx512x32, 2>>;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 310437 sm3::compress::<Avx2x32>;
        #[cfg(target_arch = "x86_64")] Sse2 4 Words "sse2 x4" 315437 sm3::compress::<Sse32<false>>;
        #[cfg(target_arch = "x86_64")] Avx2 1 Words "bmi x1" 123937 sm3::compress::<u32>;
        #[cfg(target_arch = "aarch64")] Neon 4 Words "neon x4" 450000 sm3::compress::<Neon32>;
        Portable 1 Words "portable x1" 118937 sm3::compress::<u32>;
    ]),
    // GB/T 32905-2016, appendix A.1.
    known: KnownAnswer {
        before: &sm3::INITIAL,
        block: ABC_BIG,
        block_length: 64,
        after: &[0x66c7f0f4, 0x62eeedd9, 0xd1f2d46b, 0xdc10e4e2, 0x4167c487, 0x5cf2f7a2, 0x297da02b, 0x8f4ba8e0],
    },
    chosen: OnceLock::new(),
};

/// BLAKE2b.
pub static BLAKE2B: Compression<u64> = Compression {
    name: "blake2b",
    words: blake2::WORDS,
    block_length: 128,
    kernels: kernels!(u64, 11, 128, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 8 Words "avx512 x8" 128000 blake2::compress::<blake2::B, Avx512x64>;
        #[cfg(target_arch = "x86_64")] Avx2 4 Words "avx2 x4" 182000 blake2::compress::<blake2::B, Avx2x64>;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 337000 blake2::compress::<blake2::B, Group<Avx2x64, 2>>;
        #[cfg(target_arch = "x86_64")] Sse41 2 Words "sse4.1 x2" 171000 blake2::compress::<blake2::B, Sse64<true>>;
        #[cfg(target_arch = "aarch64")] Neon 2 Words "neon x2" 200000 blake2::compress::<blake2::B, Neon64<false>>;
        Portable 1 Words "portable x1" 88000 blake2::compress::<blake2::B, u64>;
    ]),
    // RFC 7693, appendix A.
    known: KnownAnswer {
        before: &ABC_BLAKE2B,
        block: &[(0, b'a'), (1, b'b'), (2, b'c')],
        block_length: 128,
        after: &[
            0x0d4d1c983fa580ba,
            0xe9f6129fb697276a,
            0xb7c45a68142f214c,
            0xd1a2ffdb6fbb124b,
            0x2d79ab2a39c5877d,
            0x95cc3345ded552c2,
            0x5a92f1dba88ad318,
            0x239900d4ed8623b9,
        ],
    },
    chosen: OnceLock::new(),
};

/// BLAKE2s.
pub static BLAKE2S: Compression<u32> = Compression {
    name: "blake2s",
    words: blake2::WORDS,
    block_length: 64,
    kernels: kernels!(u32, 11, 64, fixed, [
        #[cfg(target_arch = "x86_64")] Avx512 16 Words "avx512 x16" 112000 blake2::compress::<blake2::S, Avx512x32>;
        #[cfg(target_arch = "x86_64")] Avx2 8 Words "avx2 x8" 165000 blake2::compress::<blake2::S, Avx2x32>;
        #[cfg(target_arch = "x86_64")] Sse41 4 Words "sse4.1 x4" 166000 blake2::compress::<blake2::S, Sse32<true>>;
        #[cfg(target_arch = "aarch64")] Neon 4 Words "neon x4" 180000 blake2::compress::<blake2::S, Neon32>;
        Portable 1 Words "portable x1" 75000 blake2::compress::<blake2::S, u32>;
    ]),
    // RFC 7693, appendix B.
    known: KnownAnswer {
        before: &ABC_BLAKE2S,
        block: &[(0, b'a'), (1, b'b'), (2, b'c')],
        block_length: 64,
        after: &[0x8c5e8c50, 0xe2147c32, 0xa32ba7e1, 0x2f45eb4e, 0x208b4537, 0x293ad69e, 0x4c9b994d, 0x82596786],
    },
    chosen: OnceLock::new(),
};

/// The state before the last and only block of "abc".
static ABC_BLAKE2B: [u64; blake2::WORDS] = {
    let [low, high, last] = blake2::end_b(3);
    let [a, b, c, d, e, f, g, h, ..] = blake2::initial_b(64);
    [a, b, c, d, e, f, g, h, low, high, last]
};
/// The same of BLAKE2s.
static ABC_BLAKE2S: [u32; blake2::WORDS] = {
    let [low, high, last] = blake2::end_s(3);
    let [a, b, c, d, e, f, g, h, ..] = blake2::initial_s(32);
    [a, b, c, d, e, f, g, h, low, high, last]
};

/// A function's kernels, for people.
#[derive(Clone, Debug)]
pub struct Table {
    /// The function's name.
    pub function: &'static str,
    /// All its kernels.
    pub rows: Vec<Row>,
}
