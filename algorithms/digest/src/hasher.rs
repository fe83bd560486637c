//! One message on its way to a digest.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::{Algorithm, Digest, Executor, KeyError, Output, State, UnitState, Value};

/// Hashes one message that comes in pieces. The digest depends on the bytes only, never on where
/// they were split.
pub struct Hasher {
    algorithm: Algorithm,
    pub(crate) state: Box<dyn State>,
    /// The state of the empty message, where the algorithm alone does not give it.
    empty: Option<Arc<dyn State>>,
}

impl Hasher {
    pub(crate) fn new(algorithm: Algorithm) -> Hasher {
        Hasher { algorithm, state: algorithm.state(), empty: None }
    }

    /// The algorithm that this hasher computes.
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

    /// The [`UnitState`] that takes in values of ranges that were hashed apart; `None` where every
    /// byte has to pass through this hasher.
    ///
    /// ```
    /// let blake3: pfh_digest::Algorithm = "blake3".parse()?;
    /// let message = vec![7; 1 << 20];
    /// let mut hasher = blake3.hasher();
    /// let units = hasher.apart().expect("a tree").units();
    /// let (first, rest) = message.split_at(units.length());
    /// hasher.update(first);
    /// let mut values = Vec::new();
    /// units.values(units.length() as u64, rest, &mut values);
    /// hasher.apart().expect("a tree").join(&values);
    /// assert_eq!(hasher.finalize(), blake3.digest(&message));
    /// # Ok::<(), pfh_digest::UnknownAlgorithm>(())
    /// ```
    pub fn apart(&mut self) -> Option<&mut dyn UnitState> {
        self.state.apart()
    }

    /// Ends the message.
    pub fn finalize(self) -> Digest {
        Digest::new(self.algorithm, self.state.finalize(self.algorithm.length()))
    }

    /// Ends the message with a digest of another length; `None` where the algorithm does not give
    /// that many bytes, and where an output of another length is another function (BLAKE2).
    ///
    /// ```
    /// let shake128: pfh_digest::Algorithm = "shake128".parse()?;
    /// let digest = shake128.hasher().finalize_to(4).expect("any length");
    /// assert_eq!(digest.to_string(), "7f9c2ba4");
    /// let sha256: pfh_digest::Algorithm = "sha256".parse()?;
    /// assert!(sha256.hasher().finalize_to(4).is_none());
    /// # Ok::<(), pfh_digest::UnknownAlgorithm>(())
    /// ```
    pub fn finalize_to(self, length: usize) -> Option<Digest> {
        let algorithm = self.algorithm.with_length(length)?;
        if algorithm.is_sized() && algorithm != self.algorithm {
            return None;
        }
        Some(Digest::new(algorithm, self.state.finalize(length)))
    }

    /// Ends the message with any number of bytes of output, also with more than a [`Digest`] may
    /// have; `None` where the algorithm has no output of any length.
    ///
    /// ```
    /// let shake128: pfh_digest::Algorithm = "shake128".parse()?;
    /// let output = shake128.hasher().output(100_000).expect("any length");
    /// assert_eq!(output.bytes()[..4], [0x7f, 0x9c, 0x2b, 0xa4]);
    /// # Ok::<(), pfh_digest::UnknownAlgorithm>(())
    /// ```
    pub fn output(self, length: usize) -> Option<Value> {
        let is_any = matches!(self.algorithm.output(), Output::Stated { .. }) && !self.algorithm.is_sized();
        is_any.then(|| self.state.finalize(length))
    }

    /// Forgets the message so far.
    pub fn reset(&mut self) {
        self.state = self.empty.as_ref().map_or_else(|| self.algorithm.state(), |empty| empty.duplicate());
    }
}

impl Clone for Hasher {
    fn clone(&self) -> Hasher {
        Hasher { algorithm: self.algorithm, state: self.state.duplicate(), empty: self.empty.clone() }
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

    /// A hasher under a key, which is gone with the hasher's last copy. An algorithm without keys
    /// has its plain hasher.
    ///
    /// # Errors
    /// For an empty key, and one of a length that the algorithm does not take.
    pub fn hasher_under(self, key: &[u8]) -> Result<Hasher, KeyError> {
        let Some(state) = self.state_under(key)? else { return Ok(self.hasher()) };
        Ok(Hasher { algorithm: self, state: state.duplicate(), empty: Some(state.into()) })
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
