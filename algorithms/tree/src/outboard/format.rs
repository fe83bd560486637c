//! The binary form of a tree, version 1; `docs/tree.md` lists every byte.

use super::{Function, Key, Outboard, Parameters, Value};
use crate::wire::{Reader, WireError};

const MAGIC: &[u8; 8] = b"pfh tree";
const VERSION: u8 = 1;
/// BLAKE3's context string for the header's checksum.
const CONTEXT: &str = "pfh tree 1 header checksum";

/// The bytes before the values: parameters, length and root, with a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Function and leaf length.
    pub parameters: Parameters,
    /// Bytes of the file.
    pub length: u64,
    /// Root of the tree.
    pub root: Value,
}

impl Header {
    /// Bytes of the binary form.
    pub const BYTES: usize = 88;

    /// The binary form.
    pub fn encode(&self) -> [u8; Header::BYTES] {
        let mut bytes = [0; Header::BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8] = VERSION;
        bytes[9] = self.parameters.function().code();
        bytes[10] = self.parameters.leaf_length().ilog2() as u8;
        bytes[11..16].copy_from_slice(&self.parameters.mark());
        bytes[16..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..56].copy_from_slice(&self.root);
        let checksum = blake3::derive_key(CONTEXT, &bytes[..56]);
        bytes[56..].copy_from_slice(&checksum);
        bytes
    }

    /// Reads the binary form at the front of `bytes`. The parameters of a keyed function have the
    /// mark of the key and not the key.
    ///
    /// # Errors
    /// If there is none, or any bit of it has been changed.
    pub fn decode(bytes: &[u8]) -> Result<Header, WireError> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        let function = Function::of_code(reader.byte()?).ok_or(WireError::Field("function"))?;
        let leaf_log = reader.byte()?;
        let mark = reader.array()?;
        if !function.is_keyed() && mark != [0; 5] {
            return Err(WireError::Field("reserved bytes"));
        }
        let leaf_length = 1usize.checked_shl(leaf_log.into()).ok_or(WireError::Field("leaf length"))?;
        let parameters = Parameters::stated(function, leaf_length, mark).ok_or(WireError::Field("leaf length"))?;
        let length = reader.u64()?;
        let root = reader.array()?;
        if reader.array::<32>()? != blake3::derive_key(CONTEXT, &bytes[..56]) {
            return Err(WireError::Checksum);
        }
        Ok(Header { parameters, length, root })
    }
}

/// Where the values of a tree lie in its binary form.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// For each level the offset of its first value, and how many there are.
    levels: Vec<(u64, u64)>,
    end: u64,
}

impl Layout {
    /// `None` if the tree would have more bytes than a file can.
    pub(crate) fn of(header: &Header) -> Option<Layout> {
        let mut count = header.parameters.leaf_count(header.length);
        let (mut levels, mut end) = (Vec::new(), Header::BYTES as u64);
        loop {
            levels.push((end, count));
            end = end.checked_add(count.checked_mul(32)?).filter(|end| *end <= i64::MAX as u64)?;
            if count <= 2 {
                return Some(Layout { levels, end });
            }
            count = count.div_ceil(2);
        }
    }

    /// Bytes of the binary form.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The offset of a value, if the tree has it.
    pub(crate) fn offset(&self, level: u32, index: u64) -> Option<u64> {
        let (start, count) = *self.levels.get(level as usize)?;
        (index < count).then(|| start + 32 * index)
    }
}

impl Outboard {
    /// The header before the values in the binary form.
    pub fn header(&self) -> Header {
        Header { parameters: self.parameters, length: self.length, root: self.root }
    }

    /// The binary form: header with checksum, then the values level by level, leaves first.
    pub fn encode(&self) -> Vec<u8> {
        let values: usize = (0..self.height()).map(|level| self.level(level).len()).sum();
        let mut bytes = Vec::with_capacity(Header::BYTES + 32 * values);
        bytes.extend(self.header().encode());
        (0..self.height()).for_each(|level| bytes.extend(self.level(level).as_flattened()));
        bytes
    }

    /// Reads the binary form and computes every node and the root again: the result is a consistent
    /// tree. Costs a node per leaf.
    ///
    /// # Errors
    /// If any bit of it has been changed. (One who changes the file with the tree can make a
    /// consistent tree of another file: only a root that is kept elsewhere shows that.)
    pub fn decode(bytes: &[u8]) -> Result<Outboard, WireError> {
        Outboard::decode_under(bytes, None)
    }

    /// As [`decode`](Outboard::decode), of a tree under a key.
    ///
    /// # Errors
    /// The same; also [`WireError::Locked`] if the key is missing, another one, or of no use.
    pub fn decode_under(bytes: &[u8], key: Option<Key>) -> Result<Outboard, WireError> {
        let Header { parameters, length, root } = Header::decode(bytes)?;
        let parameters = parameters.unlock(key)?;
        let mut reader = Reader::after(bytes, Header::BYTES)?;
        let mut count = usize::try_from(parameters.leaf_count(length)).map_err(|_| WireError::Truncated)?;
        let leaves = reader.values(count)?;
        let mut stored = Vec::new();
        while count > 2 {
            count = count.div_ceil(2);
            stored.push(reader.values(count)?);
        }
        reader.close()?;
        let outboard = Outboard::over(parameters, length, leaves);
        if outboard.root != root || outboard.levels[1..] != stored {
            return Err(WireError::Checksum);
        }
        Ok(outboard)
    }
}
