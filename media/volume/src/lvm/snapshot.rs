//! Snapshots of LVM2 that keep their differences from the origin in a volume of their own, as the
//! target `snapshot` of the device mapper writes it (`snapshot.rst` of Linux's documentation).

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le32, le64, read};
use pfh_bytes::node::Failure;

const SECTOR: u64 = 512;
/// The most chunks that may differ: 64 MiB of memory.
const MOST: usize = 1 << 20;

/// A snapshot.
pub struct Snapshot {
    origin: Arc<dyn Bytes>,
    store: Arc<dyn Bytes>,
    chunk: u64,
    /// Chunks that differ from the origin's, by their numbers, and where they are in the store.
    kept: BTreeMap<u64, u64>,
}

impl Snapshot {
    /// Reads the lists of a snapshot's store.
    pub fn open(origin: Arc<dyn Bytes>, store: &Arc<dyn Bytes>) -> Result<Snapshot, Failure> {
        let wrong = |cause: &str| failure(None, format!("a snapshot {cause}"));
        let head = read(&**store, 0, 16)?;
        let chunk = u64::from(le32(&head, 12)) * SECTOR;
        if !is_at(&head, 0, b"SnAp") || le32(&head, 8) != 1 || !chunk.is_power_of_two() || chunk > 1 << 24 {
            return Err(wrong("whose store has no head of version 1"));
        }
        if le32(&head, 4) == 0 {
            return Err(wrong("that overflowed: it is not valid any more"));
        }
        let (mut kept, mut area) = (BTreeMap::new(), 1_u64);
        'areas: while area.checked_mul(chunk).is_some_and(|start| start < store.size()) {
            let list = read(&**store, area * chunk, chunk as usize)?;
            for entry in list.chunks_exact(16) {
                let (old, new) = (le64(entry, 0), le64(entry, 8));
                if new == 0 {
                    break 'areas;
                }
                kept.insert(old, new);
                if kept.len() > MOST {
                    return Err(wrong("with more than a million chunks that differ"));
                }
            }
            // Behind each list stand the chunks that it names.
            area += chunk / 16 + 1;
        }
        Ok(Snapshot { origin, store: store.clone(), chunk, kept })
    }
}

impl Bytes for Snapshot {
    fn size(&self) -> u64 {
        self.origin.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size().saturating_sub(offset);
        let (chunk, rest) = (offset / self.chunk, offset % self.chunk);
        let room = usize::try_from(left.min(self.chunk - rest)).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        match self.kept.get(&chunk) {
            Some(at) => {
                let place = at.checked_mul(self.chunk).and_then(|at| at.checked_add(rest));
                let place = place.ok_or(io::ErrorKind::UnexpectedEof)?;
                self.store.read_exact_at(place, &mut buffer[..room])?;
                Ok(room)
            }
            None => self.origin.read_at(offset, &mut buffer[..room]),
        }
    }
}
