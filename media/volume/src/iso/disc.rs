//! A tree of directories of a disc.

use std::sync::Arc;

use pfh_bytes::bytes::Bytes;

/// Which names are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    Plain,
    Joliet,
    /// With this many bytes to skip in front.
    RockRidge(usize),
}

/// A tree of a disc that is open.
pub struct Iso {
    pub bytes: Arc<dyn Bytes>,
    pub block_size: u64,
    pub size: u64,
    /// First block and bytes of its root.
    pub root: (u32, u32),
    pub names: Names,
}

impl Iso {
    /// The bytes behind a name in which Rock Ridge may be.
    pub fn skipped<'a>(&self, system: &'a [u8]) -> &'a [u8] {
        match self.names {
            Names::RockRidge(skip) => system.get(skip..).unwrap_or_default(),
            _ => &[],
        }
    }
}
