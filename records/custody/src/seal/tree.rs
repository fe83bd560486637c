//! The leaves of a seal: a record's canonical bytes, and the root over their digests.

use pfh_digest::{Algorithm, Digest};
use pfh_manifest::{Entry, Reason, UnhashedEntry};
use pfh_source::Time;

/// A SHA-256.
pub(super) type Hash = [u8; 32];

/// The SHA-256 of some bytes.
pub(super) fn hash(sha256: Algorithm, bytes: &[u8]) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(sha256.digest(bytes).bytes());
    hash
}

/// The root over leaves in their order (RFC 6962, 2.1).
pub(super) fn root(sha256: Algorithm, mut level: Vec<Hash>) -> Hash {
    if level.is_empty() {
        return hash(sha256, b"");
    }
    // Pairing from the left and carrying an odd last one up gives RFC 6962's shape.
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => hash(sha256, &[&[1], &left[..], right].concat()),
                odd => odd[0],
            })
            .collect();
    }
    level[0]
}

/// Appends bytes with their length in front.
pub(super) fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn digests(out: &mut Vec<u8>, digests: &[Digest]) {
    let mut digests: Vec<&Digest> = digests.iter().collect();
    digests.sort();
    out.extend_from_slice(&(digests.len() as u64).to_le_bytes());
    for digest in digests {
        bytes(out, digest.algorithm().to_string().as_bytes());
        bytes(out, digest.bytes());
    }
}

/// The contents of a record, unambiguously: every part with its length in front.
pub(super) fn canonical(out: &mut Vec<u8>, entry: &Entry) {
    out.push(1);
    bytes(out, &entry.name);
    match entry.size {
        None => out.push(0),
        Some(size) => {
            out.push(1);
            out.extend_from_slice(&size.to_le_bytes());
        }
    }
    digests(out, &entry.digests);
    out.extend_from_slice(&(entry.pieces.len() as u64).to_le_bytes());
    for piece in &entry.pieces {
        out.extend_from_slice(&piece.offset.to_le_bytes());
        out.extend_from_slice(&piece.length.to_le_bytes());
        digests(out, &piece.digests);
    }
    for time in [entry.times.modified, entry.times.changed, entry.times.accessed] {
        match time {
            None => out.push(0),
            Some(Time { seconds, nanoseconds }) => {
                out.push(1);
                out.extend_from_slice(&seconds.to_le_bytes());
                out.extend_from_slice(&nanoseconds.to_le_bytes());
            }
        }
    }
}

/// The contents of a record without digests.
pub(super) fn canonical_unhashed(out: &mut Vec<u8>, unhashed: &UnhashedEntry) {
    out.push(if unhashed.reason == Reason::Failed { 2 } else { 3 });
    bytes(out, &unhashed.name);
    bytes(out, unhashed.code.as_bytes());
}
