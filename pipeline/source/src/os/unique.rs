//! Numbers for names that must be new.

use super::seam;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A number for the name of a new file: processes of several machines and containers that write to
/// one directory draw others. Others may guess it, and it may come again.
pub fn unique() -> u64 {
    seam::number().unwrap_or_else(|| RandomState::new().build_hasher().finish())
}
