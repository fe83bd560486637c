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
