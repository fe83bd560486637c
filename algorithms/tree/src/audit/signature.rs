//! Signed answers: evidence for third parties that this server gave the answer.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::{Challenge, Commitment, Proof, ProvenAnswer, Rejection};

/// Stands before the signed transcript, so that the signature is good for nothing else.
const CONTEXT: &[u8] = b"pfh audit 1 signed transcript\0";

/// Signs transcripts: the public key, and the Ed25519 signature (RFC 8032).
pub fn signing(key: &SigningKey) -> impl Fn(&[u8; 32]) -> ([u8; 32], [u8; 64]) {
    let key = key.clone();
    move |transcript| {
        let signature = key.sign(&[CONTEXT, transcript].concat());
        (key.verifying_key().to_bytes(), signature.to_bytes())
    }
}

/// The key of a signature that is genuine, or nothing if there is none.
pub(super) fn signer(
    transcript: &[u8; 32],
    signature: Option<&([u8; 32], [u8; 64])>,
) -> Result<Option<VerifyingKey>, Rejection> {
    let Some((named, signature)) = signature else { return Ok(None) };
    let key = VerifyingKey::from_bytes(named).map_err(|_| Rejection::Signature)?;
    let signed = [CONTEXT, transcript].concat();
    key.verify_strict(&signed, &Signature::from_bytes(signature)).map_err(|_| Rejection::Signature)?;
    Ok(Some(key))
}

/// Holds a signer to the one that is expected.
fn expect(found: Option<VerifyingKey>, expected: &VerifyingKey) -> Result<(), Rejection> {
    match found {
        None => Err(Rejection::Unsigned),
        Some(found) if found == *expected => Ok(()),
        Some(_) => Err(Rejection::Signer),
    }
}

impl Proof {
    /// The proof with an Ed25519 signature (RFC 8032) of its transcript.
    pub fn sign(mut self, key: &SigningKey) -> Proof {
        self.signature = Some(signing(key)(&self.transcript));
        self
    }

    /// The key of the signature, which is genuine; nothing if there is no signature.
    ///
    /// # Errors
    /// If there is a signature, and it is not that of the key that it names.
    pub fn signer(&self) -> Result<Option<VerifyingKey>, Rejection> {
        signer(&self.transcript, self.signature.as_ref())
    }
}

impl ProvenAnswer {
    /// The key of the signature, which is genuine; nothing if there is no signature.
    ///
    /// # Errors
    /// If there is a signature, and it is not that of the key that it names.
    pub fn signer(&self) -> Result<Option<VerifyingKey>, Rejection> {
        signer(&self.transcript, self.signature.as_ref())
    }

    /// Holds the answer to the key that the auditor expects.
    ///
    /// # Errors
    /// If there is no signature, a wrong one, or another key's.
    pub fn signed_by(&self, key: &VerifyingKey) -> Result<(), Rejection> {
        expect(self.signer()?, key)
    }
}

impl Commitment {
    /// [`verify`](Commitment::verify), and the proof is signed by the key that the auditor expects.
    ///
    /// # Errors
    /// The fault of the answer.
    pub fn verify_signed(&self, challenge: &Challenge, proof: &Proof, key: &VerifyingKey) -> Result<(), Rejection> {
        expect(proof.signer()?, key)?;
        self.verify(challenge, proof)
    }
}
