//! Names of manifests and of walks as they compare.

/// A name without `./` in front and doubled slashes.
pub fn plain(name: &[u8]) -> Vec<u8> {
    let absolute = name.first() == Some(&b'/');
    let parts: Vec<&[u8]> = name.split(|&b| b == b'/').filter(|part| !part.is_empty() && *part != b".").collect();
    let joined = parts.join(&b'/');
    if absolute { [b"/", &joined[..]].concat() } else { joined }
}
