//! Files of one content, and folders.

use pfh_digest::Digest;

/// One copy: an inode.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copy {
    /// Its names, as they were found. More than one are hard links: all of them must go before its
    /// storage is free.
    pub names: Vec<Vec<u8>>,
    /// Whether it shares its storage with a copy before it (a reflink): nothing would be won.
    pub shared: bool,
}

/// Files of one content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The size of each, in bytes.
    pub size: u64,
    /// The digest that all of them have.
    pub digest: Digest,
    /// The copies, in the order in which they were found. A script keeps the first.
    pub copies: Vec<Copy>,
}

impl Group {
    /// Copies that could go: all but one.
    pub fn redundant(&self) -> u64 {
        self.copies.len().saturating_sub(1) as u64
    }

    /// Bytes that would be free if one copy were kept. What shares storage already frees none.
    pub fn reclaimable(&self) -> u64 {
        self.copies.iter().skip(1).filter(|copy| !copy.shared).count() as u64 * self.size
    }
}

/// Folders of one content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folders {
    /// The folders, by name.
    pub names: Vec<Vec<u8>>,
    /// Files in each of them, all the way down.
    pub files: u64,
    /// Bytes of these files.
    pub bytes: u64,
}
