//! Keys that other keys wrap, as a bag holds them: in DER, with a code over the inner part
//! (RFC 3394 for the keys; Sylve, *APFS Wrapped Keys*, 2022, for the fields).

use crate::field::{array, le32};
use crate::luks::derive::MOST_ROUNDS;
use aes_kw::{KwAes128, KwAes256};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// In front of the salt of a code.
const CODE: [u8; 6] = [1, 0x16, 0x20, 0x17, 0x15, 5];
/// Keys of 16 bytes, as Core Storage had them.
const SHORT: u32 = 2;
/// The longest part of a wrapped key.
const LONGEST: usize = 4096;

/// A wrapped key.
pub struct WrappedKey {
    /// The volume or the user that the key belongs to.
    pub id: [u8; 16],
    is_short: bool,
    key: Vec<u8>,
    /// How a password becomes the key that wraps it: rounds and salt.
    rounds: u32,
    salt: Vec<u8>,
}

/// One value: its tag, its content, and all of it.
struct Value<'a> {
    tag: u8,
    content: &'a [u8],
    whole: &'a [u8],
}

/// The values that stand one behind the other.
fn values(mut raw: &[u8]) -> Option<Vec<Value<'_>>> {
    let mut found = Vec::new();
    while !raw.is_empty() {
        let (tag, first) = (*raw.first()?, usize::from(*raw.get(1)?));
        let (length, at) = match first {
            0x81 => (usize::from(*raw.get(2)?), 3),
            0x82 => (usize::from(u16::from_be_bytes(array(raw, 2))), 4),
            short if short < 0x80 => (short, 2),
            _ => return None,
        };
        let (content, whole) = (raw.get(at..at + length)?, &raw[..at + length]);
        found.push(Value { tag, content, whole });
        raw = &raw[at + length..];
    }
    Some(found)
}

/// A number in DER.
fn number(raw: &[u8]) -> Option<u64> {
    (!raw.is_empty() && raw.len() <= 9).then(|| raw.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
}

impl WrappedKey {
    /// The key in the data of an entry.
    ///
    /// # Errors
    /// Where its fields or its code contradict it.
    pub fn read(raw: &[u8]) -> Result<WrappedKey, &'static str> {
        let read = || {
            let outer = values(raw.get(..raw.len().min(LONGEST))?)?;
            let outer = values(outer.first().filter(|value| value.tag == 0x30)?.content)?;
            let of = |tag: u8| outer.iter().find(|value| value.tag == tag);
            let (code, salt, blob) = (of(0x81)?.content, of(0x82)?.content, of(0xa3)?);
            let inner = values(blob.content)?;
            let of = |tag: u8| inner.iter().find(|value| value.tag == tag).map(|value| value.content);
            let rounds = of(0x84).map_or(Some(0), number)?;
            let key = WrappedKey {
                id: of(0x81)?.try_into().ok()?,
                is_short: le32(of(0x82)?, 0) & SHORT != 0,
                key: of(0x83)?.to_vec(),
                rounds: u32::try_from(rounds).ok()?,
                salt: of(0x85).unwrap_or_default().to_vec(),
            };
            let secret = Sha256::new().chain_update(CODE).chain_update(salt).finalize();
            let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&secret).ok()?;
            mac.update(blob.whole);
            Some((key, mac.verify_slice(code).is_ok()))
        };
        match read() {
            Some((key, true)) if key.rounds <= MOST_ROUNDS => Ok(key),
            Some((_, true)) => Err("an APFS key with an impossible number of rounds"),
            Some((_, false)) => Err("an APFS key whose code is wrong"),
            None => Err("an APFS key whose fields contradict one another"),
        }
    }

    /// The key, by a password.
    pub fn by_password(&self, password: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut key = Zeroizing::new([0; 32]);
        pbkdf2::pbkdf2::<Hmac<Sha256>>(password, &self.salt, self.rounds.max(1), &mut *key).ok()?;
        self.unwrap(&*key)
    }

    /// The key, by the one that wraps it; `None` if that does not fit.
    pub fn unwrap(&self, by: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let length = if self.is_short { 16 } else { 32 };
        let (by, wrapped) = (by.get(..length)?, self.key.get(..length + 8)?);
        let mut key = Zeroizing::new(vec![0; length]);
        match length {
            16 => drop(KwAes128::new_from_slice(by).ok()?.unwrap_key(wrapped, &mut key).ok()?),
            _ => drop(KwAes256::new_from_slice(by).ok()?.unwrap_key(wrapped, &mut key).ok()?),
        }
        Some(key)
    }

    /// The key of a volume's cipher (XTS-AES-128), unwrapped with `by`: the key of the data and the
    /// key of the tweaks. A short one is the key of the data alone.
    pub fn volume_key(&self, by: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut key = self.unwrap(by)?;
        if self.is_short {
            let tweak = Sha256::new().chain_update(&*key).chain_update(self.id).finalize();
            key.extend_from_slice(&tweak[..16]);
        }
        Some(key)
    }
}
