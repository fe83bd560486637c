//! Several digests of ONE message in one pass: MD5, SHA-1, SHA-256 and SHA-512, some of them round
//! by round.
//!
//! One message leaves most of a core idle: every round waits for the one before it. MD5 and SHA-512
//! in general registers and SHA-1 and SHA-256 on instructions of their own wait at different
//! places, so that MD5, SHA-1 and SHA-256 together take little longer than MD5 alone, and SHA-256
//! beside SHA-512 hardly longer than SHA-512. On x86-64 nothing here uses a 256-bit register:
//! alternating those with the SHA extensions, which exist in the old encoding only, costs hundreds
//! of cycles per change.
//!
//! A [`Kernel`] takes the functions of one set. Which of them take the functions that are asked
//! for, and which functions go by themselves, is chosen by the cost of each
//! ([`Costs`](crate::Costs)): together is never taken where it was measured to be slower than one
//! after the other.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kernels;
mod plan;
mod set;
mod states;
mod table;
#[cfg(target_arch = "x86_64")]
mod wide;

pub(crate) use plan::tables;
pub use plan::{Plan, compress, picoseconds, plan};
pub use set::Set;
pub use states::{BLOCK, States};
pub use table::{ALL, Kernel};
