//! The state of a device: medium, write block, and whether it turns.

use super::answer::property;
use super::bytes::u8_at;
use super::{Asks, Fault, code, error};

/// StorageDeviceSeekPenaltyProperty.
const SEEK_PENALTY: u32 = 7;

/// Whether a device turns, by whether seeks cost time.
///
/// # Errors
/// When the driver does not state it: those of old bridges do not.
pub fn is_rotational(asks: &dyn Asks) -> Result<bool, Fault> {
    let answer = property(asks, SEEK_PENALTY)?;
    u8_at(&answer, 8, "the costs of seeks").map(|costs| costs != 0)
}

/// Whether the system refuses to write to a device; `None` if that cannot be asked.
pub fn is_write_blocked(asks: &dyn Asks) -> Option<bool> {
    match asks.ask(code::DISK_IS_WRITABLE, &[], 0) {
        Ok(_) => Some(false),
        Err(error::WRITE_PROTECT) => Some(true),
        Err(_) => None,
    }
}

/// Whether a drive has a medium. A drive that cannot be asked counts as one that has.
pub fn has_medium(asks: &dyn Asks) -> bool {
    let asked = asks.ask(code::STORAGE_CHECK_VERIFY2, &[], 0);
    !matches!(asked, Err(error::NOT_READY | error::NO_MEDIA_IN_DRIVE))
}
