//! The content of a partition table.

use std::ops::Range;
use std::sync::Arc;

use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// Sizes of sectors that are tried, the usual ones first.
pub(super) const SECTORS: [u32; 4] = [512, 4096, 2048, 1024];

/// The kind of a partition table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// A master boot record, with extended partitions.
    Mbr,
    /// A GUID partition table.
    Gpt,
    /// An Apple partition map.
    Apm,
    /// No table: the medium is one volume.
    None,
}

/// The use of a range of the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// A volume.
    Partition,
    /// An extended partition of an MBR: it holds the logical ones, which are listed themselves.
    Extended,
    /// In no partition; tables and boot code may be there.
    Unallocated,
}

/// A range of a medium.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Its number as Linux counts, from 1, logical ones of an MBR from 5; `None` for unallocated
    /// ranges.
    pub number: Option<u32>,
    /// Its use.
    pub usage: Usage,
    /// The type that the table states: `0x83`, a GUID in lower case, `Apple_HFS`; empty where there
    /// is none.
    pub kind: String,
    /// The name that the table states, that of a GPT as WTF-8; empty where there is none.
    pub name: Vec<u8>,
    /// Where it begins, in bytes.
    pub start: u64,
    /// How many bytes the table states.
    pub length: u64,
}

/// How a medium is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionTable {
    /// Which kind of table it is.
    pub scheme: Scheme,
    /// The sector in which the table counts, in bytes.
    pub sector_size: u32,
    /// GUID of the disk or signature of the MBR; empty where there is none.
    pub id: String,
    /// Partitions and the gaps between them, in order of place.
    pub partitions: Vec<Partition>,
    /// The fault of the table, if it could be read.
    pub warnings: Vec<Failure>,
    /// Where the table itself stands, and its copies: each range and its name.
    pub structures: Vec<(Range<u64>, &'static str)>,
}

impl Partition {
    /// The bytes of the partition, as many of them as the medium has.
    ///
    /// # Errors
    /// If it begins behind the end of the medium.
    pub fn open(&self, medium: &Arc<dyn Bytes>) -> Result<Arc<dyn Bytes>, Failure> {
        let left = medium.size().checked_sub(self.start).filter(|&left| left > 0 || self.length == 0);
        let slice = left.and_then(|left| Slice::new(medium.clone(), self.start, self.length.min(left)));
        let slice = slice.ok_or_else(|| failure(Some(self.start), "begins behind the end of the medium"))?;
        Ok(Arc::new(slice))
    }
}

impl PartitionTable {
    /// A medium of `size` bytes that is one volume.
    pub fn whole(size: u64) -> Self {
        let whole = Partition {
            number: None,
            usage: Usage::Partition,
            kind: String::new(),
            name: Vec::new(),
            start: 0,
            length: size,
        };
        PartitionTable {
            scheme: Scheme::None,
            sector_size: 512,
            id: String::new(),
            partitions: vec![whole],
            warnings: Vec::new(),
            structures: Vec::new(),
        }
    }

    /// Sorts by place, and warns of partitions that lead out of a medium of `size` bytes.
    pub(super) fn bound(&mut self, size: u64) {
        self.partitions.sort_by_key(|part| (part.start, part.usage != Usage::Extended, part.number));
        let mut end = 0;
        for part in &self.partitions {
            let number = part.number.unwrap_or_default();
            let its_end = part.start.saturating_add(part.length);
            if its_end > size {
                let cause = format!("partition {number} ends at {its_end}, behind the end of the medium at {size}");
                self.warnings.push(failure(Some(part.start), cause));
            }
            // The whole of a disc goes over the partitions that lie beside its tree.
            if part.usage == Usage::Partition && part.number.is_some() {
                if part.start < end {
                    let cause = format!("partition {number} begins in the one before it");
                    self.warnings.push(failure(Some(part.start), cause));
                }
                end = end.max(its_end);
            }
        }
    }
}
