//! Volumes that need a key: the plain volume inside as [`Bytes`], decrypted as it is read.
//!
//! - **BitLocker** of Windows Vista to 11: AES-CBC with and without the diffuser, AES-XTS; opened
//!   by a password, a recovery password, a startup key (`.BEK`), or the key of a volume whose
//!   protection is suspended.
//! - **LUKS1 and LUKS2**: AES in XTS, CBC and ECB; PBKDF2 and Argon2; opened by a passphrase or a
//!   key file.
//!
//! A volume's own checksums decide whether its metadata are whole, and a key is tried before
//! anything is decrypted: what does not fit is a [`Failure`], and never noise that is hashed.
#![forbid(unsafe_code)]

mod bitlocker;
mod decrypted;
mod failure;
mod field;
mod key;
mod luks;
mod mode;
mod opened;

pub use failure::Failure;
pub use key::{Key, Keys};
pub use opened::Opened;

use pfh_container::Bytes;
use std::sync::Arc;

/// Opens an encrypted volume; `None` if it is of no format that is read here.
///
/// # Errors
/// If the medium cannot be read there, its metadata contradict themselves, or no key fits.
pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Option<Opened>, Failure> {
    match bitlocker::open(bytes, keys)? {
        Some(opened) => Ok(Some(opened)),
        None => luks::open(bytes, keys),
    }
}
