//! The manifest of a request, with the seal that is beside it.

use super::manifest::read;
use super::{Error, Expectations, Request};
use crate::algorithms::REGISTRY;
use pfh_custody::seal::{self, Held};

/// Verifies the seal of the manifest that is asked for, if it has one, and reads the manifest.
///
/// # Errors
/// When the seal does not hold, or the manifest cannot be read.
pub fn open(request: &Request) -> Result<(Option<Held>, Expectations), Error> {
    let mut options = request.options();
    // The seal first: of a manifest that was changed nothing is worth comparing.
    let held = seal::verify(&request.manifest, &options, REGISTRY, request.key.as_deref())?;
    // The seal knows the algorithm of digests that do not name theirs.
    options.assumed.extend(held.as_ref().and_then(|held| held.algorithm));
    let expectations = read(&request.manifest, &options)?;
    Ok((held, expectations))
}
