//! What the reader of a file system claims.

use super::claims::Claims;

/// The claims of a file system's reader, beside those of its members.
#[derive(Debug, Default)]
pub struct Layers {
    /// Its own structures.
    pub own: Claims,
    /// What files have beyond their bytes: it counts where nothing else claims.
    pub beneath: Claims,
    /// Whether these are all structures. If not, what is left is taken for one.
    pub is_itemised: bool,
}
