//! The digest that binds a challenge and its answer.

use super::{Challenge, Commitment};

const TRANSCRIPT: &str = "pfh audit 1 transcript";

/// The digest of everything that has been said.
pub(super) struct Transcript(blake3::Hasher);

impl Transcript {
    pub(super) fn new(challenge: &Challenge, commitment: &Commitment, leaves: u64) -> Transcript {
        let mut transcript = Transcript(blake3::Hasher::new_derive_key(TRANSCRIPT));
        let parameters = commitment.parameters();
        transcript.bind(&challenge.encode());
        transcript.bind(parameters.function().name().as_bytes());
        transcript.bind(&(parameters.leaf_length() as u64).to_le_bytes());
        transcript.bind(&leaves.to_le_bytes());
        transcript
    }

    pub(super) fn bind(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(super) fn finish(&self) -> blake3::Hash {
        self.0.finalize()
    }
}
