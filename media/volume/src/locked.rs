//! Opens volumes whose files cannot be read without a key that their container keeps.

/// Decrypts the blocks of a medium.
pub trait Decrypt: Send + Sync {
    /// Decrypts `data` in place: whole sectors of 512 bytes. The cipher counts the first as the one
    /// at `place`, in bytes.
    fn decrypt(&self, place: u64, data: &mut [u8]);
}

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
