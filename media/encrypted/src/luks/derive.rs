//! Keys from passphrases.

use crate::failure::Failure;
use argon2::{Argon2, Params, Version};
use pfh_digest::{Algorithm, Mac};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// The hash functions of LUKS that are known here. `cryptsetup` took SHA-1 unless asked, up to
/// version 1.6.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    Ripemd160,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// Calls a generic function for the type of a hash of SHA-2, or another for the name of one that
/// old headers have.
macro_rules! by_type {
    ($hash:expr, $call:ident $arguments:tt, $old:expr) => {
        match $hash {
            Hash::Sha224 => $call::<Sha224> $arguments,
            Hash::Sha256 => $call::<Sha256> $arguments,
            Hash::Sha384 => $call::<Sha384> $arguments,
            Hash::Sha512 => $call::<Sha512> $arguments,
            Hash::Sha1 => $old(old("sha1")),
            Hash::Ripemd160 => $old(old("ripemd160")),
        }
    };
}

fn old(name: &str) -> Algorithm {
    name.parse().expect("the name of a row")
}

impl Hash {
    /// The hash with this name in cryptsetup.
    pub fn named(name: &str) -> Result<Hash, Failure> {
        match name {
            "ripemd160" => Ok(Hash::Ripemd160),
            "sha1" => Ok(Hash::Sha1),
            "sha224" => Ok(Hash::Sha224),
            "sha256" => Ok(Hash::Sha256),
            "sha384" => Ok(Hash::Sha384),
            "sha512" => Ok(Hash::Sha512),
            other => Err(Failure::Unread(format!("LUKS with the hash function {other:?}"))),
        }
    }

    /// Bytes of a digest.
    pub fn length(self) -> usize {
        match self {
            Hash::Ripemd160 | Hash::Sha1 => 20,
            Hash::Sha224 => 28,
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }

    pub fn digest(self, parts: [&[u8]; 2]) -> Vec<u8> {
        fn of<D: Digest>(parts: [&[u8]; 2]) -> Vec<u8> {
            D::new().chain_update(parts[0]).chain_update(parts[1]).finalize().to_vec()
        }
        by_type!(self, of(parts), |of: Algorithm| of.digest(&parts.concat()).bytes().to_vec())
    }
}

/// Most memory that a header may ask for, in KiB: as much as cryptsetup takes.
const MOST_MEMORY: u32 = 4 << 20;
/// Most rounds of either function: more only keeps a reader busy.
pub const MOST_ROUNDS: u32 = 200_000_000;

/// PBKDF2 (RFC 8018) with HMAC.
pub fn pbkdf2(hash: Hash, password: &[u8], salt: &[u8], iterations: u32, key: &mut [u8]) {
    use pbkdf2::pbkdf2_hmac as derive;
    by_type!(hash, derive(password, salt, iterations, key), |of| Mac::new(of, password).derive(salt, iterations, key));
}

/// How a slot's key follows from a passphrase.
pub enum Derivation {
    Pbkdf2 { hash: Hash, iterations: u32, salt: Vec<u8> },
    Argon2 { algorithm: argon2::Algorithm, time: u32, memory: u32, lanes: u32, salt: Vec<u8> },
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
