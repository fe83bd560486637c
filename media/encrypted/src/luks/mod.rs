//! LUKS: version 1 (C. Fruhwirth, *LUKS On-Disk Format Specification*, 1.2.3) and version 2
//! (M. Brož, *LUKS2 On-Disk Format Specification*, 1.1.0).

mod derive;
mod one;
mod split;
mod two;

use crate::failure::Failure;
use crate::key::Keys;
use crate::opened::Opened;
use derive::Hash;
use pfh_container::Bytes;
use std::sync::Arc;
use zeroize::Zeroizing;

const MAGIC: &[u8; 6] = b"LUKS\xba\xbe";
/// Longest key of the data: two of AES-256, for XTS.
const LONGEST_KEY: usize = 64;
/// Most stripes that a key is spread over; cryptsetup writes 4,000.
const MOST_STRIPES: u32 = 16_000;

/// Opens a LUKS volume; `None` if it is none.
pub fn open(bytes: &Arc<dyn Bytes>, keys: &Keys) -> Result<Option<Opened>, Failure> {
    let head = crate::field::read_some(&**bytes, 0, 8)?;
    match head.strip_prefix(MAGIC) {
        Some([0, 1]) => one::open(bytes, keys).map(Some),
        Some([0, 2]) => two::open(bytes, keys).map(Some),
        Some([high, low]) => Err(Failure::Unread(format!("LUKS of version {}", u16::from_be_bytes([*high, *low])))),
        _ => Ok(None),
    }
}

/// A key of the data that a slot gave, and how it is proved.
struct Digest {
    hash: Hash,
    salt: Vec<u8>,
    iterations: u32,
    digest: Vec<u8>,
}

impl Digest {
    /// Whether this is the key.
    fn holds(&self, key: &[u8]) -> bool {
        let mut found = Zeroizing::new(vec![0; self.digest.len()]);
        derive::pbkdf2(self.hash, key, &self.salt, self.iterations, &mut found);
        *found == self.digest
    }
}

/// The failure when no slot opened.
fn no_key(slots: usize, keys: &Keys) -> Failure {
    let needs = match slots {
        0 => Vec::new(),
        _ => vec!["a passphrase or a key file".to_owned()],
    };
    Failure::NoKey { needs, tried: keys.iter().count() }
}
