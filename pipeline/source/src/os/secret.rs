//! Random bytes that nobody foresees.

use super::seam;
use std::io;

/// Fills a buffer with random bytes of the system, for nonces and identifiers.
///
/// # Errors
/// When the system has none.
pub fn secret(buffer: &mut [u8]) -> io::Result<()> {
    for piece in buffer.chunks_mut(size_of::<u64>()) {
        match seam::number() {
            Some(number) => piece.copy_from_slice(&number.to_le_bytes()[..piece.len()]),
            None => getrandom::fill(piece).map_err(io::Error::from)?,
        }
    }
    Ok(())
}
