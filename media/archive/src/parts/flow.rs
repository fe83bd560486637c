//! A stream that cannot be cut: one thread decodes it while another one reads what came out.

use super::steady::{REQUEST, Steady};
use crate::crew::{Crew, CrewStream, DecodedBytes, Hands, Pending, Rest};
use std::io::{self, Read};
use std::sync::Arc;

/// Bytes that are decoded at once.
const PIECE: usize = 16 * REQUEST;

/// A stream that cannot be cut, by one thread beside the one that reads it.
pub fn beside(decoder: CrewStream, hands: &Hands) -> CrewStream {
    let steady = Steady::new(decoder);
    match hands.get() {
        Some(crew) => Box::new(Flow::new(crew.clone(), steady)),
        None => Box::new(steady),
    }
}

/// A stream whose start another thread has decoded.
pub fn resumed(crew: Arc<dyn Crew>, start: DecodedBytes) -> CrewStream {
    let mut flow = Flow::new(crew, io::empty());
    flow.first = PIECE;
    flow.crew.alone(true, 0);
    flow.go_on(start);
    Box::new(flow)
}

/// Where the decoder is.
enum State {
    Here(CrewStream),
    Ahead(Pending),
    Failed(io::Error),
    Ended,
}

/// The stream.
pub struct Flow {
    crew: Arc<dyn Crew>,
    state: State,
    bytes: Option<Box<dyn AsRef<[u8]> + Send>>,
    given: usize,
    /// Bytes that were given before another thread is asked: most streams are short.
    first: usize,
    /// Whether the crew counts it: a stream, and not the rest of a part of one.
    counts: bool,
}

impl Flow {
    /// The bytes of this decoder.
    pub fn new(crew: Arc<dyn Crew>, decoder: impl Read + Send + 'static) -> Flow {
        Flow { crew, state: State::Here(Box::new(decoder)), bytes: None, given: 0, first: 0, counts: true }
    }

    /// The same of a decoder that has given many bytes already.
    pub fn going(crew: Arc<dyn Crew>, decoder: CrewStream) -> Flow {
        let mut flow = Flow { crew, state: State::Ended, bytes: None, given: 0, first: PIECE, counts: false };
        flow.send(decoder);
        flow
    }

    /// Counts bytes that were decoded; a stream that others could decode ahead, once.
    fn count(&mut self, got: usize) {
        let (was, first) = (self.first >= PIECE, self.first.saturating_add(got));
        self.first = first;
        match (was, first >= PIECE) {
            _ if !self.counts => {}
            (false, true) => self.crew.alone(true, first as u64),
            (true, _) => self.crew.alone(false, got as u64),
            (false, false) => {}
        }
    }

    /// Takes what was decoded, and has the next bytes decoded.
    fn go_on(&mut self, DecodedBytes { bytes, rest }: DecodedBytes) {
        self.count((*bytes).as_ref().len());
        (self.bytes, self.given) = (Some(bytes), 0);
        match rest {
            Rest::More(decoder) => self.send(decoder),
            Rest::Failed(error) => self.state = State::Failed(error),
            Rest::Ended => self.state = State::Ended,
        }
    }

    /// Has the next bytes decoded ahead, if there is memory.
    fn send(&mut self, decoder: CrewStream) {
        self.state = match self.crew.begin(PIECE, 0, Box::new(|| Ok(decoder))) {
            Ok(pending) => State::Ahead(pending),
            // It holds the decoder, and fails with nothing.
            Err(open) => open().map_or_else(State::Failed, State::Here),
        };
    }
}

impl Read for Flow {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(bytes) = &self.bytes {
                let rest = (**bytes).as_ref().get(self.given..).unwrap_or_default();
                if !rest.is_empty() || buffer.is_empty() {
                    let got = rest.len().min(buffer.len());
                    buffer[..got].copy_from_slice(&rest[..got]);
                    self.given += got;
                    return Ok(got);
                }
                self.bytes = None;
            }
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Failed(error) => return Err(error),
                State::Here(mut decoder) => {
                    let read = decoder.read(buffer);
                    self.count(*read.as_ref().unwrap_or(&0));
                    match &read {
                        Ok(0) => {}
                        Ok(_) if self.first >= PIECE => self.send(decoder),
                        _ => self.state = State::Here(decoder),
                    }
                    return read;
                }
                State::Ahead(pending) => self.go_on(pending()),
            }
        }
    }
}
