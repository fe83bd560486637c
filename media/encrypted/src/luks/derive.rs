//! Keys from passphrases.

use crate::failure::Failure;
use argon2::{Algorithm, Argon2, Params, Version};
use hmac::Hmac;
use sha2::{Digest, Sha256, Sha512};

/// The hash functions of LUKS that are known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    /// The hash with this name in cryptsetup.
    pub fn named(name: &str) -> Result<Hash, Failure> {
        match name {
            "sha256" => Ok(Hash::Sha256),
            "sha512" => Ok(Hash::Sha512),
            other => Err(Failure::Unread(format!("LUKS with the hash function {other:?}"))),
        }
    }

    /// Bytes of a digest.
    pub fn length(self) -> usize {
        match self {
            Hash::Sha256 => 32,
            Hash::Sha512 => 64,
        }
    }

    pub fn digest(self, parts: [&[u8]; 2]) -> Vec<u8> {
        fn of<D: Digest>(parts: [&[u8]; 2]) -> Vec<u8> {
            D::new().chain_update(parts[0]).chain_update(parts[1]).finalize().to_vec()
        }
        match self {
            Hash::Sha256 => of::<Sha256>(parts),
            Hash::Sha512 => of::<Sha512>(parts),
        }
    }
}

/// Most memory that a header may ask for, in KiB: as much as cryptsetup takes.
const MOST_MEMORY: u32 = 4 << 20;
/// Most rounds of either function: more only keeps a reader busy.
pub const MOST_ROUNDS: u32 = 200_000_000;

/// PBKDF2 (RFC 8018) with HMAC.
pub fn pbkdf2(hash: Hash, password: &[u8], salt: &[u8], iterations: u32, key: &mut [u8]) {
    // Lengths of keys are bounded, and HMAC takes keys of any length, so that this does not fail.
    let done = match hash {
        Hash::Sha256 => pbkdf2::pbkdf2::<Hmac<Sha256>>(password, salt, iterations, key),
        Hash::Sha512 => pbkdf2::pbkdf2::<Hmac<Sha512>>(password, salt, iterations, key),
    };
    debug_assert!(done.is_ok());
}

/// How a slot's key follows from a passphrase.
pub enum Derivation {
    Pbkdf2 { hash: Hash, iterations: u32, salt: Vec<u8> },
    Argon2 { algorithm: Algorithm, time: u32, memory: u32, lanes: u32, salt: Vec<u8> },
}

impl Derivation {
    /// The key.
    pub fn key(&self, password: &[u8], key: &mut [u8]) -> Result<(), Failure> {
        match self {
            Derivation::Pbkdf2 { iterations, .. } if *iterations > MOST_ROUNDS => {
                Err(Failure::Unread(format!("LUKS with {iterations} rounds of PBKDF2")))
            }
            Derivation::Pbkdf2 { hash, iterations, salt } => {
                pbkdf2(*hash, password, salt, *iterations, key);
                Ok(())
            }
            Derivation::Argon2 { memory, time, .. } if *memory > MOST_MEMORY || *time > 1000 => {
                Err(Failure::Unread(format!("LUKS with Argon2 of {memory} KiB and {time} rounds")))
            }
            Derivation::Argon2 { algorithm, time, memory, lanes, salt } => {
                let refused = |error: argon2::Error| Failure::Unread(format!("LUKS with Argon2: {error}"));
                let params = Params::new(*memory, *time, *lanes, Some(key.len())).map_err(refused)?;
                Argon2::new(*algorithm, Version::V0x13, params).hash_password_into(password, salt, key).map_err(refused)
            }
        }
    }
}
