//! The superblock of a container, as the newest whole checkpoint has it.

use std::sync::Arc;

use super::blocks::Blocks;
use super::object::{CHECKPOINT_MAP, HEADER, Object, SUPERBLOCK, checksum};
use crate::locked::Keybag;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, failure, is_at, le32, le64, read_some, uuid};
use pfh_bytes::node::Failure;

/// The most blocks of the area of checkpoints: 64 MiB with blocks of 4 KiB.
const MOST_CHECKPOINTS: u32 = 16 << 10;
/// The most volumes of a container.
const MOST_VOLUMES: usize = 100;

/// Incompatible features of a container.
const FUSION: u64 = 0x100;
const VERSION_2: u64 = 2;

/// A container, as far as it is read.
pub struct Superblock {
    /// The blocks of the container.
    pub blocks: Arc<Blocks>,
    /// The transaction of the checkpoint.
    pub transaction: u64,
    /// The container's UUID.
    pub id: String,
    /// The block of the map of objects.
    pub map: u64,
    /// The numbers of the volumes' superblocks.
    pub volumes: Vec<u64>,
    /// The block of the map of free space and its bytes, if the checkpoint has one.
    pub space: Option<(u64, u32)>,
    /// Where it keeps keys.
    pub keys: Keybag,
    /// Faults and states that an examiner must know.
    pub warnings: Vec<Failure>,
}

/// The result of looking for a superblock.
pub enum SuperblockSearch {
    /// There is none.
    Nothing,
    /// One of a container that is not read, with the reason.
    Unread(String),
    /// One of a container that is read.
    Superblock(Box<Superblock>),
}

/// Whether a container begins with these bytes.
pub fn is_container(head: &[u8]) -> bool {
    is_at(head, 32, b"NXSB")
}

/// The size of blocks that a superblock states, if it is valid.
pub fn block_size(head: &[u8]) -> Option<u64> {
    let size = le32(head, 36);
    (size.is_power_of_two() && (4096..=65536).contains(&size)).then_some(u64::from(size))
}

/// The checkpoints near the start that are whole, newest first: each may stand for a superblock
/// that is lost. Containers have them from block 1 on.
pub fn spares(bytes: &dyn Bytes) -> Vec<(u64, Vec<u8>)> {
    let near = (1..=8).map(|index| index * 4096);
    let mut found: Vec<(u64, Vec<u8>)> = near
        .filter_map(|offset| {
            let head = read_some(bytes, offset, 128).ok().filter(|head| is_container(head))?;
            let size = block_size(&head).filter(|size| offset.is_multiple_of(*size))?;
            let raw = read_some(bytes, offset, usize::try_from(size).ok()?).ok()?;
            (raw.len() as u64 == size && le64(&raw, 0) == checksum(&raw)).then_some((offset, raw))
        })
        .collect();
    found.sort_by_key(|(_, raw)| std::cmp::Reverse(le64(raw, 16)));
    found
}

/// Reads the superblock of the newest checkpoint that is whole.
pub fn read(bytes: &Arc<dyn Bytes>) -> Result<SuperblockSearch, Failure> {
    let head = read_some(&**bytes, 0, 4096)?;
    if !is_container(&head) {
        return Ok(SuperblockSearch::Nothing);
    }
    let wrong = |offset: u64, cause: &str| failure(Some(offset), format!("APFS: {cause}"));
    let size = block_size(&head).ok_or_else(|| wrong(36, "blocks of a size that there is not"))?;
    let blocks = Arc::new(Blocks::new(bytes.clone(), size, le64(&head, 40)));
    let first = blocks.object_of(0, SUPERBLOCK, "superblock of the container")?;
    if blocks.count > u64::MAX / size {
        return Err(wrong(40, "more blocks than any medium has"));
    }
    let incompatible = le64(&first.raw, 64);
    if incompatible & FUSION != 0 {
        return Ok(SuperblockSearch::Unread("APFS on a Fusion drive, which is two disks".to_owned()));
    }
    if incompatible & !VERSION_2 != 0 {
        return Ok(SuperblockSearch::Unread(format!("APFS with the unknown features {incompatible:#x}")));
    }
    let (count, base) = (le32(&first.raw, 104), le64(&first.raw, 112));
    if count >> 31 != 0 || le32(&first.raw, 108) >> 31 != 0 {
        return Ok(SuperblockSearch::Unread("APFS whose checkpoints are in several pieces".to_owned()));
    }
    if count > MOST_CHECKPOINTS || base.checked_add(u64::from(count)).is_none_or(|end| end > blocks.count) {
        return Err(wrong(104, "the area of checkpoints is outside of the container"));
    }
    newest(&blocks, first, (base, count)).map(|found| SuperblockSearch::Superblock(Box::new(found)))
}

