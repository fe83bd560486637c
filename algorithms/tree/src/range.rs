//! Proofs of a range: the bytes of a part of a file, with the path from them to the root. Anyone
//! who has the root alone can tell that these bytes stand at this place of the file.
//!
//! Over BLAKE3 the proof is made of chunks of 1 KiB under every leaf length: the chunks of a leaf
//! are hashed again from the file. `docs/tree.md` lists every byte of the form.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Range;

use crate::WireError;
use crate::outboard::{Function, Header, Key, Parameters, TreeKeyError, Unusable, Value, Values, multiproof};
use crate::wire::Reader;

const MAGIC: &[u8; 8] = b"pfh rang";
const VERSION: u8 = 1;
/// A chunk of BLAKE3.
const CHUNK: usize = 1024;

/// Why there is no proof of a range.
#[derive(Debug)]
pub enum NoRange {
    /// The file has no such range, or it is empty.
    Range,
    /// The tree cannot be used.
    Tree(Unusable),
    /// The file cannot be read.
    Read(io::Error),
    /// The file's bytes in this range, or around it, are not those of its tree.
    Differs,
}

impl fmt::Display for NoRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRange::Range => f.write_str("the file has no such range"),
            NoRange::Tree(why) => write!(f, "no tree that can be used: {why}"),
            NoRange::Read(error) => write!(f, "the file cannot be read: {error}"),
            NoRange::Differs => f.write_str("the file's bytes are not those of its tree"),
        }
    }
}

impl Error for NoRange {}

/// Why a proof shows no range of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshown {
    /// The bytes are not those of a file with this root.
    Root,
    /// It has too few or too many bytes or values.
    Shape,
    /// Its key is needed, or is another.
    Locked(TreeKeyError),
}

impl fmt::Display for Unshown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unshown::Root => f.write_str("the bytes are not those of a file with this root"),
            Unshown::Shape => f.write_str("the proof has too few or too many bytes or values"),
            Unshown::Locked(locked) => locked.fmt(f),
        }
    }
}

impl Error for Unshown {}

/// A part of a file, and the way from it to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeProof {
    parameters: Parameters,
    length: u64,
    range: Range<u64>,
    /// The leaves that hold the range, whole, one after the other; then, if it is not among them
    /// and BLAKE3 leaves the file's length to its last leaf, that one.
    bytes: Vec<u8>,
    siblings: Vec<Value>,
}

/// The bytes and parameters that a proof shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofRange<'a> {
    /// Where the bytes stand in the file.
    pub range: Range<u64>,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Bytes of the file.
    pub length: u64,
    /// The function and the length of the leaves that were hashed.
    pub parameters: Parameters,
}

/// The leaves of a proof: those that hold the range, and the last one, which binds the length of a
/// file under BLAKE3.
fn indices(parameters: Parameters, length: u64, range: &Range<u64>) -> Vec<u64> {
    let leaf = parameters.leaf_length() as u64;
    let mut indices: Vec<u64> = (range.start / leaf..range.end.div_ceil(leaf)).collect();
    let last = parameters.leaf_count(length) - 1;
    if parameters.function().is_blake3() && indices.last() != Some(&last) {
        indices.push(last);
    }
    indices
}

type ReadBytes<'a> = &'a mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>;

/// A BLAKE3 tree as if its leaves were chunks: the chunks of a leaf are hashed from the file.
struct Fine<'a> {
    header: Header,
    coarse: &'a dyn Values,
    /// Levels that a leaf of the coarse tree has in the fine one.
    levels: u32,
    read: RefCell<ReadBytes<'a>>,
    /// The values within the leaf that was looked at last.
    held: RefCell<Option<(u64, Vec<Vec<Value>>)>>,
}

