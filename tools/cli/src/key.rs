//! Ed25519 keys in files: PEM as `openssl genpkey -algorithm ed25519` writes it (RFC 8410), or 64 hexadecimal digits.

use crate::shown;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey};
use ed25519_dalek::{SigningKey, VerifyingKey};
use std::path::Path;

/// Most bytes that a key file may have.
const MOST: u64 = 16 << 10;

fn read(path: &Path) -> Result<String, String> {
    use std::io::Read;
    let name = shown(path.as_os_str().as_encoded_bytes());
    let file = std::fs::File::open(path).map_err(|e| format!("{name}: {e}"))?;
    let mut text = String::new();
    file.take(MOST).read_to_string(&mut text).map_err(|e| format!("{name}: {e}"))?;
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
/// A sentence for the user; it holds nothing of the key.
pub fn signing(path: &Path) -> Result<SigningKey, String> {
    let text = read(path)?;
    if let Some(seed) = digits(&text) {
        return Ok(SigningKey::from_bytes(&seed));
    }
    SigningKey::from_pkcs8_pem(&text).map_err(|_| {
        let name = shown(path.as_os_str().as_encoded_bytes());
        format!("{name}: no Ed25519 private key: make one with `openssl genpkey -algorithm ed25519`")
    })
}

/// Reads a public key; a private key's file will do, too.
///
/// # Errors
/// A sentence for the user.
pub fn verifying(path: &Path) -> Result<VerifyingKey, String> {
    let text = read(path)?;
    let name = shown(path.as_os_str().as_encoded_bytes());
    let wrong = || format!("{name}: no Ed25519 public key: make one with `openssl pkey -pubout`");
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
