//! The auditor's side: a question that nobody could foresee.

use crate::{Error, Kept};
use pfh_tree::audit::{Challenge, Sample};

/// A challenge about a file, with a nonce of the operating system (`getrandom`): never used before, known to nobody.
///
/// # Errors
/// When the system has no random numbers, or the sample makes no sense.
pub fn challenge(kept: &Kept, sample: Sample) -> Result<Challenge, Error> {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).map_err(Error::Random)?;
    Ok(Challenge::new(nonce, kept.identity.clone(), &kept.commitment, sample)?)
}