/// The newest checkpoint among the blocks of the area, else the copy in block 0.
fn newest(blocks: &Arc<Blocks>, first: Object, area: (u64, u32)) -> Result<Superblock, Failure> {
    let mut warnings = Vec::new();
    let mut found: Vec<(u64, u32)> = Vec::new();
    for index in 0..area.1 {
        let block = area.0 + u64::from(index);
        let Ok(raw) = blocks.block(block) else {
            warnings.push(failure(Some(blocks.offset(block)), "APFS: a checkpoint cannot be read"));
            continue;
        };
        if is_container(&raw) && le32(&raw, 24) as u16 == SUPERBLOCK {
            match le64(&raw, 0) == checksum(&raw) {
                true => found.push((le64(&raw, 16), index)),
                false => {
                    warnings.push(failure(Some(blocks.offset(block)), "APFS: the checksum of a checkpoint is wrong"))
                }
            }
        }
    }
    found.sort_unstable();
    while let Some((_, index)) = found.pop() {
        let object = blocks.object(area.0 + u64::from(index))?;
        let offset = object.offset;
        match Superblock::new(blocks, object, area) {
            Ok(superblock) => {
                if superblock.transaction < first.transaction() {
                    warnings.push(failure(Some(offset), "APFS: the newest checkpoint is older than block 0"));
                }
                return Ok(Superblock { warnings, ..superblock });
            }
            Err(failed) => {
                let cause =
                    format!("APFS: the newest checkpoint is not whole ({}): an older one is used", failed.cause);
                warnings.push(failure(failed.offset, cause));
            }
        }
    }
    warnings.push(failure(Some(blocks.offset(area.0)), "APFS: no checkpoint is whole: block 0 is used"));
    let superblock = Superblock::of(blocks, &first);
    Ok(Superblock { warnings, ..superblock })
}

impl Superblock {
    /// The superblock of a checkpoint whose maps are whole.
    fn new(blocks: &Arc<Blocks>, object: Object, (base, count): (u64, u32)) -> Result<Superblock, Failure> {
        let wrong = |cause: &str| failure(Some(object.offset), cause.to_owned());
        let raw = &object.raw;
        if le64(raw, 40) != blocks.count || u64::from(le32(raw, 36)) != blocks.block_size {
            return Err(wrong("it has another size than block 0 states"));
        }
        let mut superblock = Superblock::of(blocks, &object);
        let (index, length) = (le32(raw, 136), le32(raw, 140));
        if index >= count || length > count || length == 0 {
            return Err(wrong("it is outside of its area"));
        }
        let space = le64(raw, 152);
        for step in 0..length {
            // The area is a ring.
            let block = base + u64::from((index + step) % count);
            let found = blocks.object(block)?;
            if found.offset == object.offset {
                continue;
            }
            if found.kind() != CHECKPOINT_MAP || found.transaction() != object.transaction() {
                return Err(failure(Some(found.offset), "a block of it is of another checkpoint"));
            }
            let most = (found.raw.len() - 40) / 40;
            let entries = found.raw[40..].chunks_exact(40).take(most.min(le32(&found.raw, 36) as usize));
            for entry in entries {
                if le64(entry, 24) == space {
                    superblock.space = Some((le64(entry, 32), le32(entry, 8)));
                }
            }
        }
        Ok(superblock)
    }

    fn of(blocks: &Arc<Blocks>, object: &Object) -> Superblock {
        let raw = &object.raw;
        let numbers = (0..MOST_VOLUMES).map(|index| le64(raw, 184 + 8 * index));
        Superblock {
            blocks: blocks.clone(),
            transaction: object.transaction(),
            id: uuid(array(raw, 72)),
            map: le64(raw, 160),
            volumes: numbers.filter(|&number| number != 0).collect(),
            space: None,
            keys: Keybag {
                container: array(raw, 72),
                block_size: blocks.block_size,
                block: le64(raw, 1296),
                count: le64(raw, 1304),
            },
            warnings: Vec::new(),
        }
    }
}

/// Blocks hold all fields that are read of a superblock.
const _: () = assert!(HEADER + 8 * MOST_VOLUMES < 4096);
