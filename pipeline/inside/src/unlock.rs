//! Encrypted volumes, by the keys at hand.

use super::detect::Refused;
use pfh_encrypted::{Failure, Keys, Opened};
use pfh_volume::Bytes;
use std::sync::Arc;

/// Opens the volume that has the magic of `format`.
///
/// # Errors
/// Why it stays closed. Damage is damage also where formats that are not read may be skipped.
pub fn open(format: &str, bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Opened, Refused> {
    match pfh_encrypted::open(bytes, keys) {
        Ok(Some(opened)) => Ok(opened),
        Ok(None) => Err(Refused { why: format!("is encrypted ({format})"), is_damaged: false }),
        Err(failure) => {
            let is_damaged = matches!(failure, Failure::Unreadable(..) | Failure::Damaged { .. });
            Err(Refused { why: format!("is encrypted ({format}): {failure}"), is_damaged })
        }
    }
}
