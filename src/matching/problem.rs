//! Errors of a request, beyond those that every job has.

use pfh_manifest::{Fault, Unrepresentable};
use pfh_report::verdict::Format;
use pfh_source::terminal;

/// Errors of a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There are neither sets nor digests.
    #[error("nothing to compare with: neither a set nor a digest is named")]
    NoSet,
    /// A digest is malformed.
    #[error("{}: {fault}", terminal::render(text.as_bytes()))]
    Digest {
        /// The text that was given.
        text: String,
        /// The fault.
        fault: Fault,
    },
    /// The format cannot hold these algorithms.
    #[error("{form}: {why}")]
    Format {
        /// The format.
        form: Format,
        /// Why.
        why: Unrepresentable,
    },
}
