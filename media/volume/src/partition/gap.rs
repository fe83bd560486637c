//! The space between partitions.

use super::table::{Partition, PartitionTable, Usage};

/// Adds an unallocated range for each part of a medium of `size` bytes that is in no partition.
pub fn fill(table: &mut PartitionTable, size: u64) {
    let mut gaps = Vec::new();
    let mut end = 0;
    for part in table.partitions.iter().filter(|part| part.usage == Usage::Partition) {
        if part.start.min(size) > end {
            gaps.push(gap(end, part.start.min(size)));
        }
        end = end.max(part.start.saturating_add(part.length));
    }
    if end < size {
        gaps.push(gap(end, size));
    }
    table.partitions.extend(gaps);
    table.partitions.sort_by_key(|part| (part.start, part.usage != Usage::Extended, part.number));
}

fn gap(start: u64, end: u64) -> Partition {
    Partition {
        number: None,
        usage: Usage::Unallocated,
        kind: String::new(),
        name: Vec::new(),
        start,
        length: end - start,
    }
}
