//! Protectors: each holds the volume's key, wrapped with a key of its own.

use super::entry::entries;
use super::wrapped::WrappedKey;
use crate::failure::Failure;
use crate::field::{array, le16, le32};
use crate::key::{Key, Keys, Secret};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// How often a password is hashed.
const ROUNDS: u64 = 1 << 20;

/// The secret that a protector asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing: its key stands beside it, while protection is suspended.
    Clear,
    Startup,
    Recovery,
    Password,
    /// The computer's TPM, alone or with something else.
    Tpm,
    Other(u16),
}

impl Kind {
    fn of(number: u16) -> Kind {
        match number {
            0 => Kind::Clear,
            0x200 => Kind::Startup,
            0x800 => Kind::Recovery,
            0x2000 => Kind::Password,
            0x100..0x800 => Kind::Tpm,
            other => Kind::Other(other),
        }
    }

    fn needs(self) -> String {
        match self {
            Kind::Clear => "the key that stands beside it".to_owned(),
            Kind::Startup => "a startup key (.BEK)".to_owned(),
            Kind::Recovery => "a recovery password".to_owned(),
            Kind::Password => "a password".to_owned(),
            Kind::Tpm => "the TPM of its computer".to_owned(),
            Kind::Other(number) => format!("a protector of the kind {number:#06x}"),
        }
    }
}

/// A protector.
pub struct Protector {
    /// The identifier; Windows shows its first bytes beside a recovery password.
    id: [u8; 16],
    kind: Kind,
    salt: Option<[u8; 16]>,
    /// The key of a suspended volume.
    clear: Option<Secret>,
    /// The volume's key.
    wrapped: Option<WrappedKey>,
}

impl Protector {
    /// The protector of these bytes, in the metadata at `at`.
    pub fn parse(data: &[u8], at: u64) -> Result<Protector, Failure> {
        let mut found =
            Protector { id: array(data, 0), kind: Kind::of(le16(data, 26)), salt: None, clear: None, wrapped: None };
        for entry in entries(data.get(28..).unwrap_or_default(), at)? {
            match entry.value {
                1 => found.clear = entry.data.get(4..36).and_then(|key| key.try_into().ok()).map(Zeroizing::new),
                3 => found.salt = Some(array(entry.data, 4)),
                5 => found.wrapped = WrappedKey::parse(entry.data),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Tries to unwrap the volume's key with a key at hand; whether this is of the kind that the
    /// protector asks for, and the volume's key.
    fn try_key(&self, key: &Key) -> (bool, Option<Secret>) {
        let start = match self.kind {
            Kind::Recovery => key.recovery().map(|bytes| Zeroizing::new(Sha256::digest(*bytes).into())),
            Kind::Password => key.utf16_hash(),
            Kind::Startup => {
                let own = startup(key.bytes(), self.id);
                let opened = own.as_ref().and_then(|key| self.wrapped.as_ref()?.key(key));
                return (own.is_some(), opened);
            }
            _ => None,
        };
        let (Some(start), Some(salt), Some(wrapped)) = (start, self.salt, &self.wrapped) else { return (false, None) };
        (true, wrapped.key(&stretch(&start, salt)))
    }
}

/// Hashes a password's digest and the salt, with a counter, 2^20 times.
fn stretch(start: &[u8; 32], salt: [u8; 16]) -> Secret {
    let mut message = Zeroizing::new([0; 88]);
    message[32..64].copy_from_slice(start);
    message[64..80].copy_from_slice(&salt);
    for round in 0..ROUNDS {
        message[80..].copy_from_slice(&round.to_le_bytes());
        let digest = Sha256::digest(*message);
        message[..32].copy_from_slice(&digest);
    }
    let mut key = Zeroizing::new([0; 32]);
    key.copy_from_slice(&message[..32]);
    key
}

/// The key in a startup key's file, if it is that of this protector.
fn startup(file: &[u8], id: [u8; 16]) -> Option<Secret> {
    let size = le32(file, 0) as usize;
    let inside = entries(file.get(48..size)?, 48).ok()?;
    let external = inside.iter().find(|entry| entry.value == 9 && entry.data.starts_with(&id))?;
    let nested = entries(external.data.get(24..)?, 0).ok()?;
    let key = nested.iter().find(|entry| entry.value == 1)?.data.get(4..36)?;
    Some(Zeroizing::new(key.try_into().ok()?))
}

/// The volume's key, and the kind of key that opened it.
pub fn unlock(protectors: &[Protector], keys: &Keys) -> Result<(Secret, String), Failure> {
    for protector in protectors.iter().filter(|found| found.kind == Kind::Clear) {
        if let (Some(clear), Some(wrapped)) = (&protector.clear, &protector.wrapped)
            && let Some(key) = wrapped.key(clear)
        {
            return Ok((key, "the key of a volume whose protection is suspended".to_owned()));
        }
    }
    let mut tried = std::collections::HashSet::new();
    for protector in protectors {
        for (number, key) in keys.iter().enumerate() {
            let (is_of_kind, opened) = protector.try_key(key);
            if let Some(opened) = opened {
                return Ok((opened, protector.kind.needs().trim_start_matches("a ").to_owned()));
            }
            if is_of_kind {
                tried.insert(number);
            }
        }
    }
    let mut needs: Vec<String> = Vec::new();
    for protector in protectors {
        let mut need = protector.kind.needs();
        if protector.kind == Kind::Recovery {
            // As Windows shows it: the first field of the GUID.
            need.push_str(&format!(" (identifier {:08X})", le32(&protector.id, 0)));
        }
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    Err(Failure::NoKey { needs, tried: tried.len() })
}
