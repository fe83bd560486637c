//! The log: whether its last record is that of an unmount.

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be32, byte, failure, read};
use pfh_bytes::node::Failure;

/// The first bytes of a record.
const RECORD: u32 = 0xfeed_babe;
/// The unit of the log.
const SECTOR: u64 = 512;
/// How far in front of the end a last record may begin: a record has 256 KiB at most, and headers.
const LONGEST: u64 = 2 << 20;
/// The flag of a record that is written when a volume is unmounted.
const UNMOUNT: u8 = 0x20;

/// A remark on the log of `length` bytes from `start` on, if it was not replayed: this crate
/// neither replays nor searches it.
pub fn remark(bytes: &dyn Bytes, start: u64, length: u64) -> Option<Failure> {
    let cause = match is_clean(bytes, start, length / SECTOR) {
        Ok(true) => return None,
        Ok(false) => "the log was not replayed: the state without it is read".to_owned(),
        Err(failed) => return Some(failure(failed.offset, format!("the log: {}", failed.cause))),
    };
    Some(failure(Some(start), cause))
}

/// The round in which a sector was written: it stands in its first bytes, or behind the magic.
fn cycle(raw: &[u8]) -> u32 {
    if be32(raw, 0) == RECORD { be32(raw, 4) } else { be32(raw, 0) }
}

/// Whether the last record is that of an unmount.
fn is_clean(bytes: &dyn Bytes, start: u64, sectors: u64) -> Result<bool, Failure> {
    let at = |sector: u64| read(bytes, start + sector * SECTOR, SECTOR as usize);
    if sectors == 0 {
        return Ok(false);
    }
    let first = cycle(&at(0)?);
    if first == 0 {
        // Nothing was ever written to it.
        return Ok(true);
    }
    // Behind the last sector of this round those of the round before follow.
    let (mut low, mut high) = (0, sectors);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if cycle(&at(middle)?) == first { low = middle } else { high = middle }
    }
    // The last record may begin in front of the end of the log.
    for back in 1..=(LONGEST / SECTOR).min(sectors) {
        let sector = (high + sectors - back) % sectors;
        let head = at(sector)?;
        if be32(&head, 0) != RECORD {
            continue;
        }
        // Headers of long records take a sector for each 32 KiB.
        let size = be32(&head, 320);
        let is_long = be32(&head, 8) & 2 != 0 && size > 32 << 10;
        let headers = if is_long { u64::from(size.div_ceil(32 << 10)).min(8) } else { 1 };
        let operation = at((sector + headers) % sectors)?;
        return Ok(be32(&head, 40) == 1 && byte(&operation, 9) & UNMOUNT != 0);
    }
    Ok(false)
}
