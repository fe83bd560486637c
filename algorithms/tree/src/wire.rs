//! Reading and writing of the binary forms: integers little-endian, nothing left over, no
//! allocation beyond the input's length.

use crate::outboard::TreeKeyError;
use std::error::Error;
use std::fmt;

/// Why bytes are not an outboard, a challenge or a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
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
    Locked(TreeKeyError),
}

impl From<TreeKeyError> for WireError {
    fn from(locked: TreeKeyError) -> WireError {
        WireError::Locked(locked)
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Magic => f.write_str("not of this format"),
            WireError::Version(version) => write!(f, "version {version} is not known"),
            WireError::Field(name) => write!(f, "impossible {name}"),
            WireError::Truncated => f.write_str("ends too early"),
            WireError::Trailing => f.write_str("bytes after the end"),
            WireError::Checksum => f.write_str("changed or damaged: the checksum does not fit"),
            WireError::Locked(locked) => locked.fmt(f),
        }
    }
}

impl Error for WireError {}

/// Bytes that are read from the front.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Checks magic and version.
    pub(crate) fn open(bytes: &'a [u8], magic: &[u8; 8], version: u8) -> Result<Reader<'a>, WireError> {
        let rest = bytes.strip_prefix(magic).ok_or(WireError::Magic)?;
        let mut reader = Reader(rest);
        match reader.array::<1>()? {
            [other] if other != version => Err(WireError::Version(other)),
            _ => Ok(reader),
        }
    }

    /// Passes over bytes that have been looked at otherwise.
    pub(crate) fn after(bytes: &'a [u8], start: usize) -> Result<Reader<'a>, WireError> {
        bytes.get(start..).map(Reader).ok_or(WireError::Truncated)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(WireError::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.0.split_first_chunk().ok_or(WireError::Truncated)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, WireError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A number of 32-byte values.
    pub(crate) fn values(&mut self, count: usize) -> Result<Vec<[u8; 32]>, WireError> {
        let bytes = self.bytes(count.checked_mul(32).ok_or(WireError::Truncated)?)?;
        let (values, _) = bytes.as_chunks::<32>();
        Ok(values.to_vec())
    }

    /// Bytes that have not been read.
    pub(crate) fn rest(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn close(self) -> Result<(), WireError> {
        if self.0.is_empty() { Ok(()) } else { Err(WireError::Trailing) }
    }
}