impl<'a> Fine<'a> {
    fn new(coarse: &'a dyn Values, read: ReadBytes<'a>) -> Option<Fine<'a>> {
        let parameters = coarse.parameters().with_leaf(CHUNK)?;
        let levels = (coarse.parameters().leaf_length() / CHUNK).ilog2();
        let header = Header { parameters, length: coarse.length(), root: *coarse.root() };
        Some(Fine { header, coarse, levels, read: RefCell::new(read), held: RefCell::new(None) })
    }

    /// The values within a leaf of the coarse tree, level by level.
    fn within(&self, leaf: u64) -> io::Result<Vec<Vec<Value>>> {
        let range = self.coarse.parameters().leaf_range(leaf, self.header.length);
        let bytes = (self.read.borrow_mut())(range.clone())?;
        if bytes.len() as u64 != range.end - range.start {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let first = range.start / CHUNK as u64;
        let chunks: Vec<(u64, &[u8])> = match bytes.is_empty() {
            true => vec![(first, &[])],
            false => (first..).zip(bytes.chunks(CHUNK)).collect(),
        };
        let mut levels = vec![self.header.parameters.leaves_of(self.header.length, &chunks)];
        for level in 0..self.levels {
            let below = &levels[level as usize];
            let up = |pair: &[Value]| match *pair {
                [left, right] => self.header.parameters.node(level, &[left, right]),
                _ => pair[0],
            };
            levels.push(below.chunks(2).map(up).collect());
        }
        Ok(levels)
    }
}

