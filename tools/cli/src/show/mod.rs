//! The rows of jobs as text and JSON: one module for each job.

#[cfg(feature = "image")]
pub mod acquire;
pub mod algorithms;
#[cfg(feature = "audit")]
pub mod audit;
pub mod bag;
pub mod check;
pub mod compare;
#[cfg(feature = "image")]
pub mod dd;
pub mod diff;
pub mod dups;
pub mod export;
pub mod kernels;
#[cfg(feature = "known")]
pub mod known;
#[cfg(feature = "inside")]
pub mod list;
#[cfg(feature = "known")]
pub mod matching;
pub mod plan;
pub mod report;
#[cfg(feature = "inside")]
pub mod sectors;
#[cfg(feature = "remote")]
pub mod stated;
pub mod stats;
#[cfg(feature = "audit")]
pub mod tree;
pub mod update;
#[cfg(feature = "image")]
pub mod verify;

use pfh::manifest::row;
use serde::ser::{SerializeMap, Serializer};

/// A number of things: `1 file`, `2 files`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A number with the words behind it: `1 file is`, `2 files are`.
pub fn many(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// A name that need not be there, as `from`: for `#[serde(flatten, serialize_with = "from")]`.
fn from<S: Serializer>(name: &Option<&[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    match name {
        Some(name) => row::named("from", name, serializer),
        None => serializer.serialize_map(Some(0))?.end(),
    }
}
