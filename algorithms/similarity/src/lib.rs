//! Similarity digests: ssdeep, sdhash, mrsh-v2 and TLSH.
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "naive"))]
pub mod naive;
pub mod sdhash;
