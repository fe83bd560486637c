//! Digests as text: hexadecimal of either case, or base64 with exact padding as GNU `cksum --base64` writes it.

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest, Output, Registry};

use crate::decode::Fault;
use crate::hex;

/// The usual algorithms by the length of their digests: those of the GNU tools.
const USUAL: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/// A digest of a known algorithm.
pub fn digest(algorithm: Algorithm, text: &[u8]) -> Result<Digest, Fault> {
    if algorithm.output() == Output::Text {
        let text = str::from_utf8(text).map_err(|_| Fault::Malformed("digest is not text"))?;
        return Digest::parse(algorithm, text).map_err(|_| Fault::Malformed("not a digest of its algorithm"));
    }
    let length = algorithm.length();
    let bytes = if text.len() == 2 * length {
        hex::decode(text).ok_or(Fault::Malformed("digest is not hexadecimal"))?
    } else if text.len() == length.div_ceil(3) * 4 {
        BASE64.decode(text).map_err(|_| Fault::WrongLength)?
    } else {
        return Err(Fault::WrongLength);
    };
    Digest::from_bytes(algorithm, &bytes).map_err(|_| Fault::WrongLength)
}

/// A digest whose algorithm is told by its length: the first of `assumed` that fits, or, where that is empty, the usual ones.
pub fn unnamed(registry: Registry, assumed: &[Algorithm], text: &[u8]) -> Result<Digest, Fault> {
    let candidates = || -> Box<dyn Iterator<Item = Algorithm> + '_> {
        if assumed.is_empty() {
            Box::new(USUAL.iter().filter_map(|name| registry.find(name).ok()))
        } else {
            Box::new(assumed.iter().copied())
        }
    };
    // Hexadecimal first, over all candidates: 64 digits are SHA-256 before they are 48 bytes in base64.
    if let Some(algorithm) = candidates().find(|algorithm| 2 * algorithm.length() == text.len())
        && let Some(bytes) = hex::decode(text)
    {
        return Digest::from_bytes(algorithm, &bytes).map_err(|_| Fault::WrongLength);
    }
    if let Ok(bytes) = BASE64.decode(text)
        && let Some(algorithm) = candidates().find(|algorithm| algorithm.length() == bytes.len())
    {
        return Digest::from_bytes(algorithm, &bytes).map_err(|_| Fault::WrongLength);
    }
    let digits = text.iter().all(u8::is_ascii_hexdigit);
    Err(if digits && !text.is_empty() { Fault::WrongLength } else { Fault::Malformed("does not start with a digest") })
}
