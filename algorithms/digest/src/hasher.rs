//! One message on its way to a digest.

use std::fmt;
use std::io;

use crate::{Algorithm, Digest, Executor, State};

/// Hashes one message that comes in pieces. The digest depends on the bytes only, never on where
/// they were split.
pub struct Hasher {
    algorithm: Algorithm,
    pub(crate) state: Box<dyn State>,
}

impl Hasher {
    pub(crate) fn new(algorithm: Algorithm) -> Hasher {
        Hasher { algorithm, state: algorithm.state() }
    }

    /// What this hasher computes.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes in the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    /// As [`update`](Hasher::update) with one of the consecutive pieces after the other, with the
    /// help of `executor` where the algorithm is a tree and the pieces together are long.
    pub fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        self.state.update_on(pieces, executor);
    }

    /// Whether [`update_on`](Hasher::update_on) has work for an executor: the algorithm is a tree.
    pub fn divides(&self) -> bool {
        self.state.divides()
    }

    /// Ends the message.
    pub fn finalize(self) -> Digest {
        Digest::new(self.algorithm, self.state.finalize(self.algorithm.length()))
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        *self = Hasher::new(self.algorithm);
    }
}

impl Clone for Hasher {
    fn clone(&self) -> Hasher {
        Hasher { algorithm: self.algorithm, state: self.state.duplicate() }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

/// Every write succeeds in full.
impl io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Algorithm {
    /// A hasher that has seen nothing yet.
    pub fn hasher(self) -> Hasher {
        Hasher::new(self)
    }

    /// The digest of one whole message.
    pub fn digest(self, message: &[u8]) -> Digest {
        if let Some(whole) = self.whole() {
            return Digest::new(self, whole(message, self.length()));
        }
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finalize()
    }
}
