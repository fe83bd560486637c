//! The value that a hasher gives.

use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher as StdHasher};

use crate::value::{INLINE, Value};
use crate::{Algorithm, Output, hex};

/// A digest: the value of one complete message under one algorithm.
///
/// Digests are equal when algorithm, length and value are, and sort in that order. The comparison
/// takes a time that depends on the values; where an answer must be kept from an adversary, compare
/// in constant time.
#[derive(Clone)]
pub struct Digest {
    algorithm: &'static Algorithm,
    value: Value,
}

impl Digest {
    /// A digest that is still to be written into its [`place`](Digest::place), for values of at
    /// most [`INLINE`] bytes.
    pub(crate) fn blank(algorithm: Algorithm) -> Digest {
        Digest { algorithm: algorithm.shared(), value: Value::blank(algorithm.length()) }
    }

    /// Where the bytes of a value of at most [`INLINE`] bytes stand.
    #[inline]
    pub(crate) fn place(&mut self) -> Option<&mut [u8; INLINE]> {
        self.value.place()
    }

    pub(crate) fn new(algorithm: Algorithm, value: Value) -> Digest {
        debug_assert!(fits(algorithm, &value), "{algorithm} gave a value of another form");
        Digest { algorithm: algorithm.shared(), value }
    }

    /// A digest that was stored as bytes. An error for another number of bytes than the algorithm
    /// gives, and for algorithms whose digests are text.
    pub fn from_bytes(algorithm: Algorithm, bytes: &[u8]) -> Result<Digest, MalformedDigest> {
        Digest::checked(algorithm, Value::from_bytes(bytes))
    }

    /// Reads hexadecimal digits of either case, two per byte, nothing between them.
    pub fn from_hex(algorithm: Algorithm, digits: &str) -> Result<Digest, MalformedDigest> {
        let error = || MalformedDigest { algorithm };
        let digits = digits.as_bytes();
        if !digits.len().is_multiple_of(2) || digits.len() / 2 != algorithm.length() {
            return Err(error());
        }
        Digest::checked(algorithm, Value::from_bytes(&hex::decode(digits).ok_or_else(error)?))
    }

    /// Reads the form that [`Display`](fmt::Display) prints: hexadecimal digits, or the text of a
    /// similarity digest.
    pub fn parse(algorithm: Algorithm, text: &str) -> Result<Digest, MalformedDigest> {
        match (algorithm.output(), algorithm.row().parse) {
            (Output::Text, Some(parse)) => {
                Digest::checked(algorithm, parse(text).ok_or(MalformedDigest { algorithm })?)
            }
            (Output::Text, None) => Digest::checked(algorithm, Value::from_text(text)),
            _ => Digest::from_hex(algorithm, text),
        }
    }

    /// A digest of an existing value, computed elsewhere or read. An error for a value of another
    /// form than the algorithm gives.
    pub fn from_value(algorithm: Algorithm, value: Value) -> Result<Digest, MalformedDigest> {
        Digest::checked(algorithm, value)
    }

    fn checked(algorithm: Algorithm, value: Value) -> Result<Digest, MalformedDigest> {
        if fits(algorithm, &value) {
            Ok(Digest { algorithm: algorithm.shared(), value })
        } else {
            Err(MalformedDigest { algorithm })
        }
    }

    /// The algorithm that computed it, with the length.
    pub fn algorithm(&self) -> Algorithm {
        *self.algorithm
    }

    /// The value; for similarity digests the bytes of their text.
    pub fn bytes(&self) -> &[u8] {
        self.value.bytes()
    }

    /// The text of a similarity digest; `None` for the others.
    pub fn text(&self) -> Option<&str> {
        self.value.text()
    }

    /// The value of a similarity digest; `None` for one of another type.
    pub fn typed<T: 'static>(&self) -> Option<&T> {
        self.value.downcast()
    }
}

fn fits(algorithm: Algorithm, value: &Value) -> bool {
    match value.text() {
        Some(_) => algorithm.output() == Output::Text,
        None => algorithm.output() != Output::Text && value.bytes().len() == algorithm.length(),
    }
}

/// Lower-case hexadecimal digits; the text itself for similarity digests.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = self.text() {
            return f.write_str(text);
        }
        let mut buffer = [0; 2 * INLINE];
        for part in self.bytes().chunks(INLINE) {
            let digits = &mut buffer[..2 * part.len()];
            hex::fill(digits, part);
            f.write_str(str::from_utf8(digits).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={self}", self.algorithm)
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Digest) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Digest {}

impl PartialOrd for Digest {
    fn partial_cmp(&self, other: &Digest) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Digest {
    fn cmp(&self, other: &Digest) -> Ordering {
        (self.algorithm, self.bytes()).cmp(&(other.algorithm, other.bytes()))
    }
}

impl Hash for Digest {
    fn hash<H: StdHasher>(&self, state: &mut H) {
        (self.algorithm, self.bytes()).hash(state);
    }
}

/// A text or a number of bytes that is not a digest of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedDigest {
    algorithm: Algorithm,
}

impl fmt::Display for MalformedDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.algorithm.output() {
            Output::Text => write!(f, "not a digest of {}: its digests are text", self.algorithm),
            _ => write!(f, "not a digest of {}: {} hexadecimal digits", self.algorithm, 2 * self.algorithm.length()),
        }
    }
}

impl Error for MalformedDigest {}
