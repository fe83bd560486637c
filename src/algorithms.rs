//! Every algorithm that the product knows, from all crates that bring some.

use pfh_digest::{Algorithm, ROWS, Registry, Row, UnknownAlgorithm};

const LISTS: &[&[Row]] = &[ROWS];

/// All algorithms: digests, and what the crates beside bring.
pub const REGISTRY: Registry = Registry::new(LISTS);

/// Finds an algorithm by name, alias, or `name:length`.
///
/// # Errors
/// When there is none of that name, or it has no output of that length.
pub fn algorithm(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
    REGISTRY.find(name)
}
