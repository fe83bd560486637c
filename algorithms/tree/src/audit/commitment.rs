//! What the auditor keeps, and how it judges an answer.

use std::error::Error;
use std::fmt;

use super::{Challenge, Proof};
use crate::outboard::{Parameters, Value, Values, multiproof};

/// A file as the auditor remembers it: root and length, 40 bytes, and the parameters of the tree,
/// which are usually one policy for all files.
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
    /// An update starts from another root, length or parameters than are kept.
    Kept,
    /// There is a signature, and it is not that of the key that it names over this transcript, or
    /// that is no key.
    Signature,
    /// There is no signature, and one is asked for.
    Unsigned,
    /// The answer is signed by another key than is asked for.
    Signer,
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
            Rejected::Kept => "the update does not start from the root that is kept",
            Rejected::Signature => "the signature is wrong",
            Rejected::Unsigned => "the answer is not signed",
            Rejected::Signer => "the answer is signed by another key",
        })
    }
}

impl Error for Rejected {}

impl Commitment {
    /// The commitment to the file of this tree.
    pub fn of(tree: &dyn Values) -> Commitment {
        Commitment { parameters: tree.parameters(), length: tree.length(), root: *tree.root() }
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

    /// Judges an answer: it shows just the leaves that the challenge asks for, they belong to the
    /// file, and a signature, if there is one, is that of the key that it names.
    ///
    /// # Errors
    /// Whatever is wrong with the answer; then it proves nothing.
    pub fn verify(&self, challenge: &Challenge, proof: &Proof) -> Result<(), Rejected> {
        if !challenge.is_about(self) {
            return Err(Rejected::Challenge);
        }
        // The number of leaves that a challenge claims costs nothing before as many have been
        // shown.
        if proof.leaves.len() as u64 != challenge.sample().size(self.leaf_count()) {
            return Err(Rejected::Leaves);
        }
        let indices = challenge.indices(self.leaf_count());
        if indices.iter().zip(&proof.leaves).any(|(&index, leaf)| leaf.len() as u64 != self.leaf_length(index)) {
            return Err(Rejected::Leaves);
        }
        // blake3::Hash compares in constant time.
        if proof.transcript(challenge, self) != blake3::Hash::from_bytes(proof.transcript) {
            return Err(Rejected::Transcript);
        }
        #[cfg(feature = "ed25519")]
        super::signature::signer(&proof.transcript, proof.signature.as_ref())?;
        let leaves: Vec<(u64, &[u8])> = indices.iter().copied().zip(proof.leaves()).collect();
        let values = self.parameters.leaves_of(self.length, &leaves);
        let known = indices.into_iter().zip(values).collect();
        let root = multiproof::root(&self.parameters, self.length, known, &proof.siblings).ok_or(Rejected::Shape)?;
        if blake3::Hash::from_bytes(root) == blake3::Hash::from_bytes(self.root) { Ok(()) } else { Err(Rejected::Root) }
    }
}
