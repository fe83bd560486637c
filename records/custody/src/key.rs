//! Ed25519 keys in files: PEM as `openssl genpkey -algorithm ed25519` writes it (RFC 8410), or 64
//! hexadecimal digits.
//!
//! PEM states whether a key is private or public. Digits do not: they are what the purpose needs.
//! Digits of a private key that are given in place of the public one are reported as such
//! ([`not_private`]) as soon as there is a signature by which they can be distinguished.
//!
//! ```
//! # let room = std::env::temp_dir().join(format!("pfh-key-{}", std::process::id()));
//! std::fs::write(&room, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")?;
//! let key = pfh_custody::key::signing(&room)?;
//! assert_eq!(key.verifying_key().to_bytes()[..2], [0xd7, 0x5a]);
//! # std::fs::remove_file(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
pub use ed25519_dalek::{SigningKey, VerifyingKey};
use pfh_digest::hex;
use pfh_source::terminal;
use std::io;
use std::path::{Path, PathBuf};

/// Most bytes that a key file may have.
const MOST: u64 = 16 << 10;

/// Why a file gives no key. The text holds nothing of the file's content.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read, or is no text.
    #[error("{}: {error}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file holds no private key.
    #[error("{}: no Ed25519 private key: make one with `openssl genpkey -algorithm ed25519`", shown(.0))]
    NotPrivate(PathBuf),
    /// The file holds no key at all.
    #[error("{}: no Ed25519 public key: make one with `openssl pkey -pubout`", shown(.0))]
    NotPublic(PathBuf),
    /// The file holds digits, and they are no public key.
    #[error("{}: 64 digits that are no Ed25519 public key; those of a private key do not serve in its place", shown(.0))]
    NotPublicDigits(PathBuf),
    /// The file holds the digits of the private key by whose public key the signature is.
    #[error("{}: this is the private key that signed it: give the public key, {}", shown(path), hex::encode(public))]
    Private {
        /// The file.
        path: PathBuf,
        /// The public key.
        public: [u8; 32],
    },
}

fn shown(path: &Path) -> String {
    terminal::render(path.as_os_str().as_encoded_bytes())
}

fn read(path: &Path) -> Result<String, KeyError> {
    use io::Read;
    let failed = |error| KeyError::Read { path: path.to_owned(), error };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// The 32 bytes of 64 hexadecimal digits.
fn digits(text: &str) -> Option<[u8; 32]> {
    hex::decode(text.trim().as_bytes()).and_then(|bytes| bytes.try_into().ok())
}

/// Reads a private key.
///
/// # Errors
/// When the file cannot be read or holds no private key.
pub fn signing(path: &Path) -> Result<SigningKey, KeyError> {
    let text = read(path)?;
    if let Some(seed) = digits(&text) {
        return Ok(SigningKey::from_bytes(&seed));
    }
    SigningKey::from_pkcs8_pem(&text).map_err(|_| KeyError::NotPrivate(path.to_owned()))
}

/// Reads a public key, or the public half of a private key's file.
///
/// # Errors
/// When the file cannot be read or holds no key.
pub fn verifying(path: &Path) -> Result<VerifyingKey, KeyError> {
    let text = read(path)?;
    if let Some(bytes) = digits(&text) {
        return VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::NotPublicDigits(path.to_owned()));
    }
    if text.contains("PRIVATE KEY") {
        return signing(path).map(|key| key.verifying_key());
    }
    VerifyingKey::from_public_key_pem(&text).map_err(|_| KeyError::NotPublic(path.to_owned()))
}

/// Looks, after a signature was found not to be that of the public key in a file, whether the file
/// holds the private key: `has_signed` says whether the signature is that of a public key.
///
/// # Errors
/// With [`KeyError::Private`] if it does, and when the file cannot be read.
pub fn not_private(path: &Path, has_signed: impl FnOnce(&VerifyingKey) -> bool) -> Result<(), KeyError> {
    let public = digits(&read(path)?).map(|seed| SigningKey::from_bytes(&seed).verifying_key());
    match public.filter(has_signed) {
        Some(public) => Err(KeyError::Private { path: path.to_owned(), public: public.to_bytes() }),
        None => Ok(()),
    }
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
        let digits = hex::encode(&public.to_bytes());
        assert_eq!(verifying(written(&digits)).unwrap(), public);
        for wrong in ["", "zz", PUBLIC] {
            assert!(signing(written(wrong)).is_err(), "{wrong}");
        }
        let seed = hex::encode(&signing(written(PRIVATE)).unwrap().to_bytes());
        let told = not_private(written(&seed), |key| *key == public).unwrap_err().to_string();
        assert!(told.contains(&digits) && !told.contains(&seed), "{told}");
        assert!(not_private(written(&digits), |key| *key == public).is_ok());
    }
}
