//! A file's entry in a directory, in FAT and exFAT alike.

use pfh_bytes::node::Times;

/// A file or directory as its directory describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: Vec<u8>,
    pub is_directory: bool,
    pub first: u32,
    pub size: u64,
    /// Bytes that were written; those behind them read as zeros.
    pub valid: u64,
    /// Whether the clusters lie one after the other, without the table.
    pub is_contiguous: bool,
    pub times: Times,
    pub is_deleted: bool,
    /// Whether it stands behind the end of its directory, as if it were in use: its chain may still
    /// be in the table.
    pub is_behind: bool,
    /// Where the description stands, in bytes.
    pub offset: u64,
}

/// The item that records of 32 bytes add up to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryItem {
    /// A file or directory.
    Entry(Entry),
    /// Records that contradict themselves, with the cause.
    Wrong(u64, &'static str),
    /// The label of the volume.
    Label(Vec<u8>),
    /// exFAT's bitmap of clusters in use: first cluster and bytes.
    Bitmap(u32, u64),
    /// exFAT's table of capital letters: the same.
    Letters(u32, u64),
    /// A record in use behind the end of a directory that belongs to no whole entry.
    Remains,
    /// No name in use stands behind this place, in bytes.
    End(u64),
}
