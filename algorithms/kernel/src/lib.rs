//! The compression functions of pfh: blocks in, states out, for one message or many at a time.
//!
//! A [`Compression`] is one function (MD5's, SHA-256's, Keccak's permutation as a sponge …). It has
//! several [`Kernel`]s: the same function on another instruction set, for one message or for as
//! many as the kernel has lanes. All give the same states; they differ in speed only.
//! [`Compression::one`] is the fastest for a single message on this machine, [`Compression::many`]
//! the fastest for a number of messages.
//!
//! ```
//! // SHA-256 of "abc", whose padded block is written out here; padding is the caller's business.
//! let mut block = [0u8; 64];
//! block[..4].copy_from_slice(b"abc\x80");
//! block[63] = 24;
//! let mut state = pfh_kernel::sha256::INITIAL;
//! pfh_kernel::SHA256.one().compress(&mut state, &[&block], 1, 64);
//! assert_eq!(state[0], 0xba7816bf);
//! ```
//!
//! Which kernels may be used is decided once, by the CPU's instruction sets, by the environment
//! variable `PFH_ISA` (see [`Isa`]), which can only lower the choice, and by a test of each against
//! known answers; which of them is used for how many messages, by the cost of each (see [`Costs`]).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod blake2;
mod check;
mod choice;
mod costs;
pub mod crc;
mod isa;
pub mod keccak;
mod kernel;
pub mod md5;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod ripemd160;
pub mod sha1;
mod sha2;
pub mod sha256;
pub mod sha512;
pub mod similarity;
mod single;
pub mod sm3;
#[cfg(target_arch = "x86_64")]
mod sse;
pub mod stitched;
mod table;
mod tables;
mod vector;

pub use costs::Costs;
pub use isa::Isa;
pub use kernel::{Compression, Kernel, Layout, MAX_LANES, Row, UnusedReason, Word};
pub use table::{BLAKE2B, BLAKE2S, KECCAK12, KECCAK24, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, Table};
pub use tables::tables;
