//! The checksums of a store's pages and blocks, and the failure for one that differs.

use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// The CRC of the format: of a register that begins with 0 and is not inverted.
pub fn crc(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(u32::MAX);
    hasher.update(bytes);
    !hasher.finalize()
}

/// A failure at an offset of the store.
pub fn wrong(offset: u64, cause: impl Into<String>) -> Failure {
    failure(Some(offset), cause)
}
