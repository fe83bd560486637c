//! The auditor's side: a question that nobody could foresee.

use crate::{Error, KeptCommitment};
use pfh_source::os::secret;
use pfh_tree::audit::{Challenge, Sample};

/// 32 bytes of the operating system ([`secret`]): never seen before, known to nobody.
///
/// # Errors
/// When the system has no random numbers.
pub fn seed() -> Result<[u8; 32], Error> {
    let mut nonce = [0; 32];
    secret(&mut nonce).map_err(Error::Random)?;
    Ok(nonce)
}

/// A challenge about a file, with a fresh nonce.
///
/// # Errors
/// When the system has no random numbers, or the sample makes no sense.
pub fn challenge(kept: &KeptCommitment, sample: Sample) -> Result<Challenge, Error> {
    Ok(Challenge::new(seed()?, kept.identity.clone(), &kept.commitment, sample)?)
}
