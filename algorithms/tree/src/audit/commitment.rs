//! The commitment that the auditor keeps, and why an answer is rejected.

use std::error::Error;
use std::fmt;

use crate::outboard::{Key, Parameters, TreeKeyError, Value, Values};

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
pub enum Rejection {
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
    /// that is not a key.
    Signature,
    /// A signature is asked for, and there is none.
    Unsigned,
    /// The answer is signed by another key than is asked for.
    Signer,
    /// The key of the file's tree is not known.
    Locked(TreeKeyError),
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejection::Locked(locked) => return locked.fmt(f),
            Rejection::Challenge => "the challenge is not about this commitment",
            Rejection::Transcript => "the answer was made for another challenge",
            Rejection::Leaves => "the answer does not show the leaves that were asked for",
            Rejection::Shape => "the proof has too few or too many values",
            Rejection::Root => "the leaves shown are not the file's",
            Rejection::Digest => "the keyed digest is not that of the file's leaves",
            Rejection::Kept => "the update does not start from the root that is kept",
            Rejection::Signature => "the signature is wrong",
            Rejection::Unsigned => "the answer is not signed",
            Rejection::Signer => "the answer is signed by another key",
        })
    }
}

impl Error for Rejection {}

impl Commitment {
    /// The commitment to the file of this tree.
    pub fn of(tree: &dyn Values) -> Commitment {
        Commitment { parameters: tree.parameters(), length: tree.length(), root: *tree.root() }
    }

    /// One that was kept.
    pub fn new(parameters: Parameters, length: u64, root: Value) -> Commitment {
        Commitment { parameters, length, root }
    }

    /// The same, by which answers can be judged: under the key of the file's tree.
    ///
    /// # Errors
    /// If the key is missing, another one, or of no use.
    pub fn unlock(self, key: Option<Key>) -> Result<Commitment, TreeKeyError> {
        Ok(Commitment { parameters: self.parameters.unlock(key)?, ..self })
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
}
