//! Several messages of one algorithm at once.

use crate::{Algorithm, Digest, Hasher};

/// The digests of whole messages, in the order of the messages.
pub fn hash_many(algorithm: Algorithm, messages: &[&[u8]]) -> Vec<Digest> {
    messages.iter().map(|message| algorithm.digest(message)).collect()
}

/// Advances each hasher by its bytes, as [`Hasher::update`] would. All hashers should be of one algorithm: lanes are shared
/// among equals only.
pub fn update_many(jobs: &mut [(&mut Hasher, &[u8])]) {
    for (hasher, bytes) in jobs {
        hasher.update(bytes);
    }
}

/// Ends many messages at once; the digests in the order of the hashers.
pub fn finalize_many(hashers: Vec<Hasher>) -> Vec<Digest> {
    hashers.into_iter().map(Hasher::finalize).collect()
}

/// Several digests of ONE message: each hasher takes the same bytes.
pub fn update_together(hashers: &mut [&mut Hasher], bytes: &[u8]) {
    for hasher in hashers {
        hasher.update(bytes);
    }
}
