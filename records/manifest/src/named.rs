//! The algorithm of digests that the name of a list states.

use pfh_digest::{Algorithm, Registry};

/// The algorithms that the name of a list hints at, the likeliest first: `B3SUMS`,
/// `image.iso.sha3-256`, `SHA512-256SUMS.txt`, `x.b2sum`. `name` is that of the file alone, without
/// its directory.
pub fn hints(registry: Registry, name: &str) -> Vec<Algorithm> {
    let name = name.to_ascii_lowercase();
    // `:` would be a length, which no name has.
    let parts = name.split(['.', '_', ' ']).rev().filter(|part| !part.contains(':'));
    let found = parts.filter_map(|part| {
        let bare = ["sums", "sum"].into_iter().find_map(|end| part.strip_suffix(end)).unwrap_or(part);
        let bare = bare.trim_end_matches('-');
        let named = if bare == "b2" { "blake2b" } else { bare };
        registry.find(named).ok()
    });
    found.collect()
}

/// Algorithms that are not known here, by the names that lists of them have, with the lengths of
/// their digests in bytes.
const UNKNOWN: [(&str, usize); 12] = [
    ("has160", 20),
    ("has-160", 20),
    ("edonr256", 32),
    ("edon-r256", 32),
    ("edonr512", 64),
    ("edon-r512", 64),
    ("snefru128", 16),
    ("snefru256", 32),
    ("btih", 20),
    ("md2", 16),
    ("haval", 16),
    ("panama", 32),
];

/// The algorithm that the name of a list states and that is not known here, with the length of its
/// digests.
pub fn unknown(name: &str) -> Option<(&'static str, usize)> {
    let name = name.to_ascii_lowercase();
    let bare = |part: &'_ str| ["sums", "sum"].into_iter().find_map(|end| part.strip_suffix(end)).unwrap_or(part).len();
    let is_one = |known: &str| name.split(['.', '_', ' ']).any(|part| &part[..bare(part)] == known);
    UNKNOWN.into_iter().find(|(known, _)| is_one(known))
}
