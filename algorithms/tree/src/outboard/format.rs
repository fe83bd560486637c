//! The binary form of a tree, version 1; `docs/tree.md` tells every byte.

use super::{Function, Outboard, Parameters};
use crate::wire::{Malformed, Reader};

const MAGIC: &[u8; 8] = b"pfh tree";
const VERSION: u8 = 1;
/// What the header's checksum is derived for.
const CONTEXT: &str = "pfh tree 1 header checksum";

impl Outboard {
    /// The binary form: header with checksum, then the values level by level, leaves first.
    pub fn encode(&self) -> Vec<u8> {
        let values: usize = (0..self.height()).map(|level| self.level(level).len()).sum();
        let mut bytes = Vec::with_capacity(88 + 32 * values);
        bytes.extend(MAGIC);
        bytes.extend([
            VERSION,
            self.parameters.function().code(),
            self.parameters.leaf_length.ilog2() as u8,
            0,
            0,
            0,
            0,
            0,
        ]);
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.root);
        bytes.extend(blake3::derive_key(CONTEXT, &bytes));
        (0..self.height()).for_each(|level| bytes.extend(self.level(level).as_flattened()));
        bytes
    }

    /// Reads the binary form and computes every node and the root again: what is returned is a consistent tree. Costs a node per
    /// leaf.
    ///
    /// # Errors
    /// If any bit of it has been changed. (One who changes the file with the tree can make a consistent tree of another file:
    /// only a root that is kept elsewhere tells.)
    pub fn decode(bytes: &[u8]) -> Result<Outboard, Malformed> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        let function = Function::of_code(reader.byte()?).ok_or(Malformed::Field("function"))?;
        let leaf_log = reader.byte()?;
        if reader.array::<5>()? != [0; 5] {
            return Err(Malformed::Field("reserved bytes"));
        }
        let leaf_length = 1usize.checked_shl(leaf_log.into()).ok_or(Malformed::Field("leaf length"))?;
        let parameters = Parameters::new(function, leaf_length).ok_or(Malformed::Field("leaf length"))?;
        let length = reader.u64()?;
        let root = reader.array()?;
        if reader.array::<32>()? != blake3::derive_key(CONTEXT, &bytes[..56]) {
            return Err(Malformed::Checksum);
        }
        let mut count = usize::try_from(parameters.leaf_count(length)).map_err(|_| Malformed::Truncated)?;
        let leaves = reader.values(count)?;
        let mut stored = Vec::new();
        while count > 2 {
            count = count.div_ceil(2);
            stored.push(reader.values(count)?);
        }
        reader.close()?;
        let outboard = Outboard::over(parameters, length, leaves);
        if outboard.root != root || outboard.levels[1..] != stored {
            return Err(Malformed::Checksum);
        }
        Ok(outboard)
    }
}
