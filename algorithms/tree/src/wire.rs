//! Reading and writing of the binary forms: integers little-endian, nothing left over, no
//! allocation beyond the input's length.

use crate::outboard::Locked;
use std::error::Error;
use std::fmt;

/// Why bytes are not an outboard, a challenge or a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// They begin otherwise.
    Magic,
    /// They are of a version that this code does not know.
    Version(u8),
    /// A field holds an impossible value.
    Field(&'static str),
    /// They end too early.
    Truncated,
    /// More follows the end.
    Trailing,
    /// A checksum, or the tree itself, does not fit: something has been changed.
    Checksum,
    /// The key that they were made under is needed, or is another.
    Locked(Locked),
}

impl From<Locked> for Malformed {
    fn from(locked: Locked) -> Malformed {
        Malformed::Locked(locked)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Magic => f.write_str("not of this format"),
            Malformed::Version(version) => write!(f, "version {version} is not known"),
            Malformed::Field(name) => write!(f, "impossible {name}"),
            Malformed::Truncated => f.write_str("ends too early"),
            Malformed::Trailing => f.write_str("bytes after the end"),
            Malformed::Checksum => f.write_str("changed or damaged: the checksum does not fit"),
            Malformed::Locked(locked) => locked.fmt(f),
        }
    }
}

impl Error for Malformed {}

/// Bytes that are read from the front.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Checks magic and version.
    pub(crate) fn open(bytes: &'a [u8], magic: &[u8; 8], version: u8) -> Result<Reader<'a>, Malformed> {
        let rest = bytes.strip_prefix(magic).ok_or(Malformed::Magic)?;
        let mut reader = Reader(rest);
        match reader.array::<1>()? {
            [other] if other != version => Err(Malformed::Version(other)),
            _ => Ok(reader),
        }
    }

    /// Passes over bytes that have been looked at otherwise.
    pub(crate) fn after(bytes: &'a [u8], start: usize) -> Result<Reader<'a>, Malformed> {
        bytes.get(start..).map(Reader).ok_or(Malformed::Truncated)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Malformed::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Malformed::Truncated)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A number of 32-byte values.
    pub(crate) fn values(&mut self, count: usize) -> Result<Vec<[u8; 32]>, Malformed> {
        let bytes = self.bytes(count.checked_mul(32).ok_or(Malformed::Truncated)?)?;
        let (values, _) = bytes.as_chunks::<32>();
        Ok(values.to_vec())
    }

    /// Bytes that have not been read.
    pub(crate) fn rest(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn close(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed::Trailing) }
    }
}
