//! How an answer in memory is judged.

use super::{Challenge, Commitment, Proof, Rejection};
use crate::outboard::multiproof;

impl Commitment {
    /// Judges an answer: it shows just the leaves that the challenge asks for, they belong to the
    /// file, and a signature, if there is one, is that of the key that it names.
    ///
    /// # Errors
    /// The fault of the answer, which then proves nothing.
    pub fn verify(&self, challenge: &Challenge, proof: &Proof) -> Result<(), Rejection> {
        self.parameters().unlocked().map_err(Rejection::Locked)?;
        if !challenge.is_about(self) {
            return Err(Rejection::Challenge);
        }
        // The number of leaves that a challenge claims costs nothing before as many have been
        // shown.
        if proof.leaves.len() as u64 != challenge.sample().size(self.leaf_count()) {
            return Err(Rejection::Leaves);
        }
        let indices = challenge.indices(self.leaf_count());
        if indices.iter().zip(&proof.leaves).any(|(&index, leaf)| leaf.len() as u64 != self.leaf_length(index)) {
            return Err(Rejection::Leaves);
        }
        // blake3::Hash compares in constant time.
        if proof.transcript(challenge, self) != blake3::Hash::from_bytes(proof.transcript) {
            return Err(Rejection::Transcript);
        }
        #[cfg(feature = "ed25519")]
        super::signature::signer(&proof.transcript, proof.signature.as_ref())?;
        let leaves: Vec<(u64, &[u8])> = indices.iter().copied().zip(proof.leaves()).collect();
        let values = self.parameters().leaves_of(self.length(), &leaves);
        let known = indices.into_iter().zip(values).collect();
        let root =
            multiproof::root(&self.parameters(), self.length(), known, &proof.siblings).ok_or(Rejection::Shape)?;
        if blake3::Hash::from_bytes(root) == blake3::Hash::from_bytes(*self.root()) {
            Ok(())
        } else {
            Err(Rejection::Root)
        }
    }
}
