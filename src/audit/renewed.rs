//! A commitment that follows a change.

use pfh_tree::audit::Commitment;
use std::ops::Range;

/// The change of a file that is kept.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FileRenewal {
    /// The name of the file on both sides.
    pub identity: Vec<u8>,
    /// The auditor's copy for the file from now on.
    pub commitment: Commitment,
    /// The leaves that changed, as ranges in bytes; nothing else did.
    pub ranges: Vec<Range<u64>>,
}
