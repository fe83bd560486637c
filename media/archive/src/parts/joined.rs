//! The parts of a stream, decoded side by side and read in their order.

use super::flow::Flow;
use super::part::{ENOUGH, Part, Parts, Sum};
use crate::crew::{Crew, DecodedBytes, Open, Pending, Rest};
use std::collections::VecDeque;
use std::hash::Hasher as _;
use std::io::{self, Read};
use std::sync::Arc;
use twox_hash::XxHash32;

/// A part that is being decoded.
struct Flying {
    pending: Pending,
    size: Option<u64>,
    sum: Sum,
}

/// The part at hand.
struct Current {
    bytes: Box<dyn AsRef<[u8]> + Send>,
    given: usize,
    rest: Rest,
    /// Bytes that it must still give.
    left: Option<u64>,
    sum: Sum,
}

/// The stream. An error says that something is not as expected; what it is, one decoder of the
/// whole has to say.
pub struct JoinedStream {
    crew: Arc<dyn Crew>,
    parts: Option<Parts>,
    /// Whether the parts are all of the stream, as far as is known.
    is_cut: bool,
    /// A part for which there was no memory.
    held: Option<Part>,
    flying: VecDeque<Flying>,
    current: Option<Current>,
    sum: XxHash32,
}

impl JoinedStream {
    /// These parts.
    pub fn new(crew: Arc<dyn Crew>, parts: Parts) -> JoinedStream {
        let (flying, parts) = (VecDeque::new(), Some(parts));
        JoinedStream { crew, parts, is_cut: true, held: None, flying, current: None, sum: XxHash32::with_seed(0) }
    }

    /// Has parts decoded, as many as there are threads and memory for.
    fn send(&mut self) {
        while self.flying.len() < self.crew.width() {
            let next = self.held.take().map(Ok).or_else(|| self.parts.as_mut().and_then(Iterator::next));
            let Part { size, most, window, open, sum } = match next {
                Some(Ok(part)) => part,
                Some(Err(_)) => {
                    (self.parts, self.is_cut) = (None, false);
                    return;
                }
                None => {
                    self.parts = None;
                    return;
                }
            };
            match self.begin(size.or(most), window, open) {
                Ok(pending) => self.flying.push_back(Flying { pending, size, sum }),
                Err(open) if self.flying.is_empty() => {
                    let pending: Pending = Box::new(|| DecodedBytes {
                        bytes: Box::new([]),
                        rest: open().map_or_else(Rest::Failed, Rest::More),
                    });
                    self.flying.push_back(Flying { pending, size, sum });
                    return;
                }
                Err(open) => {
                    self.held = Some(Part { size, most, window, open, sum });
                    return;
                }
            }
        }
    }

    /// Has a part decoded that gives no more than `most` bytes, if that is known: whole, or as much
    /// of it as there is memory for.
    fn begin(&self, most: Option<u64>, window: u64, mut open: Open) -> Result<Pending, Open> {
        let share = (self.crew.memory() / self.crew.width().max(1))
            .saturating_sub(usize::try_from(window).unwrap_or(usize::MAX));
        // A byte more than it has shows that it ends.
        let whole = usize::try_from(most.unwrap_or(2 * ENOUGH)).unwrap_or(usize::MAX).saturating_add(1);
        let mut most = whole.min(share.max(ENOUGH as usize));
        loop {
            open = match self.crew.begin(most, window, open) {
                Ok(pending) => return Ok(pending),
                Err(open) if most as u64 > ENOUGH => open,
                Err(open) => return Err(open),
            };
            most /= 2;
        }
    }

    /// The bytes of the part at hand, 0 at its end; `None` if it is not as expected.
    fn read_part(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let current = self.current.as_mut()?;
        let ready = (*current.bytes).as_ref().get(current.given..).unwrap_or_default();
        let got = ready.len().min(buffer.len());
        buffer[..got].copy_from_slice(&ready[..got]);
        current.given += got;
        let got = match &mut current.rest {
            _ if got > 0 => got,
            Rest::Ended => 0,
            Rest::More(reader) => loop {
                match reader.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read.ok()?,
                }
            },
            Rest::Failed(_) => return None,
        };
        if let Some(left) = &mut current.left {
            *left = left.checked_sub(got as u64).filter(|left| got > 0 || *left == 0)?;
        }
        Some(got)
    }

    /// Whether the checksum behind a part holds, if there is one.
    fn holds(&mut self, sum: Sum) -> bool {
        let Sum::Ends(stated) = sum else { return true };
        std::mem::replace(&mut self.sum, XxHash32::with_seed(0)).finish_32() == stated
    }
}

impl Read for JoinedStream {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let unsound = || Err(io::ErrorKind::InvalidData.into());
        loop {
            if self.current.is_some() {
                match self.read_part(buffer) {
                    Some(0) => {
                        let sum = self.current.take().map_or(Sum::None, |current| current.sum);
                        if !self.holds(sum) {
                            return unsound();
                        }
                    }
                    Some(got) => {
                        if self.current.as_ref().is_some_and(|current| current.sum != Sum::None) {
                            self.sum.write(&buffer[..got]);
                        }
                        return Ok(got);
                    }
                    None => return unsound(),
                }
            }
            self.send();
            let Some(Flying { pending, size, sum }) = self.flying.pop_front() else {
                return if self.is_cut { Ok(0) } else { unsound() };
            };
            // Others decode the parts behind it meanwhile.
            let DecodedBytes { bytes, mut rest } = pending();
            if let Rest::More(reader) = rest {
                rest = Rest::More(Box::new(Flow::going(self.crew.clone(), reader)));
            }
            self.current = Some(Current { bytes, given: 0, rest, left: size, sum });
        }
    }
}
