//! Every algorithm that the product knows, from all crates that bring some, and the kernels that
//! this processor computes them with.

mod kernels;
mod list;

pub use kernels::kernels;
pub use list::list;

use pfh_digest::{Algorithm, ROWS, Registry, Row, UnknownAlgorithm};

const LISTS: &[&[Row]] = &[ROWS, pfh_tree::ROWS, pfh_similarity::ROWS];

/// All algorithms: plain digests, tree modes over Keccak, and similarity digests.
pub const REGISTRY: Registry = Registry::new(LISTS);

/// Finds an algorithm by name, alias, or `name:length`.
///
/// # Errors
/// When there is none of that name, or it has no output of that length.
pub fn algorithm(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
    REGISTRY.find(name)
}
