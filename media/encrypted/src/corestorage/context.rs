//! The context of an encryption: the keys of a volume, wrapped, in a property list. That of a
//! volume that starts a Mac is a file of its own, `EncryptedRoot.plist.wipekey`.

use crate::field::le32;
use crate::key::Key;
use crate::luks::derive::MOST_ROUNDS;
use crate::mode::Cipher;
use aes_kw::KwAes128;
use hmac::Hmac;
use hmac::digest::KeyInit;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Bytes of a wrapped key.
const WRAPPED: usize = 24;
/// The most users and keys that are tried.
const MOST: usize = 256;

type Secret = Zeroizing<[u8; 16]>;

/// A password's key.
struct User {
    salt: [u8; 16],
    wrapped: [u8; WRAPPED],
    rounds: u32,
}

/// The keys of a volume.
pub struct Context {
    users: Vec<User>,
    volume: Vec<[u8; WRAPPED]>,
    /// The hint of the first password that has one.
    pub hint: Option<String>,
}

/// The values of a key in the text of a property list, with this kind of element.
pub fn values<'a>(text: &'a str, key: &str, element: &str) -> impl Iterator<Item = &'a str> {
    let (key, open, close) = (format!("<key>{key}</key>"), format!("<{element}"), format!("</{element}>"));
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.split_once(&*key)?.1;
        // Another element stands there where a value is that of an earlier one.
        let Some(value) = rest.trim_start().strip_prefix(&*open) else { return Some(None) };
        Some(value.split_once('>').and_then(|(_, value)| value.split_once(&*close)).map(|(value, _)| value))
    })
    .flatten()
}

/// The bytes of a value in Base64, which may be in several lines.
fn bytes(value: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = value.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    data_encoding::BASE64.decode(&digits).ok()
}

impl Context {
    /// The context in a text; `None` if it has none.
    pub fn new(text: &str) -> Option<Context> {
        let users = values(text, "PassphraseWrappedKEKStruct", "data").filter_map(|value| {
            let raw = bytes(value)?;
            Some(User {
                salt: raw.get(8..24)?.try_into().ok()?,
                wrapped: raw.get(32..32 + WRAPPED)?.try_into().ok()?,
                rounds: le32(&raw, 168),
            })
        });
        let volume = values(text, "KEKWrappedVolumeKeyStruct", "data")
            .filter_map(|value| bytes(value)?.get(8..8 + WRAPPED)?.try_into().ok());
        let hint = values(text, "PassphraseHint", "string").find(|hint| !hint.is_empty()).map(str::to_owned);
        let context = Context { users: users.take(MOST).collect(), volume: volume.take(MOST).collect(), hint };
        (!context.users.is_empty() || !context.volume.is_empty()).then_some(context)
    }

    /// The context in a key file, which the UUID of the physical volume encrypts.
    pub fn of_file(key: &Key, physical: [u8; 16]) -> Option<Context> {
        let Key::File(content) = key else { return None };
        let mut raw = content.to_vec();
        if !raw.starts_with(b"<") && raw.len() >= 16 {
            Cipher::xts(&[physical, [0; 16]].concat(), raw.len())?.decrypt(0, &mut raw);
        }
        Context::new(&String::from_utf8_lossy(&raw))
    }

    /// The key of the volume, by one of these passwords.
    pub fn open<'a>(&self, passwords: impl Iterator<Item = &'a [u8]>) -> Option<Secret> {
        for password in passwords {
            for user in self.users.iter().filter(|user| user.rounds <= MOST_ROUNDS) {
                let mut own = Secret::default();
                pbkdf2::pbkdf2::<Hmac<Sha256>>(password, &user.salt, user.rounds.max(1), &mut *own).ok()?;
                let Some(key) = unwrap(&own, &user.wrapped) else { continue };
                if let Some(found) = self.volume.iter().find_map(|wrapped| unwrap(&key, wrapped)) {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// RFC 3394; `None` if the key does not fit.
fn unwrap(by: &Secret, wrapped: &[u8; WRAPPED]) -> Option<Secret> {
    let mut key = Secret::default();
    KwAes128::new_from_slice(&**by).ok()?.unwrap_key(wrapped, &mut *key).ok()?;
    Some(key)
}

/// The key of a volume's cipher: its own, and that of the tweaks, by the UUID of the family.
pub fn cipher(key: &Secret, family: [u8; 16]) -> Option<Cipher> {
    let tweak = Sha256::new().chain_update(**key).chain_update(family).finalize();
    Cipher::xts(&Zeroizing::new([&**key, &tweak[..16]].concat()), 512)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap()
    }

    /// A volume of macOS (`fvdetest` of dfvfs, password `fvde-TEST`); the values are those that
    /// `fvdeinfo` states at each step.
    #[test]
    fn the_keys_of_a_volume_of_macos() {
        let mut user = vec![0; 284];
        user[8..24].copy_from_slice(&hex("9bfcf480e4d9ad0eddd9ac6f47b85955"));
        user[32..56].copy_from_slice(&hex("ebbc1f64b9684eb4b26bfba3f85578677bab8cfafaf7b2c1"));
        user[168..172].copy_from_slice(&90_506_u32.to_le_bytes());
        let mut volume = vec![0; 256];
        volume[8..32].copy_from_slice(&hex("9a5b30e99f902ed8e2f03989e5f9c1543ed60512aa1dc9d1"));
        let base64 = |raw: &[u8]| data_encoding::BASE64.encode(raw);
        let text = format!(
            "<key>PassphraseWrappedKEKStruct</key><data ID=\"4\">{}</data><key>PassphraseHint</key><reference \
             IDREF=\"8\"/><key>KEKWrappedVolumeKeyStruct</key><data ID=\"19\"></data>\
             <key>KEKWrappedVolumeKeyStruct</key><data ID=\"23\">\n{}\n</data>",
            base64(&user),
            base64(&volume)
        );
        let context = Context::new(&text).unwrap();
        assert_eq!(context.hint, None);
        assert!(context.open([&b"fvde-test"[..]].into_iter()).is_none());
        let key = context.open([&b"other"[..], b"fvde-TEST"].into_iter()).unwrap();
        assert_eq!(key[..], hex("d0d9c323197c62401c6e6b48f1c0f9d7"));
        let family: [u8; 16] = hex("1f01ca345f6c4123ac0cb0a256889db2").try_into().unwrap();
        let tweak = Sha256::new().chain_update(*key).chain_update(family).finalize();
        assert_eq!(tweak[..16], hex("53a17ba3213ec213bedcc34fe4e239af"));
        assert!(cipher(&key, family).is_some());
    }
}
