//! Volumes that need a key: the plain volume inside as [`Bytes`], decrypted as it is read.
//!
//! - **BitLocker** of Windows Vista to 11: AES-CBC with and without the diffuser, AES-XTS; opened
//!   by a password, a recovery password, a startup key (`.BEK`), or the key of a volume whose
//!   protection is suspended.
//! - **LUKS1 and LUKS2**: AES in XTS, CBC and ECB; PBKDF2 and Argon2; opened by a passphrase or a
//!   key file.
//! - **CoreStorage**: FileVault 2 of OS X 10.7 to macOS 10.15, by a password of its users, for a
//!   volume that starts a Mac with its `EncryptedRoot.plist.wipekey` beside it; volumes without
//!   encryption.
//! - **FileVault of APFS**: the cipher of a volume, by a password of its users; its files are those
//!   of the file system's reader.
//!
//! A volume's own checksums decide whether its metadata are whole, and a key is tried before
//! anything is decrypted: a key that does not fit is a [`Failure`], so that noise is never hashed.
#![forbid(unsafe_code)]

mod apfs;
mod bitlocker;
mod corestorage;
mod decrypted;
mod failure;
mod field;
mod key;
mod luks;
mod mode;
mod opened;

pub use apfs::{ApfsVolume, volume_cipher};
pub use failure::Failure;
pub use key::{Key, Keys};
pub use mode::Cipher;
pub use opened::OpenedVolume;

use pfh_container::Bytes;
use std::sync::Arc;

/// Opens an encrypted volume; `None` for a format that is not read here.
///
/// # Errors
/// If the medium cannot be read there, its metadata contradict themselves, or no key fits.
pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Option<OpenedVolume>, Failure> {
    for open in [bitlocker::open, corestorage::open, luks::open] {
        if let Some(opened) = open(bytes, keys)? {
            return Ok(Some(opened));
        }
    }
    Ok(None)
}