impl Values for Fine<'_> {
    fn parameters(&self) -> Parameters {
        self.header.parameters
    }

    fn length(&self) -> u64 {
        self.header.length
    }

    fn root(&self) -> &Value {
        &self.header.root
    }

    fn value(&self, level: u32, index: u64) -> io::Result<Value> {
        if level >= self.levels && self.coarse.leaves() > 1 {
            return self.coarse.value(level - self.levels, index);
        }
        let leaf = index >> (self.levels - level);
        let mut held = self.held.borrow_mut();
        if held.as_ref().is_none_or(|(number, _)| *number != leaf) {
            *held = Some((leaf, self.within(leaf)?));
        }
        let first = leaf << (self.levels - level);
        let found = held.as_ref().and_then(|(_, levels)| levels[level as usize].get((index - first) as usize).copied());
        found.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

impl RangeProof {
    /// Proves a range of a file. `read` gives the bytes of a range of the file. All bytes of the
    /// range are in memory.
    ///
    /// # Errors
    /// If the file has no such range, file or tree cannot be read, or the bytes are not those of
    /// the tree.
    pub fn new(
        tree: &dyn Values,
        range: Range<u64>,
        read: &mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>,
    ) -> Result<RangeProof, NoRange> {
        if range.start >= range.end || range.end > tree.length() {
            return Err(NoRange::Range);
        }
        let length = tree.length();
        tree.parameters().unlocked().map_err(|locked| NoRange::Tree(Unusable::Malformed(locked.into())))?;
        let parameters = match tree.parameters().function().is_blake3() {
            true => tree.parameters().with_leaf(CHUNK).ok_or(NoRange::Range)?,
            false => tree.parameters(),
        };
        let indices = indices(parameters, length, &range);
        let mut bytes = Vec::new();
        for &index in &indices {
            let leaf = parameters.leaf_range(index, length);
            let read = read(leaf.clone()).map_err(NoRange::Read)?;
            if read.len() as u64 != leaf.end - leaf.start {
                return Err(NoRange::Read(io::ErrorKind::UnexpectedEof.into()));
            }
            bytes.extend(read);
        }
        let siblings = match parameters == tree.parameters() {
            true => multiproof::siblings(tree, &indices),
            false => Fine::new(tree, read).ok_or(NoRange::Range).map(|fine| multiproof::siblings(&fine, &indices))?,
        };
        let siblings = siblings.map_err(|error| NoRange::Tree(Unusable::Read(error)))?;
        let proof = RangeProof { parameters, length, range, bytes, siblings };
        // Neither file nor tree is believed: together they give the root, or there is no proof.
        if proof.verify(tree.root()).is_err() { Err(NoRange::Differs) } else { Ok(proof) }
    }

    /// The same proof, which can be verified under the key of its tree.
    ///
    /// # Errors
    /// If the key is missing, another one, or of no use.
    pub fn unlock(mut self, key: Option<Key>) -> Result<RangeProof, TreeKeyError> {
        self.parameters = self.parameters.unlock(key)?;
        Ok(self)
    }

    /// The part of a file with this root that the proof shows.
    ///
    /// # Errors
    /// If it shows nothing, or is locked.
    pub fn verify(&self, root: &Value) -> Result<ProofRange<'_>, Unshown> {
        self.parameters.unlocked().map_err(Unshown::Locked)?;
        let (parameters, length, range) = (self.parameters, self.length, self.range.clone());
        let indices = indices(parameters, length, &range);
        let mut leaves: Vec<(u64, &[u8])> = Vec::with_capacity(indices.len());
        let mut rest = &self.bytes[..];
        for index in indices {
            let place = parameters.leaf_range(index, length);
            let (leaf, more) = rest.split_at_checked((place.end - place.start) as usize).ok_or(Unshown::Shape)?;
            leaves.push((index, leaf));
            rest = more;
        }
        if !rest.is_empty() {
            return Err(Unshown::Shape);
        }
        let values = parameters.leaves_of(length, &leaves);
        let known = leaves.iter().map(|(index, _)| *index).zip(values).collect();
        let found = multiproof::root(&parameters, length, known, &self.siblings).ok_or(Unshown::Shape)?;
        if blake3::Hash::from_bytes(found) != blake3::Hash::from_bytes(*root) {
            return Err(Unshown::Root);
        }
        let skipped = (range.start % parameters.leaf_length() as u64) as usize;
        let bytes = &self.bytes[skipped..skipped + (range.end - range.start) as usize];
        Ok(ProofRange { range, bytes, length, parameters })
    }

    /// The binary form.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[VERSION, self.parameters.function().code()]].concat();
        bytes.push(self.parameters.leaf_length().ilog2() as u8);
        bytes.extend(self.parameters.mark());
        for number in [self.length, self.range.start, self.range.end - self.range.start, self.bytes.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(&self.bytes);
        bytes.extend((self.siblings.len() as u64).to_le_bytes());
        bytes.extend(self.siblings.as_flattened());
        bytes
    }

    /// Bytes at the start of a proof that state how long it is.
    pub const HEAD: usize = 48;

    /// The most bytes that a proof has which begins so: the bytes that it holds, and two siblings
    /// for each level of the tree.
    ///
    /// # Errors
    /// If the bytes do not begin a proof.
    pub fn longest(start: &[u8]) -> Result<u64, WireError> {
        const LEVELS: u64 = 64;
        let mut reader = Reader::open(start, MAGIC, VERSION)?;
        Function::of_code(reader.byte()?).ok_or(WireError::Field("function"))?;
        let leaf = 1u64.checked_shl(reader.byte()?.into()).ok_or(WireError::Field("leaf length"))?;
        reader.array::<5>()?;
        let (_, _, count, held) = (reader.u64()?, reader.u64()?, reader.u64()?, reader.u64()?);
        // Whole leaves: at both ends of the range one that is not in it, but for a byte.
        if held > count.saturating_add(leaf.saturating_mul(2)) {
            return Err(WireError::Field("range"));
        }
        Ok((Self::HEAD as u64).saturating_add(held).saturating_add(8 + 2 * LEVELS * 32))
    }

    /// Reads the binary form. [`verify`](RangeProof::verify) decides whether it shows anything.
    ///
    /// # Errors
    /// If the bytes are not a proof.
    pub fn decode(bytes: &[u8]) -> Result<RangeProof, WireError> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        let function = Function::of_code(reader.byte()?).ok_or(WireError::Field("function"))?;
        let leaf = 1usize.checked_shl(reader.byte()?.into()).ok_or(WireError::Field("leaf length"))?;
        let mark = reader.array()?;
        if !function.is_keyed() && mark != [0; 5] {
            return Err(WireError::Field("reserved bytes"));
        }
        let parameters = Parameters::stated(function, leaf, mark).ok_or(WireError::Field("leaf length"))?;
        let (length, start, count) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let end =
            start.checked_add(count).filter(|end| count > 0 && *end <= length).ok_or(WireError::Field("range"))?;
        let held = usize::try_from(reader.u64()?).map_err(|_| WireError::Truncated)?;
        let bytes = reader.bytes(held)?.to_vec();
        // The range lies within the bytes that are there, so that its leaves are no more than
        // these.
        if count > held as u64 {
            return Err(WireError::Field("range"));
        }
        let count = usize::try_from(reader.u64()?).map_err(|_| WireError::Truncated)?;
        let siblings = reader.values(count)?;
        reader.close()?;
        Ok(RangeProof { parameters, length, range: start..end, bytes, siblings })
    }
}
