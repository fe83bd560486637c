//! The threads that decode, as readers of compressed streams see them.

use super::decoders::{Decoders, Room};
use super::shelf::{Buffer, Shelf, fill};
use pfh_archive::{Crew, DecodedBytes, Open, Pending, Rest};
use std::sync::Arc;

/// The first bytes of a buffer, and the memory that they take.
struct FilledBuffer(Buffer, usize, #[expect(dead_code, reason = "held")] Room);

impl AsRef<[u8]> for FilledBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes()[..self.1]
    }
}

impl Crew for Decoders {
    fn width(&self) -> usize {
        self.threads()
    }

    fn memory(&self) -> usize {
        Decoders::memory(self)
    }

    fn alone(&self, is_new: bool, bytes: u64) {
        if is_new {
            Decoders::alone(self).stream();
        }
        Decoders::alone(self).bytes(bytes);
    }

    fn begin(&self, most: usize, window: u64, open: Open) -> Result<Pending, Open> {
        let bytes = usize::try_from(window).ok().and_then(|window| window.checked_add(most));
        let Some(room) = bytes.and_then(|bytes| self.room(bytes)) else { return Err(open) };
        let shelf = self.shelf().clone();
        let ticket = Decoders::begin(self, move || decode(most, open, &shelf, room));
        Ok(Box::new(move || ticket.wait()))
    }
}

fn decode(most: usize, open: Open, shelf: &Arc<Shelf>, room: Room) -> DecodedBytes {
    let (mut buffer, mut got) = (shelf.take(most), 0);
    let into = buffer.bytes_mut().get_mut(..most).unwrap_or_default();
    let read = open().and_then(|mut reader| fill(&mut reader, into, &mut got).map(|()| reader));
    let rest = match read {
        Ok(_) if got < most => Rest::Ended,
        Ok(reader) => Rest::More(reader),
        Err(error) => Rest::Failed(error),
    };
    DecodedBytes { bytes: Box::new(FilledBuffer(buffer, got, room)), rest }
}
