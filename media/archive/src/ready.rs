//! Decoded bytes that were not read yet.

use std::io;

/// Bytes that are decoded ahead of a reader's request, at most.
const AHEAD: usize = 4096;

/// Bytes that a decoder put out and its reader did not take yet.
#[derive(Default)]
pub struct ReadyBytes {
    /// All since the last time that everything was taken; decoders append to it.
    pub bytes: Vec<u8>,
    taken: usize,
}

impl ReadyBytes {
    /// Whether more is to be decoded for a reader of that many bytes.
    fn wants(&self, most: usize) -> bool {
        self.bytes.len() - self.taken < most.min(AHEAD)
    }

    /// Moves bytes into the buffer.
    fn take(&mut self, buffer: &mut [u8]) -> usize {
        let got = (self.bytes.len() - self.taken).min(buffer.len());
        buffer[..got].copy_from_slice(&self.bytes[self.taken..self.taken + got]);
        self.taken += got;
        got
    }
}

/// A decoder that works in steps.
pub trait Steps {
    /// Its output.
    fn ready(&mut self) -> &mut ReadyBytes;

    /// Decodes a little more; whether there may be more behind it.
    ///
    /// # Errors
    /// Those of the input, and contradictions in it.
    fn step(&mut self) -> io::Result<bool>;
}

/// Reads from a decoder that works in steps.
///
/// # Errors
/// The decoder's.
pub fn read(decoder: &mut impl Steps, buffer: &mut [u8]) -> io::Result<usize> {
    let ready = decoder.ready();
    if ready.taken == ready.bytes.len() {
        ready.bytes.clear();
        ready.taken = 0;
    }
    while decoder.ready().wants(buffer.len()) && decoder.step()? {}
    Ok(decoder.ready().take(buffer))
}
