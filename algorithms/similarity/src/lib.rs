//! Similarity digests: ssdeep, sdhash, mrsh-v2, TLSH, shared bytes (shingles), and the same for
//! programs (strings, imports), texts (text) and pictures (PDQ, pHash; feature `pictures`).
//!
//! Each method is a module with the same parts: a value that holds its parameters and is a
//! [`Method`], a `Digest` that prints and parses as the reference tool's, and a hasher that takes
//! an input in pieces. Digests and scores are byte for byte those of the reference tools (see
//! `docs/similarity.md` for which versions); [`shingles`], [`strings`], [`imports`] and [`text`]
//! are this project's own.
//!
//! ```
//! use pfh_similarity::{Method, Score, ssdeep::Ssdeep};
//!
//! let a: Vec<u8> = (0..20_000u32).map(|i| (i * i >> 7) as u8).collect();
//! let mut b = a.clone();
//! b[9_000] ^= 1;
//! let (a, b) = (Ssdeep.digest(&a).unwrap(), Ssdeep.digest(&b).unwrap());
//! let comparison = Ssdeep.compare(&a, &b);
//! assert!(matches!(comparison.score, Score::Similarity(80..=100)));
//! ```
#![forbid(unsafe_code)]

mod base64;
mod bloom;
mod error;
mod foreign;
mod listed;
mod method;
mod named;
mod profile;
mod profiles;
mod registry;
mod score;
mod value;

pub mod cells;
pub mod chance;
pub mod crops;
pub mod imports;
pub mod index;
pub mod mrsh_v2;
#[cfg(any(test, feature = "naive"))]
pub mod naive;
pub mod pdq;
pub mod phash;
pub mod pictures;
pub mod programs;
pub mod sdhash;
pub mod shingles;
pub mod ssdeep;
pub mod strings;
pub mod text;
pub mod tlsh;

pub use bloom::Filter;
pub use chance::Chance;
pub use error::{NoDigest, ParseError, UnprintableName};
pub use foreign::{Foreign, OwnMethod};
pub use listed::RegisteredMethod;
pub use method::{Hasher, Method};
pub use named::MethodName;
pub use profile::{ABSENT, Profile, Reads};
pub use profiles::TLSH_ABSENT;
pub use registry::ROWS;
pub use score::{Comparison, Degenerate, Evidence, Score, shared};
pub use value::{Content, Similar};
