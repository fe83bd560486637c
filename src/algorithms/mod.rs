//! Every algorithm that the product knows, from all crates that bring some, and the kernels that
//! this processor computes them with.

mod algorithm;
mod nearest;
mod secret;

pub use algorithm::Algorithm;
pub(crate) use algorithm::computed;
pub use secret::{Secret, SecretError};

use pfh_digest::{ROWS, Registry, Row};

const LISTS: &[&[Row]] = &[&ROWS, &pfh_tree::ROWS, &pfh_similarity::ROWS, &pfh_similarity::programs::ROWS];

/// All algorithms: plain digests, tree modes over Keccak, and similarity digests.
pub const REGISTRY: Registry = Registry::new(LISTS);
