//! The records of a manifest as they are written: a seal signs them, and not the file that may lie
//! under the name afterwards.

use super::{Seal, SealError};
use pfh_digest::Registry;
use pfh_manifest::Options;
use std::io::{self, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Pieces that wait for the thread at most.
const WAITING: usize = 4;

/// Reads the bytes of a manifest while they are written, on a thread of its own.
pub struct Witness {
    pieces: Option<SyncSender<Vec<u8>>>,
    thread: JoinHandle<Result<Seal, SealError>>,
}

/// The bytes that were handed over, as a file.
struct HandedBytes {
    pieces: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for HandedBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            match self.pieces.recv() {
                Ok(piece) => (self.piece, self.at) = (piece, 0),
                Err(_) => return Ok(0),
            }
        }
        let got = buffer.len().min(self.piece.len() - self.at);
        buffer[..got].copy_from_slice(&self.piece[self.at..self.at + got]);
        self.at += got;
        Ok(got)
    }
}

impl Witness {
    /// Begins to read a manifest that is about to be written.
    pub fn begin(options: Options, registry: Registry) -> Witness {
        let (pieces, receiver) = sync_channel(WAITING);
        let handed = HandedBytes { pieces: receiver, piece: Vec::new(), at: 0 };
        let thread =
            std::thread::spawn(move || Seal::of(BufReader::with_capacity(1 << 16, handed), &options, registry));
        Witness { pieces: Some(pieces), thread }
    }

    /// Takes the next bytes.
    pub fn see(&mut self, bytes: &[u8]) {
        // A thread that met a line which is not a record listens no more; its error is the seal's.
        if let Some(pieces) = &self.pieces {
            let _ = pieces.send(bytes.to_vec());
        }
    }

    /// The seal of all bytes, not signed.
    ///
    /// # Errors
    /// Lines that are not records.
    pub fn end(mut self) -> Result<Seal, SealError> {
        self.pieces = None;
        self.thread.join().unwrap_or_else(|_| Err(SealError::Io(io::Error::other("a thread panicked"))))
    }
}
