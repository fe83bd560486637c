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
use pfh_source::terminal::shown;
use pfh_source::{Document, os};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Most bytes that a key file may have.
const MOST: u64 = 16 << 10;

/// Why a file gives no key. The text holds nothing of the file's content.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read, or is not text.
    #[error("{}: {error}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The file holds no private key.
    #[error("{}: no Ed25519 private key: make one with `openssl genpkey -algorithm ed25519`", shown(.0))]
    NotPrivate(PathBuf),
    /// The private key is encrypted, and nobody can be asked for its passphrase.
    #[error("{}: the private key is encrypted, and its passphrase cannot be asked for: {why}", shown(path))]
    Encrypted {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The passphrase is not that of the private key, or the key is encrypted in a way that is not
    /// read.
    #[error("{}: {}", shown(path), if *is_wrong { "the passphrase is wrong" } else { "encrypted in a way that is not read: make it with `openssl pkcs8 -topk8 -v2 aes256`" })]
    Passphrase {
        /// The file.
        path: PathBuf,
        /// Whether it was read, and the passphrase is wrong.
        is_wrong: bool,
    },
    /// Others than its owner can replace the key.
    #[error("{}: others can write to this private key, and make it theirs: chmod 600 it", shown(.0))]
    Writable(PathBuf),
    /// The file holds no key at all.
    #[error("{}: no Ed25519 public key: make one with `openssl pkey -pubout`", shown(.0))]
    NotPublic(PathBuf),
    /// The file holds digits, and they are not a public key.
    #[error("{}: 64 digits that are not an Ed25519 public key; those of a private key do not serve in its place", shown(.0))]
    NotPublicDigits(PathBuf),
    /// The key is a point of small order: signatures under it fit every message.
    #[error("{}: a weak key, under which signatures fit every message: no one owns it", shown(.0))]
    Weak(PathBuf),
    /// The file holds the digits of the private key by whose public key the signature is.
    #[error("{}: this is the private key that signed it: give the public key, {}", shown(path), hex::encode(public))]
    Private {
        /// The file.
        path: PathBuf,
        /// The public key.
        public: [u8; 32],
    },
}

fn read(path: &Path) -> Result<String, KeyError> {
    Document::read_text(path, MOST).map_err(|error| KeyError::Read { path: path.to_owned(), error })
}

/// Whether others than its owner can read a private key's file: they can sign in the owner's name.
pub fn is_exposed(path: &Path) -> bool {
    os::others_may_read(path)
}

/// The 32 bytes of 64 hexadecimal digits.
fn digits(text: &str) -> Option<[u8; 32]> {
    hex::decode(text.trim().as_bytes()).and_then(|bytes| bytes.try_into().ok())
}

/// Stands in the first line of an encrypted key.
const ENCRYPTED: &str = "BEGIN ENCRYPTED PRIVATE KEY";

/// Asks for the passphrase of an encrypted key, by the key's name.
type Ask = fn(&str) -> io::Result<Vec<u8>>;

static ASK: OnceLock<Ask> = OnceLock::new();

/// Encrypted keys that were decrypted, by their text: a command that looks at its key
/// before a long run and signs behind it asks once.
static OPENED: Mutex<Vec<(String, SigningKey)>> = Mutex::new(Vec::new());

/// Says how the passphrase of an encrypted private key is asked for. Without this, and wherever it
/// fails, such a key is refused. The first call of the process holds.
pub fn ask_with(ask: Ask) {
    let _ = ASK.set(ask);
}

/// The passphrase of an encrypted key, asked for.
fn asked(path: &Path) -> Result<Vec<u8>, KeyError> {
    let fail = |why: String| KeyError::Encrypted { path: path.to_owned(), why };
    let ask = ASK.get().ok_or_else(|| fail("there is no terminal".into()))?;
    ask(&shown(path)).map_err(|error| fail(error.to_string()))
}

/// Decrypts a key in PKCS#8 (RFC 5958, PBES2).
fn decrypt(
    path: &Path,
    text: &str,
    passphrase: impl FnOnce() -> Result<Vec<u8>, KeyError>,
) -> Result<SigningKey, KeyError> {
    let unread = |is_wrong| KeyError::Passphrase { path: path.to_owned(), is_wrong };
    let (label, document) = pkcs8::SecretDocument::from_pem(text).map_err(|_| unread(false))?;
    if label != "ENCRYPTED PRIVATE KEY" {
        return Err(unread(false));
    }
    let key = pkcs8::EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).map_err(|_| unread(false))?;
    let mut passphrase = passphrase()?;
    let decrypted = key.decrypt(&passphrase);
    passphrase.fill(0);
    let decrypted = decrypted.map_err(|error| match error {
        // A wrong passphrase is seen by the padding of the last block.
        pkcs8::Error::EncryptedPrivateKey(pkcs8::pkcs5::Error::DecryptFailed) => unread(true),
        _ => unread(false),
    })?;
    // One in 256 wrong passphrases leaves a padding that holds, and bytes that are not a key.
    let is_key = pkcs8::PrivateKeyInfoRef::try_from(decrypted.as_bytes()).is_ok();
    let not_private = || if is_key { KeyError::NotPrivate(path.to_owned()) } else { unread(true) };
    SigningKey::from_pkcs8_der(decrypted.as_bytes()).map_err(|_| not_private())
}

/// An encrypted key, which this process decrypts once.
fn opened(
    path: &Path,
    text: String,
    passphrase: impl FnOnce() -> Result<Vec<u8>, KeyError>,
) -> Result<SigningKey, KeyError> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, key)) = opened.iter().find(|(known, _)| *known == text) {
        return Ok(key.clone());
    }
    let key = decrypt(path, &text, passphrase)?;
    opened.push((text, key.clone()));
    Ok(key)
}

