//! Checkpoints: two packs of blocks. The newest whole one states the state in force.

use super::superblock::{BLOCK, MAGIC, SEGMENT, Superblock, checksum};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, le16, le32, le64, read};
use pfh_bytes::node::Failure;

/// The last place of the checksum, and the first.
const LAST: usize = BLOCK as usize - 4;
const FIRST: usize = 192;
/// Flags: unmounted, orphans, compact summaries, made for a fast start, a checksum in front of the
/// maps' bits.
const UNMOUNTED: u32 = 1;
const ORPHANS: u32 = 2;
const COMPACT: u32 = 4;
const FAST_START: u32 = 0x20;
const LARGE: u32 = 0x400;
/// Where the journal of a summary begins, and its bytes.
const JOURNAL: usize = 3584;
const JOURNAL_SIZE: usize = 507;
/// Rows of journals.
const NAT_ROW: usize = 13;
const SIT_ROW: usize = 78;
/// Inodes in a block of orphans.
const ORPHANS_IN_BLOCK: usize = 1020;

/// The state in force.
pub struct Checkpoint {
    pub version: u64,
    /// Which copy of each block of the maps counts, a bit each.
    pub nat_bits: Vec<u8>,
    pub sit_bits: Vec<u8>,
    /// Rows that are newer than the maps: by number of a node, by number of a segment.
    pub nat_journal: Vec<(u32, [u32; 2])>,
    pub sit_journal: Vec<(u32, Vec<u8>)>,
    /// Inodes without a name that were open.
    pub orphans: Vec<u32>,
    pub warnings: Vec<Failure>,
}

/// A pack: its first block and the payload, where it begins, its version.
struct Pack {
    raw: Vec<u8>,
    start: u64,
    version: u64,
}

impl Pack {
    fn read(bytes: &dyn Bytes, superblock: &Superblock, start: u64) -> Result<Pack, Failure> {
        let raw = read(bytes, start * BLOCK, BLOCK as usize)?;
        let version = Self::check(&raw, start)?;
        let count = u64::from(le32(&raw, 136));
        if !(2..=SEGMENT * 4).contains(&count) || superblock.payload + 2 > count {
            return Err(failure(Some(start * BLOCK + 136), format!("a checkpoint of {count} blocks")));
        }
        let last = start + count - 1;
        let end = read(bytes, last * BLOCK, BLOCK as usize)?;
        if Self::check(&end, last)? != version {
            return Err(failure(Some(last * BLOCK), "a checkpoint that was written in part"));
        }
        let length = (1 + superblock.payload.min(count)) * BLOCK;
        let raw = read(bytes, start * BLOCK, length as usize)?;
        Ok(Pack { raw, start, version })
    }

    /// The version of a block whose checksum is right.
    fn check(raw: &[u8], block: u64) -> Result<u64, Failure> {
        let at = le32(raw, 164) as usize;
        if !(FIRST..=LAST).contains(&at) {
            return Err(failure(Some(block * BLOCK + 164), "a checkpoint whose checksum is nowhere"));
        }
        let mut sum = checksum(&raw[..at], MAGIC);
        if at < LAST {
            sum = checksum(&raw[at + 4..BLOCK as usize], sum);
        }
        if sum != le32(raw, at) {
            return Err(failure(Some(block * BLOCK), "the checksum of a checkpoint is wrong"));
        }
        Ok(le64(raw, 0))
    }
}

