//! The plain digests that trees are made of.

use pfh_digest::Algorithm;

/// The algorithm of this name, which is one that `pfh_digest` itself has.
pub fn plain(name: &str) -> Algorithm {
    name.parse().expect("pfh_digest has it")
}
