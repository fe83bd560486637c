//! Partition tables: the reader ends on any table, and its list covers the medium without a hole.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use pfh_volume::{Bytes, partitions};

fuzz_target!(|data: &[u8]| {
    let mut medium = data.to_vec();
    medium.resize(medium.len().max(4096), 0);
    medium[510..512].copy_from_slice(b"\x55\xaa");
    let size = medium.len() as u64;
    let medium: Arc<dyn Bytes> = Arc::new(medium);
    let Ok(table) = partitions(&medium) else { return };
    let mut end = 0;
    for part in &table.partitions {
        assert!(part.start <= end || part.start >= size, "a hole before {part:?}");
        end = end.max(part.start.saturating_add(part.length));
        let _ = part.open(&medium);
    }
    assert!(end >= size);
});
