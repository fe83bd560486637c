//! The server's answer when the auditor has no data.

use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Range;

use super::transcript::Transcript;
use super::{Challenge, Commitment};
use crate::WireError;
use crate::outboard::{Unusable, Value, Values, proven};
use crate::wire::Reader;

pub(super) const MAGIC: &[u8; 8] = b"pfh prov";
pub(super) const VERSION: u8 = 1;

/// The leaves that a challenge asked for, and the values that lead from them to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// In ascending order of their indices, which follow from the challenge.
    pub(super) leaves: Vec<Vec<u8>>,
    pub(super) siblings: Vec<Value>,
    /// Binds challenge, commitment, indices and all of the above.
    pub(super) transcript: [u8; 32],
    /// Ed25519: public key and signature of the transcript.
    pub(super) signature: Option<([u8; 32], [u8; 64])>,
}

/// Why a server cannot answer.
#[derive(Debug)]
pub enum ProofError {
    /// The tree at hand is of another file, or of another state of it.
    Challenge,
    /// The tree cannot be used.
    Tree(Unusable),
    /// The file could not be read.
    Read(io::Error),
    /// The file is shorter than its tree says.
    Length {
        /// Index of the leaf that is not whole.
        leaf: u64,
    },
    /// The auditor's own copy is not the file that was committed, or has no tree to show that it
    /// is.
    Copy,
    /// The answer could not be written.
    Write(io::Error),
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::Challenge => f.write_str("the challenge is about another file than the tree"),
            ProofError::Tree(why) => write!(f, "no tree that can be used: {why}"),
            ProofError::Read(error) => write!(f, "the file cannot be read: {error}"),
            ProofError::Length { leaf } => write!(f, "leaf {leaf} has not the length that the tree says"),
            ProofError::Copy => f.write_str("the copy is not the file that was committed"),
            ProofError::Write(error) => write!(f, "the answer cannot be written: {error}"),
        }
    }
}

impl Error for ProofError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ProofError::Read(error) | ProofError::Write(error) => Some(error),
            _ => None,
        }
    }
}

/// Reads the leaf, and sees that it is whole.
pub(super) fn leaf_of(
    commitment: &Commitment,
    index: u64,
    read: &mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>,
) -> Result<Vec<u8>, ProofError> {
    let leaf = read(commitment.parameters().leaf_range(index, commitment.length())).map_err(ProofError::Read)?;
    if leaf.len() as u64 == commitment.leaf_length(index) { Ok(leaf) } else { Err(ProofError::Length { leaf: index }) }
}

/// Answers a challenge from the tree and the file, all of the answer in memory; `read` gives the
/// bytes of a range of the file. These bytes are not compared with the tree: a server with damaged
/// data answers, and is found out. [`Prover`](super::Prover) does the same in the memory of one
/// leaf.
///
/// # Errors
/// If the challenge is about another file, or the file or the tree cannot be read.
pub fn prove(
    challenge: &Challenge,
    tree: &dyn Values,
    mut read: impl FnMut(Range<u64>) -> io::Result<Vec<u8>>,
) -> Result<Proof, ProofError> {
    let commitment = Commitment::of(tree);
    if !challenge.is_about(&commitment) {
        return Err(ProofError::Challenge);
    }
    let indices = challenge.indices(commitment.leaf_count());
    let (_, siblings) = proven(tree, &indices).map_err(ProofError::Tree)?;
    let leaves = indices.iter().map(|&index| leaf_of(&commitment, index, &mut read)).collect::<Result<_, _>>()?;
    let mut proof = Proof { leaves, siblings, transcript: [0; 32], signature: None };
    proof.transcript = *proof.transcript(challenge, &commitment).as_bytes();
    Ok(proof)
}

impl Proof {
    /// Whether the bytes begin as a proof does: a keyed answer has no such beginning.
    pub fn is_begun_by(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// The digest of everything that has been said: challenge (nonce, identity, root, length,
    /// sample), parameters, leaves, values.
    pub(super) fn transcript(&self, challenge: &Challenge, commitment: &Commitment) -> blake3::Hash {
        let mut transcript = Transcript::new(challenge, commitment, self.leaves.len() as u64);
        self.leaves.iter().for_each(|leaf| transcript.bind(leaf));
        transcript.bind(self.siblings.as_flattened());
        transcript.finish()
    }

    /// The digest that binds challenge and answer, to be written to a log.
    pub fn transcript_digest(&self) -> &[u8; 32] {
        &self.transcript
    }

    /// The leaves shown, ascending.
    pub fn leaves(&self) -> impl Iterator<Item = &[u8]> {
        self.leaves.iter().map(Vec::as_slice)
    }

    /// The binary form.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[VERSION]].concat();
        bytes.extend((self.leaves.len() as u64).to_le_bytes());
        for leaf in &self.leaves {
            // Cannot cut: a leaf has at most 16 MiB.
            bytes.extend((leaf.len() as u32).to_le_bytes());
            bytes.extend(leaf);
        }
        bytes.extend((self.siblings.len() as u64).to_le_bytes());
        bytes.extend(self.siblings.as_flattened());
        bytes.extend(self.transcript);
        match &self.signature {
            None => bytes.push(0),
            Some((key, signature)) => {
                bytes.push(1);
                bytes.extend(key);
                bytes.extend(signature);
            }
        }
        bytes
    }

    /// Reads the binary form. [`Commitment::verify`] decides whether it proves anything.
    ///
    /// # Errors
    /// If the bytes are not a proof.
    pub fn decode(bytes: &[u8]) -> Result<Proof, WireError> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        let count = reader.u64()?;
        // Each leaf takes at least its length field, so a claimed count cannot cost more than the
        // input.
        let mut leaves = Vec::new();
        for _ in 0..count {
            let length = reader.u32()? as usize;
            leaves.push(reader.bytes(length)?.to_vec());
        }
        let count = usize::try_from(reader.u64()?).map_err(|_| WireError::Truncated)?;
        let siblings = reader.values(count)?;
        let transcript = reader.array()?;
        let signature = match reader.byte()? {
            0 => None,
            1 => Some((reader.array()?, reader.array()?)),
            _ => return Err(WireError::Field("signature mark")),
        };
        reader.close()?;
        Ok(Proof { leaves, siblings, transcript, signature })
    }
}
