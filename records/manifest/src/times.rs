//! The timestamps that a list gives for a file.

use pfh_source::Time;

/// The timestamps of a file, each where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Last change of the content.
    pub modified: Option<Time>,
    /// Last change of the metadata.
    pub changed: Option<Time>,
    /// Last access.
    pub accessed: Option<Time>,
}
