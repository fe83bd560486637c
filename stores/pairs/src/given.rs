//! A digest as text, with its name or without.

use pfh_digest::{Algorithm, Digest};
use pfh_similarity::{MethodName, mrsh_v2, sdhash, ssdeep};
use std::ffi::OsStr;

/// The name of a digest that came without one.
const NAMELESS: &[u8] = b"DIGEST";

/// A digest with its name, as the algorithm's tool writes it with a name or without.
pub fn given(algorithm: Algorithm, text: &OsStr) -> Option<(Vec<u8>, Digest)> {
    let bytes = text.as_encoded_bytes();
    let (name, plain) = match MethodName::of(algorithm) {
        Some(MethodName::Ssdeep) if bytes.ends_with(b"\"") => {
            let (digest, name) = ssdeep::parse_line(bytes).ok()?;
            (name, digest.to_string())
        }
        Some(MethodName::Sdhash | MethodName::SdhashStream | MethodName::SdhashDd) => {
            let (digest, name) = sdhash::Digest::parse_line(bytes).ok()?;
            (name.to_vec(), digest.to_string())
        }
        Some(MethodName::MrshV2 | MethodName::MrshV2Network) => {
            let (digest, name) = mrsh_v2::MrshV2::PLAIN.parse_line(bytes).ok()?;
            (name.to_vec(), digest.to_string())
        }
        _ => (Vec::new(), text.to_str()?.to_owned()),
    };
    let digest = Digest::parse(algorithm, &plain).ok()?;
    Some((if name.is_empty() { NAMELESS.to_vec() } else { name }, digest))
}
