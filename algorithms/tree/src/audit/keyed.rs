//! The short answer: 32 bytes, for an auditor who has the data as well, or who computed answers
//! ahead while they had it.

use std::io;
use std::ops::Range;

use super::proof::leaf_of;
use super::stream::indices;
use super::{Challenge, Commitment, ProofError, Rejection};
use crate::outboard::{Fold, Unusable, Value, Values, multiproof};

const KEY: &str = "pfh audit 1 key of a keyed answer";

/// A digest of the leaves asked for, under a key that the challenge gives.
#[derive(Clone, Copy, Debug)]
pub struct KeyedAnswer([u8; 32]);

/// Computes the answer from the file itself. The nonce is in the key, so that it goes into every
/// compression and no state can be saved from before it was known. The bytes are not compared with
/// the commitment: for the auditor's own copy take [`keyed_answer_of_copy`].
///
/// # Errors
/// If the challenge is not about this commitment, or the file cannot be read or is shorter than
/// committed.
pub fn keyed_answer(
    challenge: &Challenge,
    commitment: &Commitment,
    mut read: impl FnMut(Range<u64>) -> io::Result<Vec<u8>>,
) -> Result<KeyedAnswer, ProofError> {
    computed(challenge, commitment, &mut read, |_, _| {})
}

/// The answer of the auditor's own copy, if the leaves that it is computed from are those of the
/// file that was committed: their values and the siblings in the copy's tree must give the
/// committed root. Without a tree all leaves must be asked for.
///
/// # Errors
/// As for [`keyed_answer`]; [`ProofError::Copy`] if the copy is not the file that was committed.
pub fn keyed_answer_of_copy(
    challenge: &Challenge,
    commitment: &Commitment,
    tree: Option<&dyn Values>,
    mut read: impl FnMut(Range<u64>) -> io::Result<Vec<u8>>,
) -> Result<KeyedAnswer, ProofError> {
    let (parameters, length) = (commitment.parameters(), commitment.length());
    parameters.unlocked().map_err(|locked| ProofError::Tree(Unusable::Malformed(locked.into())))?;
    let value = |index, leaf: &[u8]| parameters.leaves_of(length, &[(index, leaf)])[0];
    let all = challenge.sample().size(commitment.leaf_count()) == commitment.leaf_count();
    let (answer, root) = if all {
        let mut fold = Fold::new(parameters, length);
        let answer = computed(challenge, commitment, &mut read, |index, leaf| fold.push(value(index, leaf)))?;
        (answer, fold.finish())
    } else {
        let tree =
            tree.filter(|tree| (tree.parameters(), tree.length()) == (parameters, length)).ok_or(ProofError::Copy)?;
        let mut known: Vec<(u64, Value)> = Vec::new();
        let answer = computed(challenge, commitment, &mut read, |index, leaf| known.push((index, value(index, leaf))))?;
        let indices: Vec<u64> = known.iter().map(|(index, _)| *index).collect();
        let siblings = multiproof::siblings(tree, &indices).map_err(|error| ProofError::Tree(Unusable::Read(error)))?;
        (answer, multiproof::root(&parameters, length, known, &siblings))
    };
    if root.as_ref() == Some(commitment.root()) { Ok(answer) } else { Err(ProofError::Copy) }
}

fn computed(
    challenge: &Challenge,
    commitment: &Commitment,
    read: &mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>,
    mut seen: impl FnMut(u64, &[u8]),
) -> Result<KeyedAnswer, ProofError> {
    if !challenge.is_about(commitment) {
        return Err(ProofError::Challenge);
    }
    let parameters = commitment.parameters();
    let context = [&challenge.encode()[..], &[parameters.function().code()], &parameters.leaf_length().to_le_bytes()];
    let mut hasher = blake3::Hasher::new_keyed(&blake3::derive_key(KEY, &context.concat()));
    for index in indices(challenge, commitment.leaf_count()) {
        let leaf = leaf_of(commitment, index, read)?;
        hasher.update(&index.to_le_bytes());
        hasher.update(&leaf);
        seen(index, &leaf);
    }
    Ok(KeyedAnswer(*hasher.finalize().as_bytes()))
}

impl KeyedAnswer {
    /// An answer that was received.
    pub fn from_bytes(bytes: [u8; 32]) -> KeyedAnswer {
        KeyedAnswer(bytes)
    }

    /// The answer to be sent.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Compares the answer received with the one computed, in constant time.
    ///
    /// # Errors
    /// If they differ.
    pub fn verify(&self, received: &KeyedAnswer) -> Result<(), Rejection> {
        // blake3::Hash compares in constant time.
        if blake3::Hash::from_bytes(self.0) == blake3::Hash::from_bytes(received.0) {
            Ok(())
        } else {
            Err(Rejection::Digest)
        }
    }
}
