//! The blocks that a store holds: the descriptors of its list, taken together.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::block::{BLOCK, Chain, HEAD, Kind, wrong};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le32, le64};
use pfh_bytes::node::Failure;

/// Bytes of a descriptor.
const DESCRIPTOR: usize = 32;
/// Its content lies elsewhere in the state that came next.
const FORWARDER: u32 = 1;
/// It stands for some sectors of a block alone.
const OVERLAY: u32 = 2;
/// It is not used.
const UNUSED: u32 = 4;
/// Bytes that a bit of an overlay stands for.
pub const SECTOR: u64 = 512;

/// Where the content of a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockPlace {
    /// On the volume, in the store.
    Store(u64),
    /// At this offset of the state that came next.
    Forward(u64),
}

/// Sectors of a block that were written to while the copy was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlay {
    /// Where the block with them lies on the volume.
    pub at: u64,
    /// A bit for each sector, the lowest for the first.
    pub sectors: u32,
}

/// The blocks of a store, by their offsets.
#[derive(Debug, Default)]
pub struct Table {
    pub held: BTreeMap<u64, BlockPlace>,
    pub overlays: BTreeMap<u64, Overlay>,
    /// Where blocks went, with the offset that each came from.
    pub moved: BTreeMap<u64, u64>,
}

/// A descriptor with the place where it stands.
struct Descriptor {
    at: u64,
    original: u64,
    relative: u64,
    store: u64,
    flags: u32,
    sectors: u32,
}

impl Table {
    /// Reads the list that begins here. `room` is how many descriptors may be held, and is lowered
    /// by those that are.
    pub fn read(bytes: &dyn Bytes, first: u64, room: &mut usize) -> Result<Table, Failure> {
        let of_block = (BLOCK as usize - HEAD) / DESCRIPTOR;
        let mut table = Table::default();
        for block in Chain::new(bytes, Kind::Descriptors, first, *room / of_block + 1) {
            let (block, raw) = block?;
            for start in (HEAD..=BLOCK as usize - DESCRIPTOR).step_by(DESCRIPTOR) {
                let raw = &raw[start..start + DESCRIPTOR];
                if raw.iter().all(|byte| *byte == 0) {
                    continue;
                }
                let at = block + start as u64;
                *room = room.checked_sub(1).ok_or_else(|| wrong(at, "list of blocks: more than can be held"))?;
                table.take(&Descriptor {
                    at,
                    original: le64(raw, 0),
                    relative: le64(raw, 8),
                    store: le64(raw, 16),
                    flags: le32(raw, 24),
                    sectors: le32(raw, 28),
                })?;
            }
        }
        Ok(table)
    }

    /// Takes the next descriptor of the list up: a later one of a block counts.
    fn take(&mut self, found: &Descriptor) -> Result<(), Failure> {
        if found.flags & UNUSED != 0 {
            return Ok(());
        }
        let whole = |offset: u64, what: &str| match offset.is_multiple_of(BLOCK) {
            true => Ok(()),
            false => Err(wrong(found.at, format_args!("list of blocks: the {what} {offset} is not that of a block"))),
        };
        whole(found.original, "offset")?;
        if found.flags & OVERLAY != 0 {
            let new = Overlay { at: found.store, sectors: found.sectors };
            match self.overlays.entry(found.original) {
                Entry::Vacant(entry) => {
                    entry.insert(new);
                }
                // More sectors of the same block.
                Entry::Occupied(mut entry) => entry.get_mut().sectors |= found.sectors,
            }
            return Ok(());
        }
        let is_forwarder = found.flags & FORWARDER != 0;
        // If a block moved to this place before, the descriptor describes its content.
        let original = match self.moved.remove(&found.original) {
            Some(_) if is_forwarder && found.original == found.relative => return Ok(()),
            Some(came_from) => came_from,
            None => found.original,
        };
        if !is_forwarder {
            self.held.insert(original, BlockPlace::Store(found.store));
            return Ok(());
        }
        whole(found.relative, "place")?;
        self.held.insert(original, BlockPlace::Forward(found.relative));
        self.moved.insert(found.relative, original);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(list: &[(u64, u64, u64, u32, u32)]) -> Table {
        let mut table = Table::default();
        for &(original, relative, store, flags, sectors) in list {
            let [original, relative, store] = [original, relative, store].map(|number| number * BLOCK);
            table.take(&Descriptor { at: 0, original, relative, store, flags, sectors }).unwrap();
        }
        table
    }

    #[test]
    fn a_block_that_moved_is_kept_under_its_first_place() {
        // 5 went to 9, then to 12, whose content was kept before it was written over.
        let found = table(&[(5, 9, 0, FORWARDER, 0), (9, 12, 0, FORWARDER, 0), (12, 0, 40, 0, 0)]);
        assert_eq!(found.held, [(5 * BLOCK, BlockPlace::Store(40 * BLOCK))].into());
        assert!(found.moved.is_empty());
        let found = table(&[(5, 9, 0, FORWARDER, 0), (9, 9, 0, FORWARDER, 0)]);
        assert_eq!(found.held, [(5 * BLOCK, BlockPlace::Forward(9 * BLOCK))].into());
    }

    #[test]
    fn later_descriptors_count_and_overlays_grow() {
        let list =
            [(1, 0, 20, 0, 0), (1, 0, 21, 0, 0), (1, 0, 30, OVERLAY, 1), (1, 1, 31, OVERLAY, 6), (2, 0, 9, UNUSED, 0)];
        let found = table(&list);
        assert_eq!(found.held, [(BLOCK, BlockPlace::Store(21 * BLOCK))].into());
        assert_eq!(found.overlays, [(BLOCK, Overlay { at: 30 * BLOCK, sectors: 7 })].into());
    }
}
