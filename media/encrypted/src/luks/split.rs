//! A key spread over many sectors: each is needed (*LUKS On-Disk Format Specification*,
//! section 2.4).

use super::derive::Hash;
use zeroize::Zeroizing;

/// The key of `length` bytes that was split into stripes; `None` if there are too few bytes.
pub fn merge(split: &[u8], length: usize, hash: Hash) -> Option<Zeroizing<Vec<u8>>> {
    let mut key = Zeroizing::new(vec![0; length]);
    let mut stripes = split.chunks_exact(length).peekable();
    stripes.peek()?;
    while let Some(stripe) = stripes.next() {
        key.iter_mut().zip(stripe).for_each(|(byte, with)| *byte ^= with);
        if stripes.peek().is_some() {
            diffuse(&mut key, hash);
        }
    }
    Some(key)
}

/// Hashes each piece as long as a digest, with its number.
fn diffuse(key: &mut [u8], hash: Hash) {
    for (number, piece) in key.chunks_mut(hash.length()).enumerate() {
        let digest = hash.digest([&(number as u32).to_be_bytes(), piece]);
        let length = piece.len();
        piece.copy_from_slice(&digest[..length]);
    }
}