/// Decrypts the key in this file, so that [`signing`] reads it without a question for as long as
/// the process lives. A key that is not encrypted is left as it is.
///
/// # Errors
/// When the file cannot be read, or the passphrase is wrong.
pub fn unlock(path: &Path, passphrase: &[u8]) -> Result<(), KeyError> {
    let text = read(path)?;
    if !text.contains(ENCRYPTED) {
        return Ok(());
    }
    opened(path, text, || Ok(passphrase.to_vec())).map(|_| ())
}

/// Reads a private key. For an encrypted one its passphrase is asked for ([`ask_with`]).
///
/// # Errors
/// When the file cannot be read or holds no private key, or it cannot be decrypted.
pub fn signing(path: &Path) -> Result<SigningKey, KeyError> {
    let text = read(path)?;
    if os::others_may_write(path) {
        return Err(KeyError::Writable(path.to_owned()));
    }
    if let Some(seed) = digits(&text) {
        return Ok(SigningKey::from_bytes(&seed));
    }
    if text.contains(ENCRYPTED) {
        return opened(path, text, || asked(path));
    }
    SigningKey::from_pkcs8_pem(&text).map_err(|_| KeyError::NotPrivate(path.to_owned()))
}

/// Reads a public key, or the public half of a private key's file.
///
/// # Errors
/// When the file cannot be read or holds no key.
pub fn verifying(path: &Path) -> Result<VerifyingKey, KeyError> {
    let text = read(path)?;
    let key = if let Some(bytes) = digits(&text) {
        VerifyingKey::from_bytes(&bytes).map_err(|_| KeyError::NotPublicDigits(path.to_owned()))?
    } else if text.contains("PRIVATE KEY") {
        signing(path)?.verifying_key()
    } else {
        VerifyingKey::from_public_key_pem(&text).map_err(|_| KeyError::NotPublic(path.to_owned()))?
    };
    // Under a point of small order a signature fits every message (RFC 8032, 5.1.7 takes them).
    if key.is_weak() { Err(KeyError::Weak(path.to_owned())) } else { Ok(key) }
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

    /// The private key of RFC 8410, encrypted by `openssl pkcs8 -topk8` (3.0) under `secret`:
    /// PBKDF2, scrypt, and PKCS#12's old way with triple DES.
    const ENCRYPTED: [&str; 3] = [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhbug7jlyoKfQICCAAw\nDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELbCz2hg0/QgBrE1f5DrVqgEQO8N\nmc0a7HnU4ng7KAUTsbV+U4NaIJOGk2UrKJBLaFmnd0p0cC19jTPCCaVJHIrxF2ft\nnINSSfzDjb916S5kytQ=\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGTME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAjDObqESZxxsgICQAAC\nAQgCAQEwHQYJYIZIAWUDBAEqBBDRyNLeoCvmrVtFI4rS2/QmBEBU000H1UycU0Be\nKxsv/4b+S9uueSmjis2Mkib5HEg8IfUbNYDWBmHarsI1YSa6BZw23Bqhj9CfuYTD\naAUh2RsK\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMFgwHAYKKoZIhvcNAQwBAzAOBAhJwQ7+7cFYaAICCAAEOEdpreWkLUITA672uaPL\n4hc/2+BL4POi5YROXLXv1q5LBbYttXp8OG3Ry8F/nZt5TIkWz9ftJO8/\n-----END ENCRYPTED PRIVATE KEY-----\n",
    ];

    #[test]
    fn an_encrypted_key_takes_its_passphrase() {
        let room = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = room.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let plain = signing(&file("plain", PRIVATE)).unwrap();
        let refused = signing(&file("secret-1", ENCRYPTED[0]));
        assert!(matches!(refused, Err(KeyError::Encrypted { .. })), "there is nobody to ask");
        // The name of the file selects the answer; the passphrase is asked for once for a key.
        ask_with(|name| match name.rsplit('/').next() {
            Some(word) if word.starts_with("secret") => Ok(b"secret".to_vec()),
            Some(word) if word.starts_with("wrong") => Ok(b"wrong".to_vec()),
            _ => Err(io::Error::other("cancelled")),
        });
        for (number, text) in ENCRYPTED[..2].iter().enumerate() {
            let wrong = signing(&file(&format!("wrong{number}"), text));
            assert!(matches!(wrong, Err(KeyError::Passphrase { is_wrong: true, .. })), "{number}");
            let cancelled = signing(&file("nobody", text));
            assert!(cancelled.unwrap_err().to_string().contains("cancelled"));
            assert_eq!(signing(&file("secret", text)).unwrap(), plain);
            assert_eq!(signing(&file("nobody", text)).unwrap(), plain, "it is known by now");
            assert_eq!(verifying(&file("nobody", text)).unwrap(), plain.verifying_key());
        }
        for text in [ENCRYPTED[2], &ENCRYPTED[0][..120]] {
            let unread = signing(&file("secret", text));
            assert!(matches!(unread, Err(KeyError::Passphrase { is_wrong: false, .. })));
        }
    }

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
        let message = not_private(written(&seed), |key| *key == public).unwrap_err().to_string();
        assert!(message.contains(&digits) && !message.contains(&seed), "{message}");
        assert!(not_private(written(&digits), |key| *key == public).is_ok());
    }

    /// The points of order 1, 2, 4 and 8 (RFC 7748 and "Taming the many EdDSAs", 2020, Table 6).
    #[test]
    fn weak_keys_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for weak in [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ] {
            std::fs::write(file.path(), weak).unwrap();
            assert!(matches!(verifying(file.path()), Err(KeyError::Weak(_))), "{weak}");
        }
    }
}
