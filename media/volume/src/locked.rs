//! A volume whose files cannot be read without a key that its container keeps.

use std::sync::Arc;

use crate::file_system::Recognised;
use crate::node::Failure;

/// Decrypts what lies on a medium.
pub trait Decrypt: Send + Sync {
    /// Decrypts `data` in place: whole sectors of 512 bytes, the first of which the cipher counts
    /// as the one at `place`, in bytes.
    fn decrypt(&self, place: u64, data: &mut [u8]);
}

/// What goes on with a key.
type Open = dyn Fn(Arc<dyn Decrypt>) -> Result<Recognised, Failure> + Send + Sync;

/// Where a container keeps the keys of its volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keybag {
    /// The UUID of the container.
    pub container: [u8; 16],
    /// Bytes of a block of the container.
    pub block_size: u64,
    /// The first block of the bag, 0 if there is none.
    pub block: u64,
    /// How many blocks it has.
    pub count: u64,
}

/// A volume that has no key yet.
pub struct Locked {
    /// The name of the format.
    pub format: &'static str,
    /// The volume's UUID: by it the container keeps the key.
    pub volume: [u8; 16],
    /// Where its container keeps keys.
    pub bag: Keybag,
    open: Box<Open>,
}

impl Locked {
    /// A volume that `open` opens with its cipher.
    pub(crate) fn new(
        format: &'static str,
        (volume, bag): ([u8; 16], Keybag),
        open: impl Fn(Arc<dyn Decrypt>) -> Result<Recognised, Failure> + Send + Sync + 'static,
    ) -> Locked {
        Locked { format, volume, bag, open: Box::new(open) }
    }

    /// Opens the volume with its cipher.
    ///
    /// # Errors
    /// If what the cipher makes of its metadata contradicts itself.
    pub fn open(&self, cipher: Arc<dyn Decrypt>) -> Result<Recognised, Failure> {
        (self.open)(cipher)
    }
}
