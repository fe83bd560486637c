//! The outboard form of bao (versions 0.10 to 0.13): the length of the file in 64 bits, least
//! significant byte first, then the parent nodes of the BLAKE3 tree over chunks of 1 KiB in
//! pre-order, each the values of its two children.

use crate::WireError;
use crate::outboard::{Function, Key, Outboard, Parameters, TreeKeyError, Value, Values};

/// Bytes of a chunk.
const CHUNK: usize = 1024;

/// The parameters of the trees that can be written in this form: BLAKE3 over leaves of 1 KiB, under
/// a key if there is one.
///
/// # Errors
/// When it is none of BLAKE3's keys.
pub fn parameters(key: Option<Key>) -> Result<Parameters, TreeKeyError> {
    let function = if key.is_some() { Function::Blake3Keyed } else { Function::Blake3 };
    Ok(Parameters::under(function, CHUNK, key)?.expect("a power of two from 1 KiB"))
}

/// Writes a tree in bao's form; `None` for one with other [`parameters`].
pub fn encode(tree: &Outboard) -> Option<Vec<u8>> {
    let parameters = tree.parameters();
    if !parameters.function().is_blake3() || parameters.leaf_length() != CHUNK {
        return None;
    }
    let mut bytes = tree.length().to_le_bytes().to_vec();
    let top = tree.height() as u32 - 1;
    parents(tree, top + 1, 0, &mut bytes);
    Some(bytes)
}

/// Appends the parents below the node at this place, itself first.
fn parents(tree: &Outboard, level: u32, index: usize, bytes: &mut Vec<u8>) {
    let Some(below) = level.checked_sub(1) else { return };
    let values = tree.level(below as usize);
    if let [left, right, ..] = &values[2 * index..] {
        bytes.extend(left);
        bytes.extend(right);
        parents(tree, below, 2 * index, bytes);
        parents(tree, below, 2 * index + 1, bytes);
    } else {
        // A node without a partner has moved up.
        parents(tree, below, 2 * index, bytes);
    }
}

/// Reads bao's form of these [`parameters`] and gives the tree over leaves of `leaf_length` bytes.
/// Every node is computed again; the caller has to compare the root, and the file is not looked at.
///
/// # Errors
/// If the bytes have another form, if any node is not that of its children, or for a file of one
/// chunk, whose form holds nothing.
pub fn decode(bytes: &[u8], leaf_length: usize, parameters: Parameters) -> Result<Outboard, WireError> {
    let asked = parameters.with_leaf(leaf_length).ok_or(WireError::Field("leaf length"))?;
    let (length, nodes) = bytes.split_first_chunk::<8>().ok_or(WireError::Truncated)?;
    let length = u64::from_le_bytes(*length);
    let chunks = parameters.leaf_count(length);
    if chunks == 1 {
        return Err(WireError::Field("length: a file of one chunk has no nodes"));
    }
    // The claimed length costs nothing before as many nodes are there.
    match (chunks - 1).checked_mul(64).map(|expected| (nodes.len() as u64).cmp(&expected)) {
        Some(std::cmp::Ordering::Equal) => {}
        Some(std::cmp::Ordering::Greater) => return Err(WireError::Trailing),
        _ => return Err(WireError::Truncated),
    }
    let mut leaves: Vec<Value> = Vec::with_capacity(chunks as usize);
    let (values, _) = nodes.as_chunks::<32>();
    collect(&mut values.iter().copied(), chunks, None, &mut leaves);
    let fine = Outboard::over(parameters, length, leaves);
    if encode(&fine).as_deref() != Some(bytes) {
        return Err(WireError::Checksum);
    }
    let level = (leaf_length / CHUNK).ilog2() as usize;
    let coarse = match asked.leaf_count(length) {
        1 => vec![*Values::root(&fine)],
        _ => fine.level(level).to_vec(),
    };
    Ok(Outboard::over(asked, length, coarse))
}

/// Appends the leaves of a subtree of `chunks` chunks, whose own value is `value`.
fn collect(nodes: &mut impl Iterator<Item = Value>, chunks: u64, value: Option<Value>, leaves: &mut Vec<Value>) {
    if chunks == 1 {
        leaves.extend(value);
        return;
    }
    let (left, right) = (nodes.next(), nodes.next());
    let split = 1 << (chunks - 1).ilog2();
    collect(nodes, split, left, leaves);
    collect(nodes, chunks - split, right, leaves);
}
