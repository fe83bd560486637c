//! The journal: whether it holds blocks that were not written to their places yet.

use super::fork::Blocks;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{array, be32, be64, failure, read};
use pfh_bytes::node::Failure;

/// Where the journal is, as the block that leads to it says.
const IN_VOLUME: u32 = 1;
const ELSEWHERE: u32 = 2;
const TO_BE_MADE: u32 = 4;

/// Bytes of the header that its checksum covers, and the place of the checksum.
const CHECKED: usize = 44;
const CHECKSUM: usize = 36;

/// A remark on the journal whose place this block states; `None` if there is nothing in it.
pub fn remark(bytes: &dyn Bytes, blocks: Blocks, block: u32) -> Option<Failure> {
    let at = blocks.offset(u64::from(block));
    let unknown = |failed: &Failure| {
        let cause = format!("whether the journal was replayed is not known: {}", failed.cause);
        failure(failed.offset, cause)
    };
    state(bytes, blocks, at).unwrap_or_else(|failed| Some(unknown(&failed)))
}

fn state(bytes: &dyn Bytes, blocks: Blocks, at: u64) -> Result<Option<Failure>, Failure> {
    let info = read(bytes, at, 52)?;
    let flags = be32(&info, 0);
    if flags & TO_BE_MADE != 0 {
        return Ok(None);
    }
    if flags & (IN_VOLUME | ELSEWHERE) != IN_VOLUME {
        return Err(failure(Some(at), "it is on another device"));
    }
    let place = blocks.base.saturating_add(be64(&info, 36));
    if place.saturating_add(CHECKED as u64) > blocks.end() {
        return Err(failure(Some(at), "it is outside of the volume"));
    }
    let mut head = read(bytes, place, CHECKED)?;
    // In the order of bytes of the processor that wrote it.
    let (is_big, is_little) = (head.starts_with(b"JNLx\x124Vx"), head.starts_with(b"xLNJxV4\x12"));
    if !is_big && !is_little {
        return Err(failure(Some(place), "its header has no magic"));
    }
    let stated: [u8; 4] = array(&head, CHECKSUM);
    head[CHECKSUM..CHECKSUM + 4].fill(0);
    let sum = checksum(&head);
    if stated != (if is_big { sum.to_be_bytes() } else { sum.to_le_bytes() }) {
        return Err(failure(Some(place), "the checksum of its header is wrong"));
    }
    let is_empty = head[8..16] == head[16..24];
    let cause = "the journal was not replayed: the state without it is read";
    Ok((!is_empty).then(|| failure(Some(place), cause)))
}

/// The checksum of the journal's structures.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(0_u32, |sum, &byte| (sum << 8) ^ sum.wrapping_add(u32::from(byte)))
}
