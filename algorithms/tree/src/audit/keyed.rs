//! The short answer: 32 bytes, for an auditor who has the data as well, or who computed answers ahead while he had it.

use std::io;
use std::ops::Range;

use super::{Challenge, Commitment, Rejected, Unproved};

const KEY: &str = "pfh audit 1 key of a keyed answer";

/// A digest of the leaves asked for, under a key that the challenge gives.
#[derive(Clone, Copy, Debug)]
pub struct KeyedAnswer([u8; 32]);

/// Computes the answer from the file itself; the auditor does the same with its own copy. The nonce is in the key, so that it goes
/// into every compression and no state can be saved from before it was known.
///
/// # Errors
/// If the challenge is not about this commitment, or the file cannot be read or is shorter than committed.
pub fn keyed_answer(
    challenge: &Challenge,
    commitment: &Commitment,
    mut read: impl FnMut(Range<u64>) -> io::Result<Vec<u8>>,
) -> Result<KeyedAnswer, Unproved> {
    if !challenge.is_about(commitment) {
        return Err(Unproved::Challenge);
    }
    let parameters = commitment.parameters();
    let context = [&challenge.encode()[..], &[parameters.function().code()], &parameters.leaf_length().to_le_bytes()];
    let mut hasher = blake3::Hasher::new_keyed(&blake3::derive_key(KEY, &context.concat()));
    for index in challenge.indices(commitment.leaf_count()) {
        let leaf = read(parameters.leaf_range(index, commitment.length())).map_err(Unproved::Read)?;
        if leaf.len() as u64 != commitment.leaf_length(index) {
            return Err(Unproved::Length { leaf: index });
        }
        hasher.update(&index.to_le_bytes());
        hasher.update(&leaf);
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
    pub fn verify(&self, received: &KeyedAnswer) -> Result<(), Rejected> {
        // blake3::Hash compares in constant time.
        if blake3::Hash::from_bytes(self.0) == blake3::Hash::from_bytes(received.0) {
            Ok(())
        } else {
            Err(Rejected::Digest)
        }
    }
}
