//! Parts that both versions share: bounds, and the digest that proves a key.

use super::derive::{self, Hash};
use crate::failure::Failure;
use crate::key::Keys;
use zeroize::Zeroizing;

/// How a volume begins.
pub const MAGIC: &[u8; 6] = b"LUKS\xba\xbe";
/// Longest key of the data: two of AES-256, for XTS.
pub const LONGEST_KEY: usize = 64;
/// Most stripes that a key is spread over; cryptsetup writes 4,000.
pub const MOST_STRIPES: u32 = 16_000;

/// A key of the data that a slot gave, and how it is proved.
pub struct Digest {
    pub hash: Hash,
    pub salt: Vec<u8>,
    pub iterations: u32,
    pub digest: Vec<u8>,
}

impl Digest {
    /// Whether this is the key.
    pub fn holds(&self, key: &[u8]) -> bool {
        let mut found = Zeroizing::new(vec![0; self.digest.len()]);
        derive::pbkdf2(self.hash, key, &self.salt, self.iterations, &mut found);
        *found == self.digest
    }
}

/// The failure when no slot opened.
pub fn no_key(slots: usize, keys: &Keys) -> Failure {
    let needs = match slots {
        0 => Vec::new(),
        _ => vec!["a passphrase or a key file".to_owned()],
    };
    Failure::NoKey { needs, tried: keys.iter().count() }
}
