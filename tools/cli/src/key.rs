//! Keys in files, for commands whose errors are sentences.

use ed25519_dalek::{SigningKey, VerifyingKey};
use std::path::Path;

/// [`pfh::key::signing`].
///
/// # Errors
/// A sentence for the user; it holds nothing of the key.
pub fn signing(path: &Path) -> Result<SigningKey, String> {
    pfh::key::signing(path).map_err(|error| error.to_string())
}

/// [`pfh::key::verifying`].
///
/// # Errors
/// A sentence for the user.
pub fn verifying(path: &Path) -> Result<VerifyingKey, String> {
    pfh::key::verifying(path).map_err(|error| error.to_string())
}
