//! The parameters that may be stated of a mode: number of leaves, bytes of a block, capacity.

use pfh_digest::{ParameterValues, Parametric, State};

use crate::growing::LEAF;
use crate::interleaved::{InterleavedMessage, Interleaving};
use crate::{Growing, Mode};

/// The longest block: a leaf is hashed in one piece of memory, several at once.
const LONGEST: u32 = 1 << 20;
/// A round of blocks of all leaves at most, which a message keeps in memory.
const ROUND: u64 = 16 << 20;
/// Leaves at most: each is a state of 200 bytes.
const MOST_LEAVES: u32 = 4096;

/// The capacity that is stated, or the usual one, if a sponge can have it: in bits.
fn capacity(stated: Option<u32>, usual: u32) -> Result<u32, String> {
    let bits = stated.unwrap_or(usual);
    if bits.is_multiple_of(64) && (256..=768).contains(&bits) {
        return Ok(bits);
    }
    Err(format!("capacity={bits}: a capacity has a multiple of 64 bits, from 256 to 768"))
}

/// Modes whose leaves are blocks of the message: `block` in bytes and, where there is a usual one,
/// `capacity` in bits.
pub(crate) struct Blocks {
    pub(crate) mode: Mode,
    pub(crate) capacity: Option<u32>,
}

impl Blocks {
    /// The mode and the bytes of its leaves.
    pub(crate) fn shape(&self, [block, capacity, _]: [u32; 3]) -> (Mode, usize) {
        let mode = self.capacity.map_or(self.mode, |_| self.mode.with_capacity(capacity));
        (mode, block as usize)
    }
}

impl Parametric for Blocks {
    fn names(&self) -> &'static [&'static str] {
        if self.capacity.is_some() { &["block", "capacity"] } else { &["block"] }
    }

    fn resolve(&self, [block, bits, _]: ParameterValues) -> Result<[u32; 3], String> {
        let block = block.unwrap_or(LEAF as u32);
        if !(1..=LONGEST).contains(&block) {
            return Err(format!("block={block}: a block has 1 to {LONGEST} bytes"));
        }
        let bits = self.capacity.map_or(Ok(0), |usual| capacity(bits, usual))?;
        Ok([block, bits, 0])
    }

    fn start(&self, values: [u32; 3]) -> Box<dyn State> {
        let (mode, block) = self.shape(values);
        Box::new(Growing::with_leaf_length(mode, b"", block))
    }
}

/// Leaf interleaving: the number of `leaves`, bytes of a `block`, `capacity` in bits.
pub(crate) struct Leaves {
    pub(crate) capacity: u32,
}

impl Leaves {
    /// The mode with these values.
    pub(crate) fn shape([leaves, block, capacity]: [u32; 3]) -> Interleaving {
        Interleaving { leaves: leaves as usize, block: block as usize, ..Interleaving::new(capacity) }
    }
}

impl Parametric for Leaves {
    fn names(&self) -> &'static [&'static str] {
        &["leaves", "block", "capacity"]
    }

    fn resolve(&self, [leaves, block, bits]: ParameterValues) -> Result<[u32; 3], String> {
        let bits = capacity(bits, self.capacity)?;
        let usual = Interleaving::new(bits);
        let leaves = leaves.unwrap_or(usual.leaves as u32);
        if !(1..=MOST_LEAVES).contains(&leaves) {
            return Err(format!("leaves={leaves}: there are 1 to {MOST_LEAVES} leaves"));
        }
        let block = block.unwrap_or(usual.block as u32);
        let values = [leaves, block, bits];
        let rate = usual.rate as u32;
        if block == 0 || !block.is_multiple_of(rate) || Leaves::shape(values).coded_block().is_none() {
            return Err(format!(
                "block={block}: a block is a multiple of {rate} bytes, the rate of this capacity, whose odd part is at \
                 most 255: {rate}, {}, {}, {}, ...",
                2 * rate,
                4 * rate,
                8 * rate
            ));
        }
        if u64::from(leaves) * u64::from(block) > ROUND {
            return Err(format!(
                "leaves={leaves} with blocks of {block} bytes: a round of them has at most {ROUND} bytes, so state a \
                 shorter block, such as block={rate}"
            ));
        }
        Ok(values)
    }

    fn start(&self, values: [u32; 3]) -> Box<dyn State> {
        Box::new(InterleavedMessage::new(Leaves::shape(values)))
    }
}
