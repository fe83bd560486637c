//! Hash functions that are trees: every leaf can be hashed at the same time as the others, in SIMD
//! lanes or on other threads.
//!
//! [`ROWS`] registers, for `pfh_digest::Registry`:
//! * `kt128`, `kt256`: KangarooTwelve (RFC 9861) over TurboSHAKE;
//! * `parallelhash128`, `parallelhash256` and their XOF forms (NIST SP 800-185, section 6) with
//!   blocks of 8,192 bytes;
//! * `sakura-fng-128`, `sakura-fng-256`: final node growing, and `sakura-li-128`, `sakura-li-256`:
//!   leaf interleaving, in Sakura coding over RawSHAKE (FIPS 202, section 6.2);
//!   `docs/spec/sakura.md` has every byte.
//!
//! These algorithms need bounded memory for a message of any length, and their digests depend on
//! neither pieces, lanes nor threads.
//!
//! [`flat`] keeps the chaining values of any of these beside a file. [`outboard`] keeps a binary
//! tree beside a file, to find the changed leaves and to hash only those again; [`Arrivals`] takes
//! the parts of a file in any order, for a tree of either kind; [`audit`] proves
//! with it that a server still holds the file, [`range`] that a part of it is the file's.
//! [`catalogue`] is one tree over many files. [`split`] hashes the ranges of a message apart.
//! [`foreign`] computes the roots that other programs state.
//!
//! ```
//! use pfh_digest::{ROWS as PLAIN, Registry};
//! static ALL: Registry = Registry::new(&[&PLAIN, &pfh_tree::ROWS]);
//! let kt128 = ALL.find("kt128")?;
//! assert_eq!(kt128.digest(b"").to_string(), "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5");
//! # Ok::<(), pfh_digest::UnknownAlgorithm>(())
//! ```
#![forbid(unsafe_code)]

mod arrivals;
pub mod audit;
pub mod catalogue;
pub mod flat;
pub mod foreign;
mod growing;
mod interleaved;
mod kmac;
mod lanes;
pub mod outboard;
mod parameters;
mod plain;
pub mod range;
mod receipt;
mod registry;
pub mod split;
mod sponge;
mod tree_kind;
mod wire;

pub use arrivals::{Arrivals, Stretch};
pub use growing::{Growing, Mode};
pub use receipt::Unfit;
pub use registry::ROWS;
pub use tree_kind::{Grown, NoTree, TreeKind};
pub use wire::WireError;
