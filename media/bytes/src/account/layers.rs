//! Claims of the reader of a file system.

use super::claims::Claims;

/// The claims of a file system's reader, beside those of its members.
#[derive(Debug, Default)]
pub struct Layers {
    /// Its own structures.
    pub own: Claims,
    /// Bytes that files have beyond their content: they count where nothing else claims.
    pub beneath: Claims,
    /// Whether these are all structures. If not, the rest is taken for one.
    pub is_itemised: bool,
}
