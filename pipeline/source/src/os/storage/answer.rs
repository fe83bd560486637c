//! Whole answers, in as much room as they take.

use super::asks::{Asks, Fault};
use super::{bytes, code, error};

/// The longest answer that is taken.
pub(super) const MOST: usize = 64 << 10;

/// An answer in as much room as it takes: from `room` on, doubled while the system says that more
/// is needed.
pub(super) fn whole(asks: &dyn Asks, code: u32, input: &[u8], mut room: usize) -> Result<Vec<u8>, Fault> {
    loop {
        match asks.ask(code, input, room) {
            Err(error::MORE_DATA | error::INSUFFICIENT_BUFFER) if room < MOST => room = (room * 2).min(MOST),
            other => return Ok(other?),
        }
    }
}

/// A property of a device (STORAGE_PROPERTY_QUERY, PropertyStandardQuery), without the bytes behind
/// the size that it states.
pub(super) fn property(asks: &dyn Asks, id: u32) -> Result<Vec<u8>, Fault> {
    // The third number stands for `AdditionalParameters`, which is not used.
    let query: Vec<u8> = [id, 0, 0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut room = 1024;
    loop {
        let mut answer = whole(asks, code::STORAGE_QUERY_PROPERTY, &query, room)?;
        let size = bytes::u32_at(&answer, 4, "the size of a property")? as usize;
        if !(8..=MOST).contains(&size) {
            return Err(Fault::Answer("the size of a property"));
        }
        if size <= answer.len() {
            answer.truncate(size);
            return Ok(answer);
        }
        // It was cut to the room that it had.
        if size <= room {
            return Err(Fault::Answer("a property, which is shorter than it states"));
        }
        room = size;
    }
}
