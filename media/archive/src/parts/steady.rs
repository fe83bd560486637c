//! A decoder that is always asked for the same bytes, however much its reader wants: a decoder that
//! fails in the middle of a request keeps what it had of it, and where a stream ends must not
//! depend on who reads it.

use crate::crew::CrewStream;
use std::io::{self, Read};

/// Bytes of a request.
pub const REQUEST: usize = 64 << 10;

/// Opens the stream at its start, for one decoder.
pub type OpenAgain = Box<dyn Fn() -> io::Result<CrewStream> + Send>;

/// A decoder behind requests of one size.
pub struct Steady {
    of: CrewStream,
    /// Whom to ask in its place when it fails.
    again: Option<OpenAgain>,
    /// Bytes of the requests that were answered.
    answered: u64,
    held: Vec<u8>,
    /// Which of those held are to be given.
    from: usize,
    to: usize,
    error: Option<io::Error>,
    is_over: bool,
}

impl Steady {
    /// Requests to this decoder.
    pub fn new(of: CrewStream) -> Steady {
        let (held, again, error) = (Vec::new(), None, None);
        Steady { of, again, answered: 0, held, from: 0, to: 0, error, is_over: false }
    }

    /// Requests to this decoder. When it fails, nothing of that request is given: the stream is
    /// read again from its start by the decoder that `again` opens.
    pub fn or(of: CrewStream, again: OpenAgain) -> Steady {
        Steady { again: Some(again), ..Steady::new(of) }
    }

    /// One request into `buffer`: how many bytes came. An error is given with the next one.
    fn request(&mut self, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while done < buffer.len() && !self.is_over {
            match self.of.read(&mut buffer[done..]) {
                Ok(0) => self.is_over = true,
                Ok(got) => done += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => match self.again.take() {
                    Some(again) => {
                        done = 0;
                        self.go_back(&again, buffer);
                    }
                    None => (self.is_over, self.error) = (true, Some(error)),
                },
            }
        }
        self.answered += done as u64;
        done
    }

    /// Goes on with another decoder, behind the requests that were answered.
    fn go_back(&mut self, again: &OpenAgain, buffer: &mut [u8]) {
        match again() {
            Ok(of) => self.of = of,
            Err(error) => (self.is_over, self.error) = (true, Some(error)),
        }
        let to = std::mem::take(&mut self.answered);
        while self.answered < to && !self.is_over {
            self.request(buffer);
        }
    }
}

impl Read for Steady {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.from == self.to && !buffer.is_empty() {
            if !self.is_over && buffer.len() >= REQUEST {
                let got = self.request(&mut buffer[..REQUEST]);
                if got > 0 {
                    return Ok(got);
                }
            } else if !self.is_over {
                let mut held = std::mem::take(&mut self.held);
                held.resize(REQUEST, 0);
                (self.from, self.to) = (0, self.request(&mut held));
                self.held = held;
            }
            if let Some(error) = self.error.take_if(|_| self.from == self.to) {
                return Err(error);
            }
        }
        let given = (self.to - self.from).min(buffer.len());
        buffer[..given].copy_from_slice(&self.held[self.from..self.from + given]);
        self.from += given;
        Ok(given)
    }
}
