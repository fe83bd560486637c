//! The blocks of shadow copies, each with a header that says its kind and where it lies.

use std::collections::HashSet;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le32, le64, read};
use pfh_bytes::node::Failure;

/// Bytes of a block.
pub const BLOCK: u64 = 16 << 10;
/// Bytes of the header of a block.
pub const HEAD: usize = 128;
/// The first bytes of each: {3808876b-c176-4e48-b7ae-04046e6cc752}.
pub const GUID: &[u8] = b"\x6b\x87\x08\x38\x76\xc1\x48\x4e\xb7\xae\x04\x04\x6e\x6c\xc7\x52";

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Catalogue = 2,
    Descriptors = 3,
    Store = 4,
    Bitmap = 6,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Catalogue => "catalogue",
            Kind::Descriptors => "list of blocks",
            Kind::Store => "header of a store",
            Kind::Bitmap => "map of a store",
        }
    }
}

/// A failure in the structures of shadow copies.
pub fn wrong(offset: u64, cause: impl std::fmt::Display) -> Failure {
    failure(Some(offset), format!("shadow copies: {cause}"))
}

/// The block at this place, which must be one of this kind.
pub fn block(bytes: &dyn Bytes, at: u64, kind: Kind) -> Result<Vec<u8>, Failure> {
    let name = kind.name();
    let raw = read(bytes, at, BLOCK as usize)
        .map_err(|failed| wrong(failed.offset.unwrap_or(at), format_args!("{name}: {}", failed.cause)))?;
    if !is_at(&raw, 0, GUID) {
        return Err(wrong(at, format_args!("{name}: without its mark")));
    }
    if !matches!(le32(&raw, 16), 1 | 2) {
        return Err(wrong(at + 16, format_args!("{name}: of the unknown version {}", le32(&raw, 16))));
    }
    if le32(&raw, 20) != kind as u32 {
        return Err(wrong(at + 20, format_args!("{name}: its header says that it is of kind {}", le32(&raw, 20))));
    }
    if le64(&raw, 32) != at {
        return Err(wrong(at + 32, format_args!("{name}: its header says that it lies at {}", le64(&raw, 32))));
    }
    Ok(raw)
}

/// The blocks of a list that are linked, each once.
pub struct Chain<'a> {
    bytes: &'a dyn Bytes,
    kind: Kind,
    next: u64,
    seen: HashSet<u64>,
    most: usize,
}

impl<'a> Chain<'a> {
    /// The list that begins here, of no more blocks than these.
    pub fn new(bytes: &'a dyn Bytes, kind: Kind, first: u64, most: usize) -> Self {
        Chain { bytes, kind, next: first, seen: HashSet::new(), most }
    }

    fn read(&mut self, at: u64) -> Result<Vec<u8>, Failure> {
        let name = self.kind.name();
        if self.seen.len() >= self.most {
            return Err(wrong(at, format_args!("{name}: more than {} blocks", self.most)));
        }
        if !self.seen.insert(at) {
            return Err(wrong(at, format_args!("{name}: leads back to a block that was read")));
        }
        block(self.bytes, at, self.kind)
    }
}

impl Iterator for Chain<'_> {
    /// A block with its place.
    type Item = Result<(u64, Vec<u8>), Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = std::mem::take(&mut self.next);
        if at == 0 {
            return None;
        }
        Some(self.read(at).map(|raw| {
            self.next = le64(&raw, 40);
            (at, raw)
        }))
    }
}
