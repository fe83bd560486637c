//! A long content that is decoded in pieces, by several threads ahead of the one that reads it.

use super::clock::{Clock, TimedReader};
use super::decoders::{Decoders, Room, Ticket};
use super::shelf::{Buffer, fill};
use pfh_source::{Lender, Loan};
use pfh_volume::{Content, Failure};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

/// Bytes of a piece: a multiple of the blocks of all formats but a few.
const PIECE: u64 = 1 << 20;

/// The bytes of a piece, and the memory for them that all share.
struct Load(Buffer, Option<Room>);

impl AsRef<[u8]> for Load {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// A decoded piece.
struct Piece {
    bytes: Arc<Load>,
    /// How many of them were decoded.
    length: usize,
    /// The content behind the last one: nothing, unless it is longer than it says.
    rest: Option<Box<dyn Read + Send>>,
    /// The error that ended it early.
    error: Option<io::Error>,
    /// Whether the content ended in it, in front of its end.
    is_short: bool,
}

/// A content of a size that is known, from an offset on.
pub struct Ahead {
    content: Arc<dyn Content>,
    clock: Arc<Clock>,
    decoders: Arc<Decoders>,
    size: u64,
    /// Where the next piece begins that nobody decodes yet.
    next: u64,
    flying: VecDeque<Ticket<Piece>>,
    piece: Option<Piece>,
    given: usize,
    is_broken: bool,
}

/// Whether pieces of a content of this size are worth it.
pub fn is_long(size: u64) -> bool {
    size > PIECE
}

impl Ahead {
    /// The content from an offset on; `None` if it cannot be opened anywhere.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn open(
        content: &Arc<dyn Content>,
        (offset, size): (u64, u64),
        clock: &Arc<Clock>,
        decoders: &Arc<Decoders>,
    ) -> Result<Option<Ahead>, Failure> {
        if content.open_at(offset)?.is_none() {
            return Ok(None);
        }
        let (content, clock, decoders) = (content.clone(), clock.clone(), decoders.clone());
        let (flying, piece, given, is_broken) = (VecDeque::new(), None, 0, false);
        Ok(Some(Ahead { content, clock, decoders, size, next: offset, flying, piece, given, is_broken }))
    }

    /// Goes on to the next piece behind the last byte of one. Whether there is a byte of a piece;
    /// else the end, an error or bytes behind the last piece follow.
    fn turn(&mut self) -> bool {
        loop {
            if let Some(piece) = &self.piece {
                if self.given < piece.length {
                    return true;
                }
                if piece.error.is_some() || piece.rest.is_some() || piece.is_short {
                    return false;
                }
            }
            self.piece = None;
            self.send();
            let Some(ticket) = self.flying.pop_front() else { return false };
            // Others decode the pieces behind it meanwhile.
            self.send();
            (self.piece, self.given) = (Some(ticket.wait()), 0);
        }
    }

    /// Hands out pieces, as many as there are threads and memory for.
    fn send(&mut self) {
        while self.next < self.size && self.flying.len() < self.decoders.threads() {
            let from = self.next;
            let end = (from / PIECE + 1).saturating_mul(PIECE).min(self.size);
            let room = self.decoders.room((end - from) as usize);
            // One goes on without: it is what would be read anyway.
            if room.is_none() && !self.flying.is_empty() {
                return;
            }
            let (content, clock, is_last) = (self.content.clone(), self.clock.clone(), end == self.size);
            let bytes = self.decoders.shelf().take((end - from) as usize);
            self.flying
                .push_back(self.decoders.begin(move || decode(&content, &clock, from..end, is_last, (bytes, room))));
            self.next = end;
        }
    }
}

/// The bytes of a range; behind the last one the content goes on to its own end.
fn decode(
    content: &Arc<dyn Content>,
    clock: &Arc<Clock>,
    range: std::ops::Range<u64>,
    is_last: bool,
    (mut bytes, room): (Buffer, Option<Room>),
) -> Piece {
    let most = (range.end - range.start) as usize;
    let mut length = 0;
    let mut read = || -> io::Result<Option<Box<dyn Read + Send>>> {
        clock.check().map_err(io::Error::other)?;
        let reader = clock.during(|| {
            let opened = content.open_at(range.start).map_err(failed)?;
            let mut reader = opened.ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
            fill(&mut reader, bytes.bytes_mut().get_mut(..most).unwrap_or_default(), &mut length).map(|()| reader)
        })?;
        Ok(is_last.then(|| Box::new(TimedReader { reader, clock: clock.clone() }) as Box<dyn Read + Send>))
    };
    let (rest, error) = match read() {
        Ok(rest) => (rest, None),
        Err(error) => (None, Some(error)),
    };
    let is_short = error.is_none() && length < most;
    Piece { bytes: Arc::new(Load(bytes, room)), length, rest, error, is_short }
}

fn failed(failure: Failure) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, failure)
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_broken {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a piece in front of this one could not be read"));
        }
        if buffer.is_empty() {
            return Ok(0);
        }
        let is_more = self.turn();
        let Some(piece) = &mut self.piece else { return Ok(0) };
        if is_more {
            let part = piece.bytes.0.bytes().get(self.given..piece.length).unwrap_or_default();
            let got = part.len().min(buffer.len());
            buffer[..got].copy_from_slice(&part[..got]);
            self.given += got;
            return Ok(got);
        }
        if let Some(error) = piece.error.take() {
            self.is_broken = true;
            self.flying.clear();
            return Err(error);
        }
        piece.rest.as_mut().map_or(Ok(0), |rest| rest.read(buffer))
    }
}

impl Lender for Ahead {
    fn lend(&mut self, most: usize) -> Option<Loan> {
        if self.is_broken || !self.turn() {
            return None;
        }
        // Memory that nobody counts is used again at once.
        let piece = self.piece.as_ref().filter(|piece| piece.bytes.1.is_some())?;
        let part = Loan::new(piece.bytes.clone(), self.given..piece.length).take(most);
        self.given += part.len();
        Some(part)
    }
}
