//! Keys that are wrapped with AES-CCM.

use crate::failure::Failure;
use crate::field::le32;
use crate::key::Secret;
use aes::Aes256;
use ccm::aead::{Aead, KeyInit};
use ccm::consts::{U12, U16};
use zeroize::Zeroizing;

/// A wrapped key: nonce, tag, bytes.
pub struct WrappedKey {
    nonce: [u8; 12],
    /// The bytes, and the tag behind them.
    sealed: Vec<u8>,
}

/// Bytes in front of a key that was unwrapped: its size, kind, and method.
const PREFACE: usize = 12;

impl WrappedKey {
    /// `None` if it is too short.
    pub fn parse(data: &[u8]) -> Option<WrappedKey> {
        let (nonce, rest) = data.split_first_chunk::<12>()?;
        let (tag, bytes) = rest.split_first_chunk::<16>()?;
        Some(WrappedKey { nonce: *nonce, sealed: [bytes, tag].concat() })
    }

    /// The plain bytes, with their preface; `None` for another key.
    pub fn open(&self, key: &Secret) -> Option<Zeroizing<Vec<u8>>> {
        let ccm = ccm::Ccm::<Aes256, U16, U12>::new_from_slice(&**key).ok()?;
        ccm.decrypt(&self.nonce.into(), &*self.sealed).ok().map(Zeroizing::new)
    }

    /// A key of 32 bytes; `None` for another key.
    pub fn key(&self, key: &Secret) -> Option<Secret> {
        let plain = self.open(key)?;
        let bytes: [u8; 32] = plain.get(PREFACE..PREFACE + 32)?.try_into().ok()?;
        Some(Zeroizing::new(bytes))
    }
}

/// The key of the data.
pub struct DataKey {
    /// Its bytes.
    pub bytes: Zeroizing<Vec<u8>>,
    /// The method of encryption that it is used with.
    pub method: u16,
}

/// Unwraps the key of the data with that of the volume.
pub fn data_key(wrapped: Option<&WrappedKey>, at: u64, key: &Secret) -> Result<DataKey, Failure> {
    let Some(wrapped) = wrapped else {
        return Err(Failure::damaged(at, "BitLocker's metadata have no key of the data"));
    };
    let Some(plain) = wrapped.open(key) else {
        return Err(Failure::damaged(at, "the key of the data does not open with the volume's"));
    };
    let method = le32(&plain, 8) as u16;
    let bytes = Zeroizing::new(plain.get(PREFACE..).unwrap_or_default().to_vec());
    Ok(DataKey { bytes, method })
}
