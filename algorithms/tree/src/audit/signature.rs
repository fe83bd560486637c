//! Signed answers: evidence for third parties that this server said so.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::{Challenge, Commitment, Proof, Rejected};

/// Before what is signed, so that the signature is good for nothing else.
const CONTEXT: &[u8] = b"pfh audit 1 signed transcript\0";

impl Proof {
    /// The proof with an Ed25519 signature (RFC 8032) of its transcript.
    pub fn sign(mut self, key: &SigningKey) -> Proof {
        let signature = key.sign(&[CONTEXT, &self.transcript].concat());
        self.signature = Some((key.verifying_key().to_bytes(), signature.to_bytes()));
        self
    }
}

impl Commitment {
    /// [`verify`](Commitment::verify), and the proof is signed by the key that the auditor expects.
    ///
    /// # Errors
    /// Whatever is wrong with the answer.
    pub fn verify_signed(&self, challenge: &Challenge, proof: &Proof, key: &VerifyingKey) -> Result<(), Rejected> {
        let (named, signature) = proof.signature.as_ref().ok_or(Rejected::Signature)?;
        let signed = [CONTEXT, &proof.transcript].concat();
        let genuine = key.verify_strict(&signed, &Signature::from_bytes(signature)).is_ok();
        if named != key.as_bytes() || !genuine {
            return Err(Rejected::Signature);
        }
        self.verify(challenge, proof)
    }
}
