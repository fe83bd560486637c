//! Partitions: from a block of a partition to its place on the medium.

use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le16, le32, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

use super::descriptor::{Descriptors, Place};

/// The longest sparing table, in bytes.
const LONGEST: u32 = 1 << 20;

/// How the blocks of a partition are found.
enum Map {
    /// One after the other from this block of the medium on.
    Plain { first: u64 },
    /// As `Plain`, in packets; some were moved: number of the packet, where it is.
    Sparable { first: u64, packet: u64, moved: Vec<(u64, u64)> },
    /// In a file; its runs lie on the medium.
    File { layout: Layout },
}

/// A partition.
struct Partition {
    map: Map,
    blocks: u64,
}

/// The partitions of a volume.
pub struct Partitions {
    /// Bytes of a block.
    pub block: u64,
    /// Bytes of the medium.
    pub size: u64,
    all: Vec<Partition>,
    /// Partitions that are files: which one, and where the entries of the file and of its mirror
    /// are.
    pub metadata: Vec<(usize, [Place; 2])>,
}

/// Why the partitions of a volume are not read.
pub enum PartitionFault {
    /// A kind of partition that is not read.
    Unread(String),
    /// The fault.
    Failed(Failure),
}

impl From<Failure> for PartitionFault {
    fn from(failed: Failure) -> PartitionFault {
        PartitionFault::Failed(failed)
    }
}

impl Partitions {
    /// The partitions of a volume; those in files are found by their entries.
    pub fn open(bytes: &Arc<dyn Bytes>, volume: &Descriptors) -> Result<Partitions, PartitionFault> {
        let mut all = Partitions { block: volume.block, size: bytes.size(), all: Vec::new(), metadata: Vec::new() };
        // Metadata partitions lie in others, which may come behind them.
        let mut files = Vec::new();
        for (number, map) in volume.maps.iter().enumerate() {
            let is_plain = map[0] == 1;
            let which = if is_plain { le16(map, 4) } else { le16(map, 38) };
            let found = volume.partitions.iter().find(|partition| partition.0 == which);
            let &(_, first, blocks) =
                found.ok_or_else(|| failure(None, format!("UDF without its partition {which}")))?;
            let (first, blocks) = (u64::from(first), u64::from(blocks));
            let map = match () {
                () if is_plain => Map::Plain { first },
                () if is_at(map, 5, b"*UDF Sparable Partition") => sparable(&**bytes, map, first, volume.block)?,
                () if is_at(map, 5, b"*UDF Metadata Partition") => {
                    files.push((number, which, le32(map, 40), le32(map, 44)));
                    Map::Plain { first }
                }
                () if is_at(map, 5, b"*UDF Virtual Partition") => {
                    return Err(PartitionFault::Unread(
                        "UDF with a virtual partition (written piece by piece)".to_owned(),
                    ));
                }
                () => {
                    return Err(PartitionFault::Unread("UDF with a partition of a kind that is not known".to_owned()));
                }
            };
            all.all.push(Partition { map, blocks });
        }
        for (number, which, file, mirror) in files {
            // The blocks of the file are those of the partition that the map is of.
            let plain = volume.maps.iter().position(|map| map[0] == 1 && le16(map, 4) == which);
            let plain = plain.and_then(|plain| u16::try_from(plain).ok());
            let partition = plain.ok_or_else(|| failure(None, "UDF with metadata in a partition that is not plain"))?;
            all.metadata.push((number, [file, mirror].map(|block| Place { partition, block })));
        }
        Ok(all)
    }

    /// Finds the blocks of a partition in a file from now on.
    pub fn in_file(&mut self, number: usize, layout: Layout) {
        if let Some(partition) = self.all.get_mut(number) {
            *partition = Partition { blocks: layout.end() / self.block, map: Map::File { layout } };
        }
    }

    /// Adds `length` bytes from a block of a partition on to a file.
    pub fn push(&self, layout: &mut Layout, place: Place, length: u64) -> Result<(), Failure> {
        let wrong =
            || failure(None, format!("block {} of partition {}, which is not there", place.block, place.partition));
        let partition = self.all.get(usize::from(place.partition)).ok_or_else(wrong)?;
        let from = u64::from(place.block);
        if from.checked_add(length.div_ceil(self.block)).is_none_or(|end| end > partition.blocks) {
            return Err(wrong());
        }
        match &partition.map {
            Map::Plain { first } => layout.push(Some((first + from) * self.block), length),
            Map::Sparable { first, packet, moved } => {
                let (mut at, mut left) = (from, length);
                while left > 0 {
                    let inside = at % packet;
                    let take = left.min((packet - inside) * self.block);
                    let found = moved.binary_search_by_key(&(at - inside), |moved| moved.0);
                    let block = found.map_or(first + at, |found| moved[found].1 + inside);
                    layout.push(Some(block * self.block), take)?;
                    at += take.div_ceil(self.block);
                    left -= take;
                }
                Ok(())
            }
            Map::File { layout: file } => {
                let start = from * self.block;
                for run in file.window(start, start + length) {
                    layout.push(run.medium_offset, run.length)?;
                }
                Ok(())
            }
        }
    }

    /// Where a block lies on the medium.
    pub fn offset(&self, place: Place) -> Result<u64, Failure> {
        let mut layout = Layout::new(self.size);
        self.push(&mut layout, place, self.block)?;
        let offset = layout.runs().first().and_then(|run| run.medium_offset);
        offset.ok_or_else(|| failure(None, "a block of metadata in a hole"))
    }
}

/// The map of a partition with packets that were moved.
fn sparable(bytes: &dyn Bytes, map: &[u8], first: u64, block: u64) -> Result<Map, Failure> {
    let (packet, tables, length) =
        (u64::from(le16(map, 40)), usize::from(map.get(42).copied().unwrap_or(0)), le32(map, 44));
    let wrong = |cause: &str| failure(None, format!("UDF with a sparing table {cause}"));
    if packet == 0 || length > LONGEST {
        return Err(wrong("that is not understood"));
    }
    for table in 0..tables.min(4) {
        let at = u64::from(le32(map, 48 + table * 4)) * block;
        let Ok(raw) = read(bytes, at, length as usize) else { continue };
        if !is_at(&raw, 17, b"*UDF Sparing Table") {
            continue;
        }
        let count = usize::from(le16(&raw, 48));
        let entries = raw.get(56..).unwrap_or_default().chunks_exact(8).take(count);
        let used = entries.filter(|entry| le32(entry, 0) < 0xffff_fff0);
        let mut moved: Vec<(u64, u64)> =
            used.map(|entry| (u64::from(le32(entry, 0)), u64::from(le32(entry, 4)))).collect();
        moved.sort_unstable();
        return Ok(Map::Sparable { first, packet, moved });
    }
    Err(wrong("that is lost"))
}
