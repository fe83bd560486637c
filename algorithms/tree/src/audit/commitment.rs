//! What the auditor keeps, and how it judges an answer.

use std::error::Error;
use std::fmt;

use super::multiproof;
use super::{Challenge, Proof};
use crate::outboard::{Outboard, Parameters, Value};

/// A file as the auditor remembers it: root and length, 40 bytes, and the parameters of the tree, which are usually one policy for
/// all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment {
    parameters: Parameters,
    length: u64,
    root: Value,
}

/// Why an answer proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The challenge is about another root or length than the commitment.
    Challenge,
    /// The answer was made for another challenge: another nonce, file, sample.
    Transcript,
    /// Not the leaves that were asked for: too few, too many, or of the wrong length.
    Leaves,
    /// The multiproof has too few or too many values.
    Shape,
    /// Leaves and multiproof do not give the root: the data is not the file's.
    Root,
    /// The keyed digest is another.
    Digest,
    /// The signature is missing, or not that of this key over this transcript.
    Signature,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejected::Challenge => "the challenge is not about this commitment",
            Rejected::Transcript => "the answer was made for another challenge",
            Rejected::Leaves => "the answer does not show the leaves that were asked for",
            Rejected::Shape => "the proof has too few or too many values",
            Rejected::Root => "the leaves shown are not the file's",
            Rejected::Digest => "the keyed digest is not that of the file's leaves",
            Rejected::Signature => "the signature is missing or wrong",
        })
    }
}

impl Error for Rejected {}

impl Commitment {
    /// The commitment to the file of this tree.
    pub fn of(outboard: &Outboard) -> Commitment {
        Commitment { parameters: outboard.parameters(), length: outboard.length(), root: *outboard.root() }
    }

    /// One that was kept.
    pub fn new(parameters: Parameters, length: u64, root: Value) -> Commitment {
        Commitment { parameters, length, root }
    }

    /// Function and leaf length.
    pub fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Root of the file's tree.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// Leaves of the file.
    pub fn leaf_count(&self) -> u64 {
        self.parameters.leaf_count(self.length)
    }

    /// Bytes of the leaf.
    pub(super) fn leaf_length(&self, index: u64) -> u64 {
        let range = self.parameters.leaf_range(index, self.length);
        range.end - range.start
    }

    /// Judges an answer: it shows just the leaves that the challenge asks for, and they belong to the file.
    ///
    /// # Errors
    /// Whatever is wrong with the answer; then it proves nothing.
    pub fn verify(&self, challenge: &Challenge, proof: &Proof) -> Result<(), Rejected> {
        if !challenge.is_about(self) {
            return Err(Rejected::Challenge);
        }
        let indices = challenge.indices(self.leaf_count());
        if proof.leaves.len() != indices.len() {
            return Err(Rejected::Leaves);
        }
        if indices.iter().zip(&proof.leaves).any(|(&index, leaf)| leaf.len() as u64 != self.leaf_length(index)) {
            return Err(Rejected::Leaves);
        }
        // blake3::Hash compares in constant time.
        if proof.transcript(challenge, self) != blake3::Hash::from_bytes(proof.transcript) {
            return Err(Rejected::Transcript);
        }
        let leaves: Vec<(u64, &[u8])> = indices.iter().copied().zip(proof.leaves()).collect();
        let values = self.parameters.leaves_of(self.length, &leaves);
        let known = indices.into_iter().zip(values).collect();
        let root = multiproof::root(&self.parameters, self.length, known, &proof.siblings).ok_or(Rejected::Shape)?;
        if blake3::Hash::from_bytes(root) == blake3::Hash::from_bytes(self.root) { Ok(()) } else { Err(Rejected::Root) }
    }
}
