//! Ed25519 keys in files: PEM as `openssl genpkey -algorithm ed25519` writes it (RFC 8410), or 64 hexadecimal digits.

use crate::shown;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
pub use ed25519_dalek::{SigningKey, VerifyingKey};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Most bytes that a key file may have.
const MOST: u64 = 16 << 10;

/// Why a file gives no key. Nothing of the key is in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("{}: {error}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        error: io::Error,
    },
    /// The file holds no private key.
    #[error("{}: no Ed25519 private key: make one with `openssl genpkey -algorithm ed25519`", shown(path))]
    Private {
        /// The file.
        path: PathBuf,
    },
    /// The file holds no public key.
    #[error("{}: no Ed25519 public key: make one with `openssl pkey -pubout`", shown(path))]
    Public {
        /// The file.
        path: PathBuf,
    },
}

fn read(path: &Path) -> Result<String, KeyError> {
    let fail = |error| KeyError::Io { path: path.to_owned(), error };
    let mut text = String::new();
    std::fs::File::open(path).and_then(|file| file.take(MOST).read_to_string(&mut text)).map_err(fail)?;
    Ok(text)
}

fn digits(text: &str) -> Option<[u8; 32]> {
    let text = text.trim();
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Reads a private key.
///
/// # Errors
/// When the file cannot be read, or holds no private key.
pub fn signing(path: &Path) -> Result<SigningKey, KeyError> {
    let text = read(path)?;
    if let Some(seed) = digits(&text) {
        return Ok(SigningKey::from_bytes(&seed));
    }
    SigningKey::from_pkcs8_pem(&text).map_err(|_| KeyError::Private { path: path.to_owned() })
}

/// Reads a public key, or that of a private key's file.
///
/// # Errors
/// When the file cannot be read, or holds no key.
pub fn verifying(path: &Path) -> Result<VerifyingKey, KeyError> {
    let text = read(path)?;
    let wrong = || KeyError::Public { path: path.to_owned() };
    if let Some(bytes) = digits(&text) {
        return VerifyingKey::from_bytes(&bytes).map_err(|_| wrong());
    }
    if text.contains("PRIVATE KEY") {
        return signing(path).map(|key| key.verifying_key());
    }
    VerifyingKey::from_public_key_pem(&text).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8410, §10.1 and §10.3.
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";

    #[test]
    fn the_examples_of_rfc_8410_are_one_pair() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let written = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            file.path()
        };
        let public = verifying(written(PUBLIC)).unwrap();
        assert_eq!(signing(written(PRIVATE)).unwrap().verifying_key(), public);
        assert_eq!(verifying(written(PRIVATE)).unwrap(), public);
        let hex: String = public.to_bytes().iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(verifying(written(&hex)).unwrap(), public);
        for wrong in ["", "zz", PUBLIC] {
            assert!(signing(written(wrong)).is_err(), "{wrong}");
        }
    }
}