impl Checkpoint {
    /// The newer pack of those that are whole.
    pub fn read(bytes: &dyn Bytes, superblock: &Superblock) -> Result<Checkpoint, Failure> {
        let places = [superblock.checkpoints, superblock.checkpoints + SEGMENT];
        let [one, two] = places.map(|start| Pack::read(bytes, superblock, start));
        let mut warnings = Vec::new();
        let pack = match (one, two) {
            (Ok(one), Ok(two)) if two.version > one.version => two,
            (Ok(one), Ok(_)) => one,
            (Ok(whole), Err(failed)) | (Err(failed), Ok(whole)) => {
                let cause = format!("F2FS: {}: the other checkpoint is used, which may be older", failed.cause);
                warnings.push(Failure { cause, ..failed });
                whole
            }
            (Err(failed), Err(_)) => return Err(failed),
        };
        let (raw, start) = (&pack.raw, pack.start);
        let flags = le32(raw, 132);
        if flags & UNMOUNTED == 0 {
            let cause = "F2FS was not unmounted: writes since the last checkpoint are not replayed";
            warnings.push(failure(Some(start * BLOCK + 132), cause));
        }
        let [sit_size, nat_size] = [156, 160].map(|at| le32(raw, at) as usize);
        let bits = |from: usize, size: usize, what: &str| {
            let found = raw.get(from..from.saturating_add(size));
            let cause = format!("the versions of {what} do not fit in the checkpoint");
            found.map(<[u8]>::to_vec).ok_or_else(|| failure(Some(start * BLOCK + 156), cause))
        };
        let (sit_at, nat_at) = match superblock.payload {
            _ if flags & LARGE != 0 => (FIRST + 4 + nat_size, FIRST + 4),
            0 => (FIRST, FIRST + sit_size),
            _ => (BLOCK as usize, FIRST),
        };
        let mut checkpoint = Checkpoint {
            version: pack.version,
            nat_bits: bits(nat_at, nat_size, "nodes")?,
            sit_bits: bits(sit_at, sit_size, "segments")?,
            nat_journal: Vec::new(),
            sit_journal: Vec::new(),
            orphans: Vec::new(),
            warnings,
        };
        let (count, summaries) = (u64::from(le32(raw, 136)), u64::from(le32(raw, 140)));
        if summaries >= count {
            return Err(failure(Some(start * BLOCK + 140), "summaries behind the end of the checkpoint"));
        }
        // Of hot data, with the journal of nodes, and of cold data, with that of segments.
        let summary = |kind: u64| {
            // Those of nodes stand behind those of data if they were written too.
            let kinds = if flags & (UNMOUNTED | FAST_START) != 0 { 6 } else { 3 };
            let at = count.checked_sub(kinds + 1).map(|first| start + first + kind);
            let at = at.ok_or_else(|| failure(Some(start * BLOCK + 136), "a checkpoint without summaries"))?;
            let block = read(bytes, at * BLOCK, BLOCK as usize)?;
            Ok((block[JOURNAL..JOURNAL + JOURNAL_SIZE].to_vec(), at * BLOCK + JOURNAL as u64))
        };
        let (nat, sit) = if flags & COMPACT != 0 {
            let at = (start + summaries) * BLOCK;
            let block = read(bytes, at, BLOCK as usize)?;
            let (nat, rest) = block.split_at(JOURNAL_SIZE);
            ((nat.to_vec(), at), (rest[..JOURNAL_SIZE].to_vec(), at + JOURNAL_SIZE as u64))
        } else {
            (summary(0)?, summary(2)?)
        };
        let rows = |journal: &(Vec<u8>, u64), size: usize| {
            let count = usize::from(le16(&journal.0, 0));
            if 2 + count * size > JOURNAL_SIZE {
                return Err(failure(Some(journal.1), format!("a journal of {count} rows")));
            }
            Ok(journal.0[2..2 + count * size].to_vec())
        };
        for row in rows(&nat, NAT_ROW)?.chunks_exact(NAT_ROW) {
            checkpoint.nat_journal.push((le32(row, 0), [le32(row, 5), le32(row, 9)]));
        }
        for row in rows(&sit, SIT_ROW)?.chunks_exact(SIT_ROW) {
            checkpoint.sit_journal.push((le32(row, 0), row[4..].to_vec()));
        }
        if flags & ORPHANS != 0 {
            for block in 1 + superblock.payload..summaries {
                let raw = read(bytes, (start + block) * BLOCK, BLOCK as usize)?;
                let count = (le32(&raw, 4088) as usize).min(ORPHANS_IN_BLOCK);
                checkpoint.orphans.extend((0..count).map(|index| le32(&raw, 4 * index)));
            }
        }
        Ok(checkpoint)
    }
}
